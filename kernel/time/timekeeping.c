/* The time of day: an offset to the time since boot, read from the machine's clock at boot. */
#include "kernel/time/timekeeping.h"

#include "kernel/locking/spinlock.h"

static DEFINE_SPINLOCK(time_lock);
static u64 real_offset; /* [time_lock] to write, [A] ns: time of day - ktime */

u64 boot_time_real(void)
{
	return READ_ONCE(real_offset);
}

u64 ktime_get_real(void)
{
	return ktime_get() + READ_ONCE(real_offset);
}

void (*clock_was_set_hook)(void);

void timekeeping_set_real(u64 ns)
{
	unsigned long flags;

	spin_lock_irqsave(&time_lock, flags);
	WRITE_ONCE(real_offset, ns - ktime_get());
	arch_update_vdso(real_offset);
	spin_unlock_irqrestore(&time_lock, flags);
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
	timekeeping_set_real(arch_read_wall_clock() * NSEC_PER_SEC);
	return 0;
}
early_initcall(timekeeping_init);
