/*
 * adjtimex(2): tells programs that the clock runs at its own rate, and that nobody compares it with
 * another one. Nobody may adjust it: each caller gets the answers that Linux gives without
 * CAP_SYS_TIME. clock_settime(2) sets the clock.
 */
#include "arch/mm/uaccess.h"
#include "kernel/posix_time/clock.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/timekeeping.h"

#define ADJ_SETOFFSET  0x0100
#define ADJ_ADJTIME    0x8000 /* as adjtime(3); with the next one */
#define ADJ_SINGLESHOT 0x0001
#define ADJ_READ       0xa001 /* the rest of an adjtime(3) */

#define STA_UNSYNC 0x0040
#define TIME_ERROR 5           /* the state: nobody compares the clock with another one */
#define MAX_ERROR  16000000    /* us */
#define MAX_FREQ   (500 << 16) /* 500 millionths */
#define USER_TICK  10000       /* us */

/* struct timex of programs. */
struct __kernel_timex {
	unsigned modes;
	s64 offset, freq, maxerror, esterror;
	int status;
	s64 constant, precision, tolerance;
	struct {
		s64 tv_sec, tv_usec;
	} time;
	s64 tick;
	s64 ppsfreq, jitter;
	int shift;
	s64 stabil, jitcnt, calcnt, errcnt, stbcnt;
	int tai;
	int unused[11];
};

static int check_modes(unsigned modes)
{
	if (!modes)
		return 0;
	if ((modes & ADJ_ADJTIME) && !(modes & ADJ_SINGLESHOT))
		return -EINVAL;
	return (modes & ADJ_READ) == ADJ_READ && !(modes & ADJ_SETOFFSET) ? 0 : -EPERM;
}

/* Fills txc with what Linux says at boot. Returns the state of the clock, or an error. */
static int read_timex(struct __kernel_timex *txc)
{
	u64 ns = ktime_get_real();
	int err = check_modes(txc->modes);

	if (err)
		return err;
	txc->offset = txc->freq = 0;
	txc->maxerror = txc->esterror = MAX_ERROR;
	txc->status = STA_UNSYNC;
	txc->constant = 2;
	txc->precision = 1;
	txc->tolerance = MAX_FREQ;
	txc->time.tv_sec = (s64)(ns / NSEC_PER_SEC);
	txc->time.tv_usec = (s64)(ns % NSEC_PER_SEC / NSEC_PER_USEC);
	txc->tick = USER_TICK;
	txc->ppsfreq = txc->jitter = txc->stabil = 0;
	txc->jitcnt = txc->calcnt = txc->errcnt = txc->stbcnt = 0;
	txc->shift = txc->tai = 0;
	return TIME_ERROR;
}

/* Restricted: only reads; everything else is EPERM, as on Linux without CAP_SYS_TIME. */
SYSCALL_DEFINE1(adjtimex, struct __kernel_timex *, txc_p)
{
	struct __kernel_timex txc;
	int state;

	if (copy_from_user(&txc, txc_p, sizeof(txc)))
		return -EFAULT;
	state = read_timex(&txc);
	return copy_to_user(txc_p, &txc, sizeof(txc)) ? -EFAULT : state;
}

/* Restricted: as adjtimex. */
SYSCALL_DEFINE2(clock_adjtime, const clockid_t, which_clock, struct __kernel_timex *, utx)
{
	struct __kernel_timex txc;
	int state;
	u64 ns;

	if (copy_from_user(&txc, utx, sizeof(txc)))
		return -EFAULT;
	if (which_clock != CLOCK_REALTIME)
		return which_clock < 0 || !clock_now(which_clock, &ns) ? -EOPNOTSUPP : -EINVAL;
	state = read_timex(&txc);
	return state >= 0 && copy_to_user(utx, &txc, sizeof(txc)) ? -EFAULT : state;
}
