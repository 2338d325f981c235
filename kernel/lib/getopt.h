/* The options of a command: letters behind a -, as in POSIX utilities (XBD 12.2). */
#pragma once

#include "kernel/compiler.h"

/*
 * By letter: the option's number, 1 for an option without one; -1: not given. '#' is the first
 * index: see below.
 */
struct options {
	long values['z' - '#' + 1];
};

/*
 * Parses the options among the words at *argv, which end with NULL. Moves *argv to the first
 * operand, and returns the number of operands.
 *
 * accepted lists the letters. A letter with a : behind it takes a number >= 0, from the same word
 * or the next word. # accepts a number in place of a letter (tail -5). With a ? at the start, a
 * word with an unknown letter is an operand (echo -1). accepted NULL: all words are operands.
 *
 * -EINVAL: an option is unknown, or its number is missing. Any context.
 */
int options_parse(struct options *options, const char *accepted, char ***argv);
/* The number of an option, or otherwise for an option that was not given. */
long option_value(const struct options *options, char letter, long otherwise);
