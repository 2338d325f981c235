/* The time of day: the time since boot, and an offset. */
#include "kernel/time/timekeeping.h"

#include "kernel/locking/spinlock.h"
#include "kernel/time/timer.h"

/* Serializes the changes of the time of day and of its copy for programs. */
static DEFINE_SPINLOCK(time_lock);
u64 real_offset;                                   /* [time_lock] to write; any context reads it */
static void (*copy_for_programs)(u64 real_offset); /* [time_lock] */

u64 ktime_get_real(void)
{
	return ktime_get() + READ_ONCE(real_offset);
}

ktime_t timer_clock_to_ktime(enum timer_clock clock, u64 ns)
{
	u64 offset = clock == TIMER_REALTIME ? READ_ONCE(real_offset) : 0;

	return ns > offset ? ns - offset : 0;
}

void (*clock_was_set_hook)(void);

static void set_time(u64 ns)
{
	unsigned long flags;

	spin_lock_irqsave(&time_lock, flags);
	WRITE_ONCE(real_offset, ns - ktime_get());
	if (copy_for_programs)
		copy_for_programs(real_offset);
	spin_unlock_irqrestore(&time_lock, flags);
}

void timekeeping_set_real(u64 ns)
{
	set_time(ns);
	timers_clock_was_set();
	if (clock_was_set_hook)
		clock_was_set_hook();
}

void timekeeping_copy_to(void (*copy)(u64 real_offset))
{
	unsigned long flags;

	spin_lock_irqsave(&time_lock, flags);
	copy_for_programs = copy;
	copy(real_offset);
	spin_unlock_irqrestore(&time_lock, flags);
}

bool timekeeping_may_be(u64 real)
{
	return real < KTIME_MAX / 2 && real >= ktime_get();
}

u64 seconds_since_1970(unsigned year, unsigned month, unsigned day, unsigned hour, unsigned minute,
		       unsigned second)
{
	/* Count the year from March, so that the leap day is the last one. */
	unsigned y = month <= 2 ? year - 1 : year;
	unsigned months = month <= 2 ? month + 9 : month - 3;
	u64 days = 365UL * y + y / 4 - y / 100 + y / 400 + (153 * months + 2) / 5 + day - 1;

	days -= 719468; /* from March 1 of year 0 to January 1, 1970 */
	return ((days * 24 + hour) * 60 + minute) * 60 + second;
}

static int __init timekeeping_init(void)
{
	set_time(arch_read_wall_clock() * NSEC_PER_SEC);
	return 0;
}
early_initcall(timekeeping_init);
