/*
 * Random texts for the fuzzer of trace files: words that the file knows, damaged words and noise.
 * The seed is fixed, so each run has the same texts. For one task.
 */
#pragma once

#include "kernel/compiler.h"

#define FUZZ_MAX 300U /* bytes of a text: more than the longest word of a filter */

/* A word, a damaged word, several words, or noise; sometimes very long. Returns the length. */
size_t fuzz_text(const char *file, char data[FUZZ_MAX]);
