/* The log of PROG_LOAD and BTF_LOAD in memory of the program that loads. */
#pragma once

#include "trace/bpf/verifier/verifier.h"

struct bpf_user_log {
	struct bpf_verifier_log log;
	char __user *buf;
	u32 size;   /* bytes; the last one is for a NUL */
	bool fault; /* the buffer is not there */
};

/* level 0, no buffer and size 0: no log. 0 or -EINVAL. */
int bpf_user_log_init(struct bpf_user_log *log, u32 level, u64 buf, u32 size);
/* The result of a load with this log: error, or -ENOSPC, -EFAULT where the log is not complete. */
int bpf_user_log_result(const struct bpf_user_log *log, int error);
