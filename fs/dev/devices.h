/* The first devices of devfs. Each function makes its files, and returns 0 or a negative errno. */
#pragma once

#include "kernel/types.h"

int mem_devices_init(void);    /* null, zero, full */
int physmem_device_init(void); /* mem */
int random_devices_init(void); /* random, urandom */
int kmsg_device_init(void);    /* kmsg */
int tty_devices_init(void);    /* console, ttyS0, ttyS1 */
int ptmx_device_init(void);    /* ptmx */
int pmsg_device_init(void);    /* pmsg0, if there is memory for it */

/* Waits until the record seq of the kernel's log exists, or a newer one. 0, or an error if a signal
 * comes. Sleeps. */
int kmsg_wait(u64 seq);

/* Whether the current task may read the whole log (syslog(2), /dev/kmsg). */
extern int dmesg_restrict;
bool may_read_log(void);
