/* adjtimex(2): what it reads and sets, its errors, and who may call it. The clock keeps its rate. */
#include "timex.h"

static void nobody(void)
{
	struct timex t = { .modes = 0 };

	setuid(65534);
	show_timex("read", adjust(&t), &t);
	t = (struct timex){ .modes = ADJ_OFFSET_SS_READ };
	show_timex("read single shot", adjust(&t), &t);
	t = (struct timex){ .modes = ADJ_FREQUENCY };
	CALL(adjust(&t));
	t = (struct timex){ .modes = ADJ_OFFSET_SINGLESHOT };
	CALL(adjust(&t));
	t = (struct timex){ .modes = ADJ_TICK, .tick = 1 };
	CALL(adjust(&t));
	t = (struct timex){ .modes = 0x8000 };
	CALL(adjust(&t));
	t = (struct timex){ .modes = ADJ_SETOFFSET };
	CALL(adjust(&t));
}

static void set(const char *name, struct timex t)
{
	show_timex(name, adjust(&t), &t);
}
/* Waits until half a second is left of this one. When it is over, the kernel changes offsets and states. */
static void early_in_a_second(void)
{
	while (clock_ns(CLOCK_REALTIME) % 1000000000 > 500000000)
		usleep(1000);
}

#define SET(...) set(#__VA_ARGS__, (struct timex){ __VA_ARGS__ })

int main(void)
{
	reset_clock();
	SET(.modes = 0);
	SET(.modes = ADJ_TICK, .tick = 8999);
	SET(.modes = ADJ_TICK, .tick = 11001);
	SET(.modes = ADJ_TICK, .tick = 10001);
	SET(.modes = ADJ_TICK, .tick = 10000);
	SET(.modes = ADJ_FREQUENCY, .freq = 12345);
	SET(.modes = ADJ_FREQUENCY, .freq = -65537);
	SET(.modes = ADJ_FREQUENCY, .freq = 32768001);
	SET(.modes = ADJ_FREQUENCY, .freq = -99999999);
	SET(.modes = ADJ_FREQUENCY, .freq = 0x7fffffffffffffff);
	SET(.modes = ADJ_FREQUENCY, .freq = -0x7fffffffffffffff);
	SET(.modes = ADJ_FREQUENCY, .freq = 0);
	SET(.modes = ADJ_MAXERROR | ADJ_ESTERROR, .maxerror = 1000000, .esterror = 77);
	SET(.modes = ADJ_ESTERROR, .esterror = 16000000);
	SET(.modes = ADJ_MAXERROR, .maxerror = 16000000);
	SET(.modes = ADJ_TIMECONST, .constant = 3);
	SET(.modes = ADJ_TIMECONST, .constant = 9);
	SET(.modes = ADJ_TIMECONST | ADJ_NANO, .constant = 3);
	SET(.modes = ADJ_TIMECONST, .constant = -3);
	SET(.modes = ADJ_TIMECONST | ADJ_MICRO, .constant = -6);
	/* At the end of a second, 16 s would set STA_UNSYNC again. */
	SET(.modes = ADJ_MAXERROR, .maxerror = 1000000);
	SET(.modes = ADJ_STATUS, .status = 0);
	SET(.modes = ADJ_STATUS, .status = STA_PLL | STA_FREQHOLD);
	SET(.modes = ADJ_STATUS, .status = STA_PLL | STA_CLOCKERR | STA_NANO | STA_MODE | STA_CLK | 0x1f00);
	early_in_a_second();
	SET(.modes = ADJ_STATUS, .status = STA_INS | STA_DEL | STA_FLL | STA_PPSFREQ | STA_PPSTIME);
	SET(.modes = ADJ_STATUS, .status = STA_UNSYNC);
	SET(.modes = ADJ_OFFSET, .offset = 5000);
	SET(.modes = ADJ_STATUS | ADJ_OFFSET | ADJ_TIMECONST, .status = STA_PLL | STA_FREQHOLD, .constant = 6, .offset = 5000);
	SET(.modes = ADJ_OFFSET, .offset = -5000);
	SET(.modes = ADJ_OFFSET, .offset = 700000);
	SET(.modes = ADJ_OFFSET | ADJ_NANO, .offset = -1234567);
	SET(.modes = ADJ_OFFSET, .offset = 600000000);
	SET(.modes = ADJ_OFFSET, .offset = 0);
	SET(.modes = ADJ_MICRO);
	SET(.modes = ADJ_STATUS, .status = STA_UNSYNC);
	SET(.modes = ADJ_OFFSET_SS_READ);
	early_in_a_second();
	SET(.modes = ADJ_OFFSET_SINGLESHOT, .offset = 100000000);
	SET(.modes = ADJ_OFFSET_SINGLESHOT, .offset = 0);
	SET(.modes = ADJ_OFFSET_SS_READ);
	SET(.modes = 0x8000);
	SET(.modes = 0x10000);
	SET(.modes = ADJ_TAI, .constant = 37);
	SET(.modes = ADJ_TAI, .constant = 100000);
	SET(.modes = ADJ_TAI, .constant = 100001);
	SET(.modes = ADJ_TAI, .constant = -1);
	SET(.modes = ADJ_TAI, .constant = 0);
	SET(.modes = ADJ_SETOFFSET, .time = { 0, -1 });
	SET(.modes = ADJ_SETOFFSET, .time = { 0, 1000000 });
	SET(.modes = ADJ_SETOFFSET | ADJ_NANO, .time = { 0, 1000000000 });
	SET(.modes = ADJ_SETOFFSET, .time = { -10000000000, 0 });
	SET(.modes = ADJ_SETOFFSET, .time = { 10000000000, 0 });
	CALL(syscall(SYS_adjtimex, 8));
	CALL(syscall(SYS_adjtimex, NULL));
	CHILD(nobody);
	reset_clock();
	return 0;
}
