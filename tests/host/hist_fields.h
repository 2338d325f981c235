/*
 * What the parser of a histogram's expressions calls, for its host test and its fuzzer. The
 * variables $v, $w and $x are those of another histogram.
 */
#pragma once

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "tests/host/event_record.h"
#include "tests/host/host_kmalloc.h"
#include "trace/hist/hist.h"
#include "trace/hist/eval.h"

static struct trace_event_file record_file = { .call = &record_call };

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
	f = hist_parse_expr(&h, &record_file, copy, 0);
	free(copy);
	return f;
}
