/* The state that adjtimex(2) reads and sets. See ntp.h. */
#include "kernel/time/ntp.h"

#include "kernel/compiler.h"
#include "kernel/time/ktime.h"

#define SCALE          32                       /* s64 of ns in units of 2^-32 */
#define HZ             250                      /* Linux's tick: the unit of offset is ns a tick */
#define USER_TICK      10000                    /* us: the tick in the unit of programs */
#define FREQ_UNIT      (1000LL << (SCALE - 16)) /* a unit of freq: 2^-16 ppm, in ns/s */
#define MAX_FREQ       (500000LL << SCALE)      /* 500 ppm */
#define MAX_OFFSET     500000000LL              /* ns */
#define MAX_ERROR      16000000                 /* us */
#define ERROR_GROWTH   500                      /* us of maxerror in a second */
#define MAX_CONSTANT   10
#define MAX_TAI        100000
#define MAX_SINGLESHOT 500 /* us in a second */
#define PLL_SHIFT      2
#define FLL_SHIFT      2
#define MIN_FLL        256 /* s between offsets */
#define MAX_PLL        2048
#define DAY            86400
#define NEVER          INT64_MAX

/* All: [time_lock] */
static struct {
	s64 tick;          /* us */
	s64 freq;          /* ns/s, scaled */
	s64 offset;        /* ns a tick, scaled: the PLL's rest */
	s64 adjust;        /* us: the rest of an ADJ_SINGLESHOT */
	s64 chunk;         /* ns/s, scaled: what this second slews of both */
	int status, state; /* STA_*, TIME_* */
	s64 constant;      /* of the PLL */
	s64 reference;     /* s: when the last offset came */
	s64 maxerror, esterror;
	s64 error_at; /* s since boot: maxerror is of then */
	s64 leap;     /* the second before which one is inserted, or is left out */
} ntp = {
	.tick = USER_TICK,
	.status = STA_UNSYNC,
	.constant = 2,
	.maxerror = MAX_ERROR,
	.esterror = MAX_ERROR,
	.leap = NEVER,
};

/* Towards 0, unlike >>. */
static s64 shift_right(s64 x, unsigned bits)
{
	return x < 0 ? -(-x >> bits) : x >> bits;
}

static s64 clamp(s64 x, s64 low, s64 high)
{
	return x < low ? low : x > high ? high : x;
}

void ntp_clear(s64 uptime)
{
	ntp.adjust = 0;
	ntp.offset = 0;
	ntp.chunk = 0;
	ntp.status |= STA_UNSYNC;
	ntp.maxerror = MAX_ERROR;
	ntp.esterror = MAX_ERROR;
	ntp.error_at = uptime;
	ntp.leap = NEVER;
}

/* An unsynchronized clock gets worse. */
static void grow_error(s64 uptime)
{
	s64 growth = min(uptime - ntp.error_at, (s64)MAX_ERROR) * ERROR_GROWTH;

	ntp.error_at = uptime;
	if (growth && ntp.maxerror > MAX_ERROR - growth) {
		ntp.maxerror = MAX_ERROR;
		ntp.status |= STA_UNSYNC;
	} else {
		ntp.maxerror += growth;
	}
}

/* ---- each second ---- */

/* The state machine of leap seconds: insert at the end of the UTC day, or leave out. */
static int leap_second(s64 second)
{
	switch (ntp.state) {
	case TIME_OK:
		if (!(ntp.status & (STA_INS | STA_DEL)))
			break;
		ntp.state = ntp.status & STA_INS ? TIME_INS : TIME_DEL;
		ntp.leap = second - second % DAY + DAY - (ntp.state == TIME_DEL);
		break;
	case TIME_INS:
		if (!(ntp.status & STA_INS)) {
			ntp.state = TIME_OK;
		} else if (second == ntp.leap) {
			ntp.state = TIME_OOP;
			return -1;
		}
		break;
	case TIME_DEL:
		if (!(ntp.status & STA_DEL)) {
			ntp.state = TIME_OK;
		} else if (second == ntp.leap) {
			ntp.state = TIME_WAIT;
			return 1;
		}
		break;
	case TIME_OOP:
		ntp.leap = NEVER;
		ntp.state = TIME_WAIT;
		break;
	case TIME_WAIT:
		if (!(ntp.status & (STA_INS | STA_DEL)))
			ntp.state = TIME_OK;
		break;
	}
	return 0;
}

/* What this second slews of the PLL's offset: an exponential decay. */
static s64 offset_chunk(void)
{
	return shift_right(ntp.offset, PLL_SHIFT + (unsigned)ntp.constant);
}

int ntp_second(s64 second, u64 late)
{
	int leap = leap_second(second);
	/* The last second was longer, because the caller is late: it has slewed too much. */
	s64 over = ntp_slew(min(late, NSEC_PER_SEC), ntp.chunk / (s64)NSEC_PER_SEC);
	s64 chunk = offset_chunk(), us = clamp(ntp.adjust, -MAX_SINGLESHOT, MAX_SINGLESHOT);

	ntp.offset -= chunk;
	ntp.adjust -= us;
	ntp.chunk = chunk * HZ + (s64)((u64)(us * 1000 - over) << SCALE);
	return leap;
}

bool ntp_active(void)
{
	return ntp.chunk || offset_chunk() || ntp.adjust || ntp.state != TIME_OK ||
	       (ntp.status & (STA_INS | STA_DEL));
}

s64 ntp_rate(void)
{
	s64 by_tick = (ntp.tick - USER_TICK) * (s64)(NSEC_PER_SEC / USER_TICK) * (1LL << SCALE);

	return (by_tick + ntp.freq + ntp.chunk) / (s64)NSEC_PER_SEC;
}

/* ---- adjtimex(2) ---- */

static void set_status(int status, s64 now)
{
	if ((ntp.status & STA_PLL) && !(status & STA_PLL)) {
		ntp.state = TIME_OK;
		ntp.status = STA_UNSYNC | (ntp.status & STA_RONLY);
		ntp.leap = NEVER;
	}
	if (!(ntp.status & STA_PLL) && (status & STA_PLL))
		ntp.reference = now;
	ntp.status = (ntp.status & STA_RONLY) | (status & ~STA_RONLY);
}

/* Offsets that come seldom tell the frequency directly: a frequency-locked loop. */
static s64 frequency_by_fll(s64 offset, s64 seconds)
{
	ntp.status &= ~STA_MODE;
	if (seconds < MIN_FLL || (!(ntp.status & STA_FLL) && seconds <= MAX_PLL))
		return 0;
	ntp.status |= STA_MODE;
	return offset * (1LL << (SCALE - FLL_SHIFT)) / seconds;
}

static void set_offset(s64 offset, s64 now)
{
	s64 seconds = ntp.status & STA_FREQHOLD ? 0 : now - ntp.reference, freq;

	if (!(ntp.status & STA_PLL))
		return;
	if (!(ntp.status & STA_NANO))
		offset = clamp(offset, -MAX_OFFSET, MAX_OFFSET) * 1000;
	offset = clamp(offset, -MAX_OFFSET, MAX_OFFSET);
	ntp.reference = now;
	freq = frequency_by_fll(offset, seconds);
	seconds = clamp(seconds, 0, 1LL << (PLL_SHIFT + 1 + ntp.constant));
	freq += offset * seconds * (1LL << (SCALE - 2 * (PLL_SHIFT + 2 + ntp.constant)));
	ntp.freq = clamp(ntp.freq + freq, -MAX_FREQ, MAX_FREQ);
	ntp.offset = offset * (1LL << SCALE) / HZ;
}

static void set_modes(const struct __kernel_timex *txc, s64 now, int *tai)
{
	unsigned modes = txc->modes;

	if (modes & ADJ_STATUS)
		set_status(txc->status, now);
	if (modes & ADJ_NANO)
		ntp.status |= STA_NANO;
	if (modes & ADJ_MICRO)
		ntp.status &= ~STA_NANO;
	if (modes & ADJ_FREQUENCY)
		ntp.freq = clamp(txc->freq * FREQ_UNIT, -MAX_FREQ, MAX_FREQ);
	if (modes & ADJ_MAXERROR)
		ntp.maxerror = txc->maxerror;
	if (modes & ADJ_ESTERROR)
		ntp.esterror = txc->esterror;
	if (modes & ADJ_TIMECONST)
		ntp.constant =
			min(clamp(txc->constant, 0, MAX_CONSTANT) + (ntp.status & STA_NANO ? 0 : 4),
			    (s64)MAX_CONSTANT);
	if ((modes & ADJ_TAI) && txc->constant >= 0 && txc->constant <= MAX_TAI)
		*tai = (int)txc->constant;
	if (modes & ADJ_OFFSET)
		set_offset(txc->offset, now);
	if (modes & ADJ_TICK)
		ntp.tick = txc->tick;
}

/* The rest of the offset in the unit of the program. */
static s64 offset_left(void)
{
	s64 ns = shift_right(ntp.offset * HZ, SCALE);

	return ntp.status & STA_NANO ? ns : ns / 1000;
}

int ntp_adjust(struct __kernel_timex *txc, s64 now, s64 uptime, int *tai)
{
	grow_error(uptime);
	if (txc->modes & ADJ_ADJTIME) {
		s64 rest = ntp.adjust;

		if (!(txc->modes & ADJ_OFFSET_READONLY))
			ntp.adjust = txc->offset;
		txc->offset = rest;
	} else {
		set_modes(txc, now, tai);
		txc->offset = offset_left();
	}
	txc->freq = ntp.freq / FREQ_UNIT;
	txc->maxerror = ntp.maxerror;
	txc->esterror = ntp.esterror;
	txc->status = ntp.status;
	txc->constant = ntp.constant;
	txc->precision = 1;
	txc->tolerance = MAX_FREQ / FREQ_UNIT;
	txc->tick = ntp.tick;
	txc->tai = *tai;
	txc->ppsfreq = txc->jitter = txc->stabil = 0; /* no pulses per second */
	txc->jitcnt = txc->calcnt = txc->errcnt = txc->stbcnt = 0;
	txc->shift = 0;
	return ntp.status & (STA_UNSYNC | STA_CLOCKERR) ? TIME_ERROR : ntp.state;
}
