/*
 * The time of day: an offset to the time since boot, which grows or shrinks while adjtimex(2) lets
 * the clock gain or lose.
 */
#include "kernel/time/timekeeping.h"

#include "kernel/errno.h"
#include "kernel/locking/spinlock.h"
#include "kernel/time/timer.h"
#include "kernel/time/trace_clock.h"

static DEFINE_SPINLOCK(time_lock);
static struct real_clock real_clock; /* [time_lock] to write; read by its seq */
static bool leaped;                  /* [time_lock] clock_was_set() has yet to be called for it */
static struct timer_list second_timer;

/* The time of day at a ktime. clock is constant or a copy. */
static u64 real_at(const struct real_clock *clock, ktime_t now)
{
	return now + clock->offset + (u64)ntp_slew(now - clock->start, clock->rate);
}

/* A copy that no writer changes meanwhile. The writer has interrupts off. */
static struct real_clock read_clock(void)
{
	struct real_clock copy;

	do {
		while (unlikely((copy.seq = READ_ONCE(real_clock.seq)) & 1))
			cpu_relax();
		smp_rmb();
		copy.offset = READ_ONCE(real_clock.offset);
		copy.start = READ_ONCE(real_clock.start);
		copy.rate = READ_ONCE(real_clock.rate);
		copy.tai = READ_ONCE(real_clock.tai);
		smp_rmb();
	} while (unlikely(READ_ONCE(real_clock.seq) != copy.seq));
	return copy;
}

u64 ktime_get_real(void)
{
	struct real_clock clock = read_clock();

	return real_at(&clock, ktime_get());
}

u64 ktime_get_clocktai(void)
{
	struct real_clock clock = read_clock();

	return real_at(&clock, ktime_get()) + (u64)clock.tai * NSEC_PER_SEC;
}

u64 read_timer_clock(enum timer_clock clock)
{
	switch (clock) {
	case TIMER_REALTIME:
		return ktime_get_real();
	case TIMER_TAI:
		return ktime_get_clocktai();
	default:
		return ktime_get();
	}
}

/* The ktime at which the time of day will be ns. clock is a copy. */
static ktime_t real_to_ktime(const struct real_clock *clock, u64 ns)
{
	u64 base = clock->start + clock->offset, since, d;

	if (ns <= base || !clock->rate)
		return ns > clock->offset ? ns - clock->offset : 0;
	if (ns >= KTIME_MAX / 2)
		return KTIME_MAX - 1; /* the clock cannot be set to it, and the sums below fit */
	/* Solve d + ntp_slew(d) = since: |rate| is below 1/2, so each step halves the error. */
	d = since = ns - base;
	for (unsigned i = 0; i < 64; i++)
		d = since - (u64)ntp_slew(d, clock->rate);
	while (real_at(clock, clock->start + d) < ns)
		d++;
	return clock->start + d;
}

ktime_t timer_clock_to_ktime(enum timer_clock clock, u64 ns)
{
	struct real_clock copy;
	u64 tai;

	if (clock == TIMER_MONOTONIC)
		return ns;
	copy = read_clock();
	tai = clock == TIMER_TAI ? (u64)copy.tai * NSEC_PER_SEC : 0;
	return real_to_ktime(&copy, ns > tai ? ns - tai : 0);
}

void (*clock_was_set_hook)(void);
void (*clock_changes_hook)(void);

/* Renews the copies of the clock. time_lock held. */
static void copy_clock(void)
{
	arch_update_vdso(&real_clock, (u64)real_clock.tai);
	trace_clock_set_tai(&real_clock, (u64)real_clock.tai);
}

/*
 * The clock continues with the time of day at now, at its present rate, and TAI is so many seconds
 * ahead. time_lock held.
 */
static void set_clock(ktime_t now, u64 real, int tai)
{
	s64 rate = ntp_rate(); /* a probe of it may read the clock: before seq is odd */

	WRITE_ONCE(real_clock.seq, real_clock.seq + 1);
	smp_wmb();
	WRITE_ONCE(real_clock.offset, real - now);
	WRITE_ONCE(real_clock.start, now);
	WRITE_ONCE(real_clock.rate, rate);
	WRITE_ONCE(real_clock.tai, tai);
	smp_wmb();
	WRITE_ONCE(real_clock.seq, real_clock.seq + 1);
	copy_clock();
}

/* The ktime of the next second of the time of day at now. time_lock held. */
static ktime_t next_second(ktime_t now)
{
	u64 left = NSEC_PER_SEC - real_at(&real_clock, now) % NSEC_PER_SEC;

	return now + left - (u64)ntp_slew(left, real_clock.rate);
}

/* A second begins. While nothing is slewed and no leap second comes, this timer is not armed. */
static void begin_second(struct timer_list *timer)
{
	unsigned long flags;
	ktime_t now;
	bool changed;
	u64 real;
	s64 rate;
	int leap;

	spin_lock_irqsave(&time_lock, flags);
	now = ktime_get();
	real = real_at(&real_clock, now);
	rate = real_clock.rate;
	leap = ntp_second((s64)(real / NSEC_PER_SEC), now - timer->expires);
	set_clock(now, real + (u64)leap * NSEC_PER_SEC, real_clock.tai - leap);
	if (leap)
		leaped = true;
	changed = leap || real_clock.rate != rate;
	if (ntp_active())
		mod_timer(timer, next_second(now));
	spin_unlock_irqrestore(&time_lock, flags);
	if (changed && clock_changes_hook)
		clock_changes_hook();
}

static void clock_was_set(void)
{
	timers_clock_was_set();
	if (clock_was_set_hook)
		clock_was_set_hook();
}

void timekeeping_changed(void)
{
	bool jumped;

	spin_lock_irq(&time_lock);
	jumped = leaped;
	leaped = false;
	spin_unlock_irq(&time_lock);
	if (jumped)
		clock_was_set();
	else
		timers_clock_was_set();
}

/* As set by a program or at boot: what was adjusted before does not apply. time_lock held. */
static void jump(ktime_t now, u64 real)
{
	ntp_clear((s64)(now / NSEC_PER_SEC));
	set_clock(now, real, real_clock.tai);
}

static void set_time(u64 ns)
{
	unsigned long flags;

	spin_lock_irqsave(&time_lock, flags);
	jump(ktime_get(), ns);
	spin_unlock_irqrestore(&time_lock, flags);
}

void timekeeping_set_real(u64 ns)
{
	set_time(ns);
	clock_was_set();
}

void timekeeping_update_vdso(void)
{
	unsigned long flags;

	spin_lock_irqsave(&time_lock, flags);
	copy_clock();
	spin_unlock_irqrestore(&time_lock, flags);
}

bool timekeeping_may_be(u64 real)
{
	return real < KTIME_MAX / 2 && real >= ktime_get();
}

/*
 * ADJ_SETOFFSET. time_lock held. 0 or -EINVAL. As on Linux, what was adjusted before does not apply
 * any more in both cases.
 */
static int inject_offset(const struct __kernel_timex *txc)
{
	s64 unit = txc->modes & ADJ_NANO ? 1 : (s64)NSEC_PER_USEC, seconds;
	ktime_t now = ktime_get();
	u64 old = real_at(&real_clock, now), real = old + (u64)(txc->time.tv_usec * unit);
	bool good = !__builtin_mul_overflow(txc->time.tv_sec, (s64)NSEC_PER_SEC, &seconds) &&
		    timekeeping_may_be(real + (u64)seconds);

	jump(now, good ? real + (u64)seconds : old);
	return good ? 0 : -EINVAL;
}

static int adjust(struct __kernel_timex *txc)
{
	int err = txc->modes & ADJ_SETOFFSET ? inject_offset(txc) : 0, tai = real_clock.tai, state;
	ktime_t now = ktime_get();
	u64 real = real_at(&real_clock, now);

	if (err)
		return err;
	state = ntp_adjust(txc, (s64)(real / NSEC_PER_SEC), (s64)(now / NSEC_PER_SEC), &tai);
	if (txc->modes)
		set_clock(now, real, tai);
	if (ntp_active() && !timer_pending(&second_timer))
		mod_timer(&second_timer, next_second(now));
	txc->time.tv_sec = (s64)(real / NSEC_PER_SEC);
	txc->time.tv_usec = (s64)(real % NSEC_PER_SEC / (txc->status & STA_NANO ? 1 : 1000));
	return state;
}

int do_adjtimex(struct __kernel_timex *txc)
{
	unsigned long flags;
	int state;

	spin_lock_irqsave(&time_lock, flags);
	state = adjust(txc);
	spin_unlock_irqrestore(&time_lock, flags);
	if (state >= 0 && (txc->modes & ADJ_SETOFFSET))
		clock_was_set();
	else if (txc->modes)
		timers_clock_was_set();
	return state;
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
	timer_setup(&second_timer, begin_second);
	set_time(arch_read_wall_clock() * NSEC_PER_SEC);
	return 0;
}
early_initcall(timekeeping_init);
