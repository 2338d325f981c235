/* adjtimex(2): the clock really runs at the rate that was set, keeps it in all ways to read it, and slews offsets. */
#include "timex.h"

static int64_t by_system_call(clockid_t clock)
{
	struct timespec t;

	return syscall(SYS_clock_gettime, clock, &t) ? -1 : t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The time of day and a clock without adjustment at the same time, as well as they can be read. */
struct reading {
	int64_t raw, real;
};

static struct reading both(void)
{
	struct reading best = { 0, 0 };
	int64_t gap = INT64_MAX;

	for (int i = 0; i < 20; i++) {
		int64_t before = clock_ns(CLOCK_MONOTONIC_RAW), real = clock_ns(CLOCK_REALTIME);
		int64_t after = clock_ns(CLOCK_MONOTONIC_RAW);

		if (after - before < gap) {
			gap = after - before;
			best = (struct reading){ before + gap / 2, real };
		}
	}
	return best;
}

/* ns by which the time of day has gained from then to now. */
static int64_t gained(struct reading then, struct reading now)
{
	return now.real - then.real - (now.raw - then.raw);
}

/* The same in millionths, in 200 ms. */
static long gain(void)
{
	struct reading then = both(), now;

	usleep(200000);
	now = both();
	return (long)(gained(then, now) * 1000000 / (now.raw - then.raw));
}

static void rate(const char *name, struct timex t, long expected, long slack)
{
	long ppm;

	adjust(&t);
	usleep(20000);
	ppm = gain();
	show("%s: gains %ld ppm: %s", name, expected, ppm > expected - slack && ppm < expected + slack ? "yes" : "no");
}

/* The ways to read the time of day agree, and it does not go back. */
static void readings(const char *name)
{
	int64_t last = clock_ns(CLOCK_REALTIME), now;
	int backwards = 0;
	struct timeval tv;

	for (int i = 0; i < 3000; i++) {
		now = i % 3 ? clock_ns(CLOCK_REALTIME) : by_system_call(CLOCK_REALTIME);
		backwards += now < last;
		last = now;
	}
	gettimeofday(&tv, NULL);
	now = tv.tv_sec * 1000000000LL + tv.tv_usec * 1000LL;
	show("%s: backwards %d, gettimeofday agrees: %s, time agrees: %s", name, backwards,
	     now >= last / 1000 * 1000 && now < last + 10000000000 ? "yes" : "no", time(NULL) - tv.tv_sec <= 10 ? "yes" : "no");
}

/* A timer at a time of day is not early on a clock that is slow or fast. */
static void sleeps(const char *name)
{
	int64_t end = clock_ns(CLOCK_REALTIME) + 100000000;
	struct timespec t = { end / 1000000000, end % 1000000000 };

	clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &t, NULL);
	end = clock_ns(CLOCK_REALTIME) - end;
	show("%s: woken in time: %s", name, end >= 0 && end < 5000000000 ? "yes" : "no");
}

/* A slew of 500 us a second; it may begin with the next second. */
static void slew(long offset)
{
	struct timex t = { .modes = ADJ_OFFSET_SINGLESHOT, .offset = offset };
	struct reading then, now;
	long moved, about;

	adjust(&t);
	then = both();
	sleep(2);
	now = both();
	moved = (long)(gained(then, now) / 1000);
	about = (long)((now.raw - then.raw) / -2000000);
	t = (struct timex){ .modes = ADJ_OFFSET_SS_READ };
	adjust(&t);
	show("slewed for 2 s: about -1000 us: %s, the rest is right: %s", moved < -470 && moved > about - 530 ? "yes" : "no",
	     labs(offset - t.offset - moved) <= 600 ? "yes" : "no");
}

int main(void)
{
	struct timex t;
	int64_t tai, real;

	reset_clock();
	rate("as it is", (struct timex){ .modes = 0 }, 0, 200);
	rate("tick 11000", (struct timex){ .modes = ADJ_TICK, .tick = 11000 }, 100000, 2000);
	readings("fast");
	sleeps("fast");
	rate("tick 9000", (struct timex){ .modes = ADJ_TICK, .tick = 9000 }, -100000, 2000);
	readings("slow");
	sleeps("slow");
	rate("frequency", (struct timex){ .modes = ADJ_TICK | ADJ_FREQUENCY, .tick = 10000, .freq = 32768000 }, 500, 200);
	reset_clock();
	slew(-100000);
	reset_clock();

	t = (struct timex){ .modes = ADJ_TAI, .constant = 37 };
	adjust(&t);
	real = clock_ns(CLOCK_REALTIME);
	tai = clock_ns(CLOCK_TAI) - real;
	show("TAI is ahead by %ld s", (long)(tai / 1000000000));
	tai = by_system_call(CLOCK_TAI) - clock_ns(CLOCK_REALTIME);
	TRUTH(tai > 36900000000 && tai < 38000000000);
	reset_clock();

	real = clock_ns(CLOCK_REALTIME);
	t = (struct timex){ .modes = ADJ_SETOFFSET, .time = { 1000, 500000 } };
	CALL(adjust(&t));
	real = clock_ns(CLOCK_REALTIME) - real;
	TRUTH(real > 1000000500000 && real < 1010000000000);
	real = clock_ns(CLOCK_REALTIME);
	t = (struct timex){ .modes = ADJ_SETOFFSET | ADJ_NANO, .time = { -1001, 500000000 } };
	CALL(adjust(&t));
	real = clock_ns(CLOCK_REALTIME) - real;
	TRUTH(real > -1000500000000 && real < -990000000000);
	TRUTH(time(NULL) - t.time.tv_sec >= 0 && time(NULL) - t.time.tv_sec < 10);
	reset_clock();
	return 0;
}
