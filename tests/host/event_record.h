/*
 * An event with a field of each kind, and records of it, for the host tests and the fuzzers of
 * filters and of histograms.
 */
#pragma once

#include <stddef.h>

#include "trace/core/entries.h"
#include "trace/events/event.h"

#define RECORD_NAME    16
#define RECORD_DYNAMIC 32

struct record {
	struct trace_entry ent;
	u8 u8;
	s8 s8;
	u16 u16;
	s16 s16;
	u32 u32;
	s32 s32;
	u64 u64;
	s64 s64;
	char name[RECORD_NAME];
	u32 text;     /* __data_loc */
	u32 relative; /* __rel_loc */
	const char *pointer;
	unsigned long ip;
	unsigned long args[2];
	char dynamic[RECORD_DYNAMIC];
};

#define FIELD(type_, member, sign)                                                                 \
	{                                                                                          \
		type_, #member, offsetof(struct record, member),                                   \
			sizeof(((struct record *)0)->member), sign, FILTER_OTHER, 0                \
	}
static const struct trace_event_field record_fields[] = {
	FIELD("u8", u8, false),
	FIELD("s8", s8, true),
	FIELD("u16", u16, false),
	FIELD("s16", s16, true),
	FIELD("u32", u32, false),
	FIELD("s32", s32, true),
	FIELD("u64", u64, false),
	FIELD("s64", s64, true),
	FIELD("char[16]", name, true),
	FIELD("__data_loc char[]", text, true),
	FIELD("__rel_loc char[]", relative, true),
	FIELD("const char *", pointer, false),
	FIELD("unsigned long", ip, false),
	FIELD("unsigned long[2]", args, false),
	{ .name = NULL },
};
static struct trace_event_call record_call = { .event.fields = record_fields };

/* The start of an initializer: a record with numbers near the limits of their types. */
#define RECORD_NUMBERS                                                                             \
	.ent = { .type = 77, .flags = 1, .preempt_count = 5, .pid = 42 }, .u8 = 200, .s8 = -3,     \
	.u16 = 60000, .s16 = -300, .u32 = 4000000000U, .s32 = -70000, .u64 = 1ULL << 63 | 5,       \
	.s64 = -(1LL << 40)

/* ---- random numbers, the same in each run ---- */

static u64 random_state = 88172645463325252ULL;

static inline unsigned random_below(unsigned n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)(random_state >> 20) % n;
}

/* Fills the numbers of the record. The lowest and the highest number are frequent. */
static inline void random_numbers(struct record *record)
{
	for (size_t i = offsetof(struct record, u8); i < offsetof(struct record, name); i++)
		((u8 *)record)[i] = (u8)(random_below(3)   ? random_below(256)
					 : random_below(2) ? 0
							   : 255);
}
