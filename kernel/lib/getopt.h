/* A command's options: letters behind a -, as the utilities of POSIX have them (XBD 12.2). */
#pragma once

#include "kernel/compiler.h"

/* By letter: the number, 1 if it takes none; -1: not given. '#' is the first: see below. */
struct options {
	long values['z' - '#' + 1];
};

/*
 * Take the options off the words at *argv, which ends with NULL and moves to the first operand: how
 * many there are of those. accepted: the letters, each with a : behind it if a number that is not
 * negative follows, in the same word or in the next; # for a number in a letter's place (tail -5).
 * -EINVAL: one is unknown, or lacks its number; but if accepted begins with ?, a word that is not
 * made of known letters is an operand (echo -1). accepted NULL: all are operands. Any context.
 */
int options_parse(struct options *options, const char *accepted, char ***argv);
/* An option's number, or otherwise if it was not given. */
long option_value(const struct options *options, char letter, long otherwise);
