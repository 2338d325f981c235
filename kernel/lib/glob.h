/* Shell-style patterns, as in set_ftrace_filter. Any context. */
#pragma once

#include "kernel/compiler.h"

/*
 * True when all of s matches pattern: * any text, ? any character, [a-z] one of a class, [!a-z] one
 * that is not in it (a ] that comes first belongs to the class), \ takes the next character as it
 * is. A [ without its ] is an ordinary character. Linux's glob_match().
 */
bool glob_match(const char *pattern, const char *s);
