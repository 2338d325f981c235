/*
 * The file README of tracefs: a short description of each file. Programs and Linux's test-suite
 * search it for literal fragments to find out which features exist, so those are Linux's; the rest
 * is our own.
 *
 * It consists of paragraphs, which stand with what they describe: a feature that is not linked is
 * not described. The keys give the order: 1 is about the files of each trace, 2 about functions, 3
 * about dynamic events and their commands, 4 about CPUs and about all events.
 */
#pragma once

#include "kernel/linker_table.h"
#include "kernel/types.h"

struct trace_readme {
	const char *text;
	bool (*applies)(void); /* NULL: always. Task context */
};

/* TRACE_README(snapshot, "1b", "  snapshot\t- …\n"); */
#define TRACE_README(id, key, paragraph...)                                                        \
	static const struct trace_readme trace_readme_##id LINKER_TABLE_ENTRY(                     \
		rodata, trace_readme, key) = { .text = paragraph }
