/* clock_adjtime(2): which clocks can be adjusted, and its errors. */
#include "timex.h"

int main(void)
{
	struct timex t;

	reset_clock();
	for (int clock = -3; clock < 14; clock++) {
		t = (struct timex){ .modes = ADJ_TICK, .tick = 1 };
		show("clock %d: %s", clock, syscall(SYS_clock_adjtime, clock, &t) < 0 ? error_name(errno) : "adjusted");
	}
	t = (struct timex){ .modes = ADJ_TAI, .constant = 10 };
	show_timex("real", syscall(SYS_clock_adjtime, CLOCK_REALTIME, &t), &t);
	CALL(syscall(SYS_clock_adjtime, CLOCK_REALTIME, 8));
	CALL(syscall(SYS_clock_adjtime, CLOCK_MONOTONIC, 8));
	CALL(syscall(SYS_clock_adjtime, 99, 8));
	t = (struct timex){ .modes = ADJ_TICK, .tick = 1, .status = 1234 };
	CALL(adjust(&t));
	show("a refused call leaves status: %d", t.status);
	reset_clock();
	return 0;
}
