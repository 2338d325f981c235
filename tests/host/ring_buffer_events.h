/*
 * The ring buffer on the host, with numbered events: a writer can be interrupted by other writers, and
 * a reader checks that each event is whole and in order. A test program includes this file once.
 */
#pragma once

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernel/errno.h"
#include "trace/ring_buffer/write.h"

__thread unsigned rb_host_cpu, rb_host_reads;
__thread bool rb_host_irqs_off;

struct payload {
	u32 level; /* the writer */
	u32 words; /* how many follow */
	u64 number; /* of this level on this CPU, from 0 */
	u64 check;
	u32 filler[48];
};

/*
 * A writer, and the code that interrupts it: signal handlers at any instruction, and the clock,
 * which the writer reads before it claims room. (TSan delivers signals only at some places, and
 * loses most of many signals.)
 */
enum { THREAD, HANDLER1, HANDLER2, CLOCK_IN_THREAD, CLOCK_IN_CLOCK, LEVELS };
static __thread unsigned running; /* the current level */

static struct trace_buffer *buffer;
static u64 written[RB_HOST_CPUS][LEVELS]; /* numbers given; refused events give theirs back */
static u64 refused[RB_HOST_CPUS][LEVELS];

static u64 checksum(const struct payload *p)
{
	u64 sum = p->level * 0x9e3779b97f4a7c15ULL + p->number * 31 + p->words;

	for (u32 i = 0; i < p->words; i++)
		sum = sum * 131 + p->filler[i];
	return sum;
}

/*
 * Reserves as events do, which try the usual case first (trace/events/record.c). *end: 0 if it is
 * not that.
 */
static struct ring_buffer_event *reserve_quick(size_t length, u64 *end)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[rb_host_cpu];
	struct ring_buffer_event *event;

	*end = 0;
	if (!rb_begin_write(buffer, cb))
		return NULL;
	event = rb_reserve_quick(cb, rb_data_size(length), false, 0, end);
	return event ? event : rb_reserve_begun(buffer, cb, rb_data_size(length), false, 0);
}

static void commit_quick(u64 end)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[rb_host_cpu];

	local_add(&cb->written, 1);
	if (!end)
		rb_end_write(cb);
	else if (rb_end_write_quick(cb, end))
		rb_wake_waiting(cb);
	else
		rb_end_quick(cb);
}

static void write_event(unsigned level)
{
	unsigned interrupted = running;
	u64 number = written[rb_host_cpu][level];
	struct payload p = { .level = level, .number = number, .words = (u32)(number * 7 % 47) };
	size_t length = offsetof(struct payload, filler) + p.words * 4;
	bool quick = number % 4 != 0 && rb_data_size(length) <= RB_SHORT_SIZE;
	struct ring_buffer_event *event;
	u64 end;

	running = level;
	event = quick ? reserve_quick(length, &end) : ring_buffer_lock_reserve(buffer, length);
	if (!event) {
		refused[rb_host_cpu][level]++;
		running = interrupted;
		return;
	}
	for (u32 i = 0; i < p.words; i++)
		p.filler[i] = (u32)number * 2654435761U + i;
	p.check = checksum(&p);
	memcpy(ring_buffer_event_data(event), &p, length);
	written[rb_host_cpu][level]++;
	if (quick)
		commit_quick(end);
	else
		ring_buffer_unlock_commit(buffer);
	running = interrupted;
}

struct tally {
	u64 next[LEVELS]; /* number expected of each level */
	u64 gaps;	  /* numbers that never came */
	u64 lost;	  /* reported by the buffer */
	u64 read;
	u64 stamp;
};

static void check_payload(struct tally *t, const struct payload *p, long length, u64 ts, u64 lost)
{
	assert_true(p->level < LEVELS);
	assert_int_equal(length, ALIGN(offsetof(struct payload, filler) + p->words * 4, 4));
	assert_true(p->check == checksum(p));
	assert_true(p->number >= t->next[p->level]);
	assert_true(ts >= t->stamp);
	t->gaps += p->number - t->next[p->level];
	t->next[p->level] = p->number + 1;
	t->lost += lost;
	t->stamp = ts;
	t->read++;
}

static bool consume_one(unsigned cpu, struct tally *t)
{
	struct payload p;
	u64 ts, lost;
	long length = ring_buffer_consume(buffer, cpu, &p, sizeof(p), &ts, &lost);

	if (length < 0)
		return false;
	check_payload(t, &p, length, ts, lost);
	return true;
}
