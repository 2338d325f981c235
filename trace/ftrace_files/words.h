/*
 * What is written to a filter file, taken apart: words between white space, which may come in
 * pieces, and what a word means. Pure functions of what they are given.
 */
#pragma once

#include "kernel/compiler.h"

#define FTRACE_WORD_MAX 255 /* characters of a name, pattern or command */

/* A word that is being gathered, from one write to the next. Begins zeroed. */
struct ftrace_word_parser {
	size_t length;
	char word[FTRACE_WORD_MAX + 1];
};

/*
 * Take text from [*buf, *buf + *count), and move both on, up to the end of a word. 1: word holds a
 * complete one, terminated, and the next call begins another; 0: all is taken; -EINVAL: a word that
 * is too long, which is forgotten.
 */
int ftrace_next_word(struct ftrace_word_parser *parser, const char **buf, size_t *count);
/* There is no more text: 1 if that completes a word, else 0. */
int ftrace_last_word(struct ftrace_word_parser *parser);

/* What a word asks for. */
struct ftrace_match {
	bool remove;   /* it began with '!' */
	bool is_plain; /* pattern is a name: nothing in it is special */
	unsigned long
		number;      /* of a function in available_filter_functions, from 1 on; or 0, and */
	const char *pattern; /* the name or pattern, in the word */
};

/* -EINVAL: there is no function number 0. 0 else. */
int ftrace_parse_word(const char *word, struct ftrace_match *match);
