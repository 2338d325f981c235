/* What the programs about adjtimex(2) share. The clock of the machine is as at boot when they end. */
#pragma once

#include "abi.h"
#include <sys/timex.h>

static inline long adjust(struct timex *t)
{
	return syscall(SYS_adjtimex, t);
}

/* All but the time, and maxerror, which grows, to 10 ms. */
__attribute__((unused)) static void show_timex(const char *name, long result, const struct timex *t)
{
	if (result < 0) {
		show("%s: %s", name, error_name(errno));
		return;
	}
	show("%s: state %ld, offset %ld, freq %ld, maxerror %ld, esterror %ld, status %#x, constant %ld, precision %ld, "
	     "tolerance %ld, tick %ld, tai %d",
	     name, result, t->offset, t->freq, t->maxerror / 10000 * 10000, t->esterror, (unsigned)t->status, t->constant,
	     t->precision, t->tolerance, t->tick, t->tai);
	if (t->ppsfreq || t->jitter || t->shift || t->stabil || t->jitcnt || t->calcnt || t->errcnt || t->stbcnt)
		show("%s: it knows pulses per second", name);
}

static inline void reset_clock(void)
{
	struct timex t = { .modes = ADJ_STATUS, .status = STA_PLL | STA_FREQHOLD };

	adjust(&t);
	t = (struct timex){ .modes = ADJ_NANO | ADJ_OFFSET | ADJ_FREQUENCY | ADJ_TIMECONST | ADJ_TICK, .tick = 10000, .constant = 2 };
	adjust(&t);
	t = (struct timex){ .modes = ADJ_STATUS | ADJ_MICRO | ADJ_TAI | ADJ_MAXERROR | ADJ_ESTERROR,
			    .status = STA_UNSYNC,
			    .maxerror = 16000000,
			    .esterror = 16000000 };
	adjust(&t);
	t = (struct timex){ .modes = ADJ_OFFSET_SINGLESHOT };
	adjust(&t);
}

static inline int64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) ? -1 : t.tv_sec * 1000000000LL + t.tv_nsec;
}
