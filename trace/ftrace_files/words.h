/*
 * The parser of text that is written to a filter file: it splits the text into words at white
 * space, and analyses a word. A word may come in several writes. The functions have no state of
 * their own.
 */
#pragma once

#include "kernel/compiler.h"

#define FTRACE_WORD_MAX 255 /* characters of a name, pattern or command */

/* The part of a word that has come so far. Zero at the start. */
struct ftrace_word_parser {
	size_t length;
	char word[FTRACE_WORD_MAX + 1];
};

/*
 * Takes text from [*buf, *buf + *count) up to the end of a word, and advances both. Returns 1 if
 * parser->word holds a complete word, terminated; the next call starts another word. Returns 0 if
 * all text is taken, and -EINVAL for a word that is too long, which is dropped.
 */
int ftrace_next_word(struct ftrace_word_parser *parser, const char **buf, size_t *count);
/* Ends the text. Returns 1 if that completes a word, else 0. */
int ftrace_last_word(struct ftrace_word_parser *parser);

/* The meaning of a word. */
struct ftrace_match {
	bool remove;   /* it began with '!' */
	bool is_plain; /* pattern is a name without special characters */
	/*
	 * Number of a function in available_filter_functions, from 1 on; 0: the word is a pattern.
	 * What follows the digits counts for nothing, as in Linux: 1-3 is 1.
	 */
	unsigned long number;
	const char *pattern; /* the name or pattern, in the word */
};

/* Returns 0, or -EINVAL for the number 0, which no function has. */
int ftrace_parse_word(const char *word, struct ftrace_match *match);
