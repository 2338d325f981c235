/* /dev/kmsg and syslog(2). */
#pragma once

#include "kernel/types.h"

/* Waits until the record seq of the kernel's log exists, or a newer one. 0, or an error if a signal
 * comes. Sleeps. */
int kmsg_wait(u64 seq);

/* Whether the current task may read the whole log (syslog(2), /dev/kmsg). */
bool may_read_log(void);
