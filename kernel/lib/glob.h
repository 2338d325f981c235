/* Shell patterns, as in set_ftrace_filter. Any context. */
#pragma once

#include "kernel/compiler.h"

/*
 * True when all of s matches pattern. * matches any text, ? any character, [a-z] a character of the
 * class, [!a-z] a character outside the class. A ] at the start of a class belongs to the class. \
 * makes the next character ordinary. A [ without a ] is an ordinary character. As Linux's
 * glob_match().
 */
bool glob_match(const char *pattern, const char *s);
/* The same for the text of length bytes at s, which needs no NUL and has none inside. */
bool glob_match_n(const char *pattern, const char *s, size_t length);
