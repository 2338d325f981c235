/* The clock that runs while the machine is off: the real-time clock in the CMOS (MC146818). */
#include "arch/cpu/io.h"
#include "kernel/sched/mutex.h"
#include "kernel/time/timekeeping.h"

#define CMOS_ADDRESS 0x70
#define CMOS_DATA    0x71

#define RTC_SECONDS  0
#define RTC_MINUTES  2
#define RTC_HOURS    4
#define RTC_DAY      7
#define RTC_MONTH    8
#define RTC_YEAR     9
#define RTC_STATUS_A 10
#define RTC_STATUS_B 11

#define RTC_UPDATING 0x80 /* status A: the fields change now */
#define RTC_BINARY   0x04 /* status B: numbers are binary, not BCD */
#define RTC_24_HOURS 0x02
#define RTC_PM       0x80 /* in the hours, when they are 1 to 12 */

/*
 * Each access is two: of the address, then of the data. Task context, and the boot. A mutex: an
 * update of the chip may last 2 ms.
 */
static DEFINE_MUTEX(rtc_lock);

/* The fields, as the chip has them. */
struct rtc_fields {
	u8 seconds, minutes, hours, day, month, year;
};

static u8 cmos_read(u8 address)
{
	outb(CMOS_ADDRESS, address);
	return inb(CMOS_DATA);
}

static struct rtc_fields read_fields(void)
{
	return (struct rtc_fields){
		.seconds = cmos_read(RTC_SECONDS),
		.minutes = cmos_read(RTC_MINUTES),
		.hours = cmos_read(RTC_HOURS),
		.day = cmos_read(RTC_DAY),
		.month = cmos_read(RTC_MONTH),
		.year = cmos_read(RTC_YEAR),
	};
}

static unsigned number(u8 field, u8 status_b)
{
	return status_b & RTC_BINARY ? field : (field >> 4) * 10U + (field & 15);
}

static u64 read_clock(void)
{
	struct rtc_fields f, again = read_fields();
	u8 status_b = cmos_read(RTC_STATUS_B);
	unsigned hours;

	/* Two equal readings outside an update belong to one second. */
	do {
		f = again;
		while (cmos_read(RTC_STATUS_A) & RTC_UPDATING)
			;
		again = read_fields();
	} while (f.seconds != again.seconds || f.minutes != again.minutes ||
		 f.hours != again.hours || f.day != again.day || f.month != again.month ||
		 f.year != again.year);
	hours = number(f.hours & (u8)~RTC_PM, status_b);
	if (!(status_b & RTC_24_HOURS))
		hours = hours % 12 + (f.hours & RTC_PM ? 12 : 0);
	return seconds_since_1970(2000 + number(f.year, status_b), number(f.month, status_b),
				  number(f.day, status_b), hours, number(f.minutes, status_b),
				  number(f.seconds, status_b));
}

u64 arch_read_wall_clock(void)
{
	u64 seconds;

	mutex_lock(&rtc_lock);
	seconds = read_clock();
	mutex_unlock(&rtc_lock);
	return seconds;
}
