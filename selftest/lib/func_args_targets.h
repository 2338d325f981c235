/* Functions with arguments of all kinds. They do nothing, and may be traced. */
#pragma once

#include "kernel/compiler.h"
#include "kernel/types.h"

enum func_args_color { FUNC_ARGS_RED, FUNC_ARGS_BLUE = 7 };
struct func_args_pair {
	long first;
	int second;
};
struct func_args_triple {
	long values[3];
};

/* Fields of all kinds. */
struct func_args_item {
	struct {
		const struct func_args_item *next;
	} link;
	unsigned low : 3, high : 5;
	union {
		const char *name;
		unsigned long number;
	};
	char text[8];
	short minus;
};

void func_args_item(const struct func_args_item *item);
void func_args_kinds(int number, unsigned flags, char letter, bool on, enum func_args_color color,
		     const char *name);
void func_args_structures(struct func_args_pair pair, struct func_args_triple triple, long last);
void func_args_eight(long a, long b, long c, long d, long e, long f, long g, long h);
void func_args_more(const char *fmt, ...);
void func_args_none(void);
