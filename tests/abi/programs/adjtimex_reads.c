/* adjtimex(2) and clock_adjtime(2) by a user who may not adjust the clock: what they read, and refuse. */
#include "abi.h"
#include <sys/timex.h>

#define SHOT 0x8000 /* ADJ_OFFSET_SINGLESHOT and ADJ_OFFSET_SS_READ have this bit */

static long adjust(struct timex *t)
{
	return syscall(SYS_adjtimex, t);
}

/* All but the time. */
static void show_timex(const char *name, long result, const struct timex *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	show("%s: state %ld, offset %ld, freq %ld, maxerror %ld, esterror %ld, status %#x, constant %ld, precision %ld, "
	     "tolerance %ld, tick %ld, tai %d, time: %s",
	     name, result, t->offset, t->freq, t->maxerror, t->esterror, (unsigned)t->status, t->constant, t->precision, t->tolerance,
	     t->tick, t->tai, now.tv_sec - t->time.tv_sec <= 10 && t->time.tv_usec < 1000000 ? "right" : "wrong");
	if (t->ppsfreq || t->jitter || t->shift || t->stabil || t->jitcnt || t->calcnt || t->errcnt || t->stbcnt)
		show("%s: it knows pulses per second", name);
}

static void try(const char *name, unsigned modes)
{
	struct timex t;
	long result;

	memset(&t, 1, sizeof(t));
	t.modes = modes;
	result = adjust(&t);
	if (result < 0)
		show("%s: %s, status %#x", name, error_name(errno), (unsigned)t.status);
	else
		show_timex(name, result, &t);
}
#define TRY(modes) try(#modes, modes)

static void nobody(void)
{
	struct timex t;

	setuid(65534);
	TRY(0);
	TRY(ADJ_OFFSET_SS_READ);
	TRY(ADJ_OFFSET_SS_READ | ADJ_MICRO);
	TRY(ADJ_OFFSET_SS_READ | ADJ_SETOFFSET);
	TRY(ADJ_OFFSET_SINGLESHOT);
	TRY(SHOT);
	TRY(SHOT | ADJ_NANO);
	TRY(ADJ_OFFSET);
	TRY(ADJ_FREQUENCY);
	TRY(ADJ_STATUS);
	TRY(ADJ_TICK);
	TRY(ADJ_TAI);
	TRY(ADJ_SETOFFSET);
	TRY(ADJ_NANO);
	TRY(0x10000);
	for (int clock = -3; clock < 14; clock++) {
		t = (struct timex){ .modes = 0 };
		show("clock %d: %s", clock, syscall(SYS_clock_adjtime, clock, &t) < 0 ? error_name(errno) : "read");
	}
	show_timex("real", syscall(SYS_clock_adjtime, CLOCK_REALTIME, &t), &t);
	t = (struct timex){ .modes = ADJ_TICK };
	CALL(syscall(SYS_clock_adjtime, CLOCK_REALTIME, &t));
	CALL(syscall(SYS_clock_adjtime, CLOCK_REALTIME, 8));
	CALL(syscall(SYS_clock_adjtime, CLOCK_MONOTONIC, 8));
	CALL(syscall(SYS_clock_adjtime, 99, 8));
	CALL(syscall(SYS_adjtimex, 8));
	CALL(syscall(SYS_adjtimex, NULL));
}

int main(void)
{
	CHILD(nobody);
	return 0;
}
