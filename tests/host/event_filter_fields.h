/*
 * An event with a field of each kind, for the tests of event filters. Includes the functions that
 * the compiler of filters calls.
 */
#pragma once

#include "host_kmalloc.h"
#include "kernel/kallsyms.h"
#include "trace/core/entries.h"
#include "trace/core/events.h"
#include "trace/events/fields.h"
#include "trace/events/filter.h"
#include "trace/events/filter_program.h"

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
	u32 text; /* __data_loc */
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
	FIELD("const char *", pointer, false),
	FIELD("unsigned long", ip, false),
	FIELD("unsigned long[2]", args, false),
	{ .name = NULL },
};

/* The fields of Linux's sched_switch, as far as a compiler needs them. */
static const struct trace_event_field sched_switch_fields[] = {
	{ "char[16]", "prev_comm", 8, 16, false, FILTER_OTHER, 0 },
	{ "pid_t", "prev_pid", 24, 4, true, FILTER_OTHER, 0 },
	{ "int", "prev_prio", 28, 4, true, FILTER_OTHER, 0 },
	{ "long", "prev_state", 32, 8, true, FILTER_OTHER, 0 },
	{ .name = NULL },
};

static const struct trace_event_field other_fields[] = {
	{ "int", "CPU", 0, 4, true, FILTER_CPU, 0 },
	{ "int", "cpu", 0, 4, true, FILTER_CPU, 0 },
	{ "int", "common_cpu", 0, 4, true, FILTER_CPU, 0 },
	{ "char *", "COMM", 0, 8, false, FILTER_COMM, 0 },
	{ "char *", "comm", 0, 8, false, FILTER_COMM, 0 },
	{ "unsigned long[]", "stacktrace", 0, 0, false, FILTER_STACKTRACE, 0 },
	{ "unsigned short", "common_type", 0, 2, false, FILTER_OTHER, 0 },
	{ "unsigned char", "common_flags", 2, 1, false, FILTER_OTHER, 0 },
	{ "unsigned char", "common_preempt_count", 3, 1, false, FILTER_OTHER, 0 },
	{ "int", "common_pid", 4, 4, true, FILTER_OTHER, 0 },
	{ .name = NULL },
};

struct trace_event_call {
	const struct trace_event_field *fields;
};
static const struct trace_event_call record_call __unused = { record_fields };
static const struct trace_event_call sched_switch_call __unused = { sched_switch_fields };

const struct trace_event_field *trace_find_event_field(const struct trace_event_call *call,
						       const char *name)
{
	const struct trace_event_field *lists[] = { call->fields, other_fields };

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		for (const struct trace_event_field *field = lists[i]; field->name; field++)
			if (strcmp(field->name, name) == 0)
				return field;
	return NULL;
}

enum trace_filter_type trace_field_filter_type(const struct trace_event_field *field)
{
	if (field->filter_type != FILTER_OTHER)
		return field->filter_type;
	if (strcmp(field->type, "__data_loc char[]") == 0)
		return FILTER_DYN_STRING;
	if (strncmp(field->type, "char[", 5) == 0)
		return FILTER_STATIC_STRING;
	return strstr(field->type, "char *") ? FILTER_PTR_STRING : FILTER_OTHER;
}

static const char *host_comm = "cat";
const char *current_comm(void)
{
	return host_comm;
}

/* One function: schedule, at 0x1000, 0x34 bytes long. */
#define SCHEDULE      0x1000UL
#define SCHEDULE_SIZE 0x34UL

unsigned long kallsyms_lookup_name(const char *name)
{
	return strcmp(name, "schedule") == 0 ? SCHEDULE : 0;
}

const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char namebuf[KSYM_NAME_LEN])
{
	if (address < SCHEDULE || address >= SCHEDULE + SCHEDULE_SIZE)
		return NULL;
	*size = SCHEDULE_SIZE;
	*offset = address - SCHEDULE;
	return strcpy(namebuf, "schedule");
}

void __noreturn report_bug(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}
