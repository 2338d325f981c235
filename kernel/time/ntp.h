/*
 * What adjtimex(2) says and sets: the rate of the time of day, offsets that are slewed, leap
 * seconds. The model is that of David Mills (RFC 5905, RFC 1589) with Linux's limits.
 *
 * Pure state: the caller holds time_lock (timekeeping.c), which protects it.
 */
#pragma once

#include "kernel/types.h"

#define ADJ_OFFSET          0x0001
#define ADJ_FREQUENCY       0x0002
#define ADJ_MAXERROR        0x0004
#define ADJ_ESTERROR        0x0008
#define ADJ_STATUS          0x0010
#define ADJ_TIMECONST       0x0020
#define ADJ_TAI             0x0080
#define ADJ_SETOFFSET       0x0100
#define ADJ_MICRO           0x1000
#define ADJ_NANO            0x2000
#define ADJ_TICK            0x4000
#define ADJ_ADJTIME         0x8000 /* as adjtime(3); with the next two */
#define ADJ_SINGLESHOT      0x0001
#define ADJ_OFFSET_READONLY 0x2000

#define STA_PLL      0x0001
#define STA_FLL      0x0008
#define STA_INS      0x0010
#define STA_DEL      0x0020
#define STA_UNSYNC   0x0040
#define STA_FREQHOLD 0x0080
#define STA_CLOCKERR 0x1000
#define STA_NANO     0x2000
#define STA_MODE     0x4000
#define STA_RONLY    0xff00

#define TIME_OK    0 /* states, and results of adjtimex(2) */
#define TIME_INS   1
#define TIME_DEL   2
#define TIME_OOP   3
#define TIME_WAIT  4
#define TIME_ERROR 5

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

/* The product of a time in ns and a rate in units of 2^-32. */
static inline s64 ntp_slew(u64 ns, s64 rate)
{
	return (s64)(((__int128)ns * rate) >> 32);
}

/*
 * Sets what txc->modes asks for, except ADJ_SETOFFSET, and fills txc but for the time. now: the
 * time of day in s; uptime: the time since boot in s. *tai: the TAI offset. The caller has checked
 * txc. Returns TIME_*.
 */
int ntp_adjust(struct __kernel_timex *txc, s64 now, s64 uptime, int *tai);
/* The clock was set: ends all slewing. uptime in s. */
void ntp_clear(s64 uptime);
/*
 * A second of the time of day begins. late: how many ns ago. Returns by how many seconds the time
 * of day jumps: -1 or 1 for a leap second, 0.
 */
int ntp_second(s64 second, u64 late);
/* By which rate the time of day gains on ktime, in units of 2^-32. */
s64 ntp_rate(void);
/* Whether ntp_second() has something to do. */
bool ntp_active(void);
