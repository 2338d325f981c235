/* The time of day: what CLOCK_REALTIME shows. */
#pragma once

#include "kernel/init.h"
#include "kernel/time/ktime.h"

/* ns since 1970-01-01 00:00 UTC. A program may set it, so it may jump. Any context but NMI. */
u64 ktime_get_real(void);
/* Called in task context after a program has set the time of day. NULL: nobody asks. */
extern void (*clock_was_set_hook)(void);
/* Sets the time of day. Any context but NMI. */
void timekeeping_set_real(u64 ns);
/* The time of day at the start of the kernel, in ns. A set clock changes it. Any context but NMI.
 */
u64 boot_time_real(void);

/* The seconds from 1970 to a date in UTC. month 1..12, day 1..31. */
u64 seconds_since_1970(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute,
		       unsigned second);

/* The machine: reads the clock that runs while the machine is off, in seconds since 1970. Boot. */
u64 arch_read_wall_clock(void);
/* The machine: tells the vDSO of programs the new time of day - ktime. Calls are serialized. */
void arch_update_vdso(u64 real_offset);
