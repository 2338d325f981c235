/* What /proc/PID/io tells of a task (fs/proc/task/io.c). */
#pragma once

#include "kernel/types.h"

/* What it has read and written. Bytes include those from caches, pipes and terminals. */
struct task_io_accounting {
	u64 rchar, wchar; /* bytes */
	u64 syscr, syscw; /* calls */
};
