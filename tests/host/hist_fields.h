/*
 * An event with numbers, and what the parser of expressions calls, for its host test and its
 * fuzzer. Each of the variables $v, $w and $x is one of another histogram.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fs/seq_file.h"
#include "tests/host/host_kmalloc.h"
#include "kernel/errno.h"
#include "trace/core/entries.h"
#include "trace/events/event.h"
#include "trace/events/hist.h"
#include "trace/events/hist_eval.h"

struct numbers {
	struct trace_entry ent;
	u8 u8;
	s8 s8;
	u16 u16;
	s16 s16;
	u32 u32;
	s32 s32;
	u64 u64;
	s64 s64;
	char name[16];
};

#define FIELD(type_, member, sign)                                                                 \
	{                                                                                          \
		type_, #member, offsetof(struct numbers, member),                                  \
			sizeof(((struct numbers *)0)->member), sign, FILTER_OTHER, 0               \
	}
static const struct trace_event_field number_fields[] = {
	FIELD("u8", u8, false),
	FIELD("s8", s8, true),
	FIELD("u16", u16, false),
	FIELD("s16", s16, true),
	FIELD("u32", u32, false),
	FIELD("s32", s32, true),
	FIELD("u64", u64, false),
	FIELD("s64", s64, true),
	FIELD("char[16]", name, false),
	{ .name = NULL },
};
static struct trace_event_call number_call = { .event.fields = number_fields };
static struct trace_event_file number_file = { .call = &number_call };

static const char variable_names[] = "vwx";
static int last_error; /* enum hist_error; -1: none */

void hist_err(struct trace_array *tr, enum hist_error error, const char *at)
{
	(void)tr;
	(void)at;
	last_error = (int)error;
}

struct hist_field *hist_parse_var_ref(struct hist_trigger_data *h, const char *text)
{
	const char *name = text[0] == '$' && text[1] ? strchr(variable_names, text[1]) : NULL;
	struct hist_field *f;

	(void)h;
	if (!name || text[2])
		return NULL;
	f = hist_field_alloc(HIST_FIELD_VAR_REF);
	if (!f)
		return ERR_PTR(-ENOMEM);
	f->fn = HIST_FN_VAR_REF;
	f->ref_index = (u16)(name - variable_names);
	f->ref_text = __kmalloc(3, 0);
	if (f->ref_text)
		strcpy(f->ref_text, text);
	return f;
}

char *kstrdup(const char *s, gfp_t gfp)
{
	char *copy = __kmalloc(strlen(s) + 1, gfp);

	return copy ? strcpy(copy, s) : NULL;
}

/* What hist_field_puts() prints. */
static char printed[1024];

void seq_printf(struct seq_file *m, const char *format, ...)
{
	size_t length = strlen(printed);
	va_list args;

	(void)m;
	va_start(args, format);
	vsnprintf(printed + length, sizeof(printed) - length, format, args);
	va_end(args);
}

void seq_puts(struct seq_file *m, const char *s)
{
	seq_printf(m, "%s", s);
}

void seq_putc(struct seq_file *m, char c)
{
	seq_printf(m, "%c", c);
}

/* Parses a copy of the text, which the parser changes, in memory that ASan guards. */
static struct hist_field *parse_copy(const char *text)
{
	struct hist_trigger_data h = { .n_definitions = 0 };
	char *copy = strdup(text);
	struct hist_field *f;

	last_error = -1;
	f = hist_parse_expr(&h, &number_file, copy, 0);
	free(copy);
	return f;
}
