/*
 * Writes to a filter file, under libFuzzer. The words must not depend on the division of the text into
 * writes, and a word must mean the same as its pattern.
 *
 * sources: trace/ftrace_files/words.c kernel/lib/kstrtox.c kernel/lib/glob.c
 * runs: 5000
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernel/lib/glob.h"
#include "trace/ftrace_files/words.h"

/* All words and errors of a text, one per line. Writes piece bytes at a time (0: all at once). */
static char *words_of(const char *text, size_t size, size_t piece)
{
	char *list = malloc(2 * size + 16), *end = list;
	struct ftrace_word_parser parser = { 0 };
	size_t done = 0;

	do {
		size_t count = piece && piece < size - done ? piece : size - done;
		char *copy = malloc(count ? count : 1); /* the exact size, so that ASan sees an overrun */
		const char *at = copy;
		int found;

		memcpy(copy, text + done, count);
		done += count;
		while ((found = ftrace_next_word(&parser, &at, &count))) {
			CHECK(found == 1 || found == -EINVAL);
			end += sprintf(end, "%s\n", found == 1 ? parser.word : "!");
		}
		CHECK(!count);
		free(copy);
	} while (done < size);
	if (ftrace_last_word(&parser))
		end += sprintf(end, "%s\n", parser.word);
	CHECK(!ftrace_last_word(&parser));
	*end = '\0';
	return list;
}

static void check_word(const char *word)
{
	struct ftrace_match match;
	size_t length = strlen(word);

	CHECK(length && length <= FTRACE_WORD_MAX && !strpbrk(word, " \t\n\v\f\r"));
	if (ftrace_parse_word(word, &match)) {
		CHECK(strchr("0123456789", word[*word == '!']));
		return;
	}
	CHECK(match.remove == (*word == '!') && match.pattern == word + match.remove);
	/* A plain name matches itself, but no longer name that begins with it. */
	if (match.is_plain) {
		char longer[FTRACE_WORD_MAX + 2];

		snprintf(longer, sizeof(longer), "%s_", match.pattern);
		CHECK(glob_match(match.pattern, match.pattern));
		CHECK(!glob_match(match.pattern, longer));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	char *at_once, *in_pieces, *rest, *word;

	if (!size)
		return 0;
	at_once = words_of(text, size - 1, 0);
	in_pieces = words_of(text, size - 1, data[0] % 64 + 1);
	CHECK(!strcmp(at_once, in_pieces));
	for (rest = at_once; (word = strsep(&rest, "\n")) && rest;)
		check_word(word);
	free(at_once);
	free(in_pieces);
	return 0;
}
