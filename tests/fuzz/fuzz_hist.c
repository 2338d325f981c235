/*
 * The text of hist commands, under libFuzzer. A command that is accepted has keys, and all its words lie in its text;
 * the words of variables have "=", those of actions a handler; nothing is leaked.
 *
 * sources: trace/hist/parse.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernel/errno.h"
#include "tests/host/host_kmalloc.h"
#include "trace/hist/hist.h"

char *kstrdup(const char *s, gfp_t gfp)
{
	char *copy = __kmalloc(strlen(s) + 1, gfp);

	return copy ? strcpy(copy, s) : NULL;
}

void hist_err(struct trace_array *tr, enum hist_error error, const char *at)
{
	(void)tr;
	CHECK(error == HIST_ERR_EMPTY_ASSIGNMENT || error == HIST_ERR_TOO_MANY_VARS);
	CHECK(at && strchr(at, '='));
}

static void check_word(const struct hist_attrs *attrs, const char *word, size_t size)
{
	CHECK(!word || (word >= attrs->text && word + strlen(word) <= attrs->text + size));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct hist_attrs *attrs;

	memcpy(text, data, size);
	text[size] = '\0';
	attrs = hist_parse(NULL, text);
	if (IS_ERR(attrs)) {
		CHECK(PTR_ERR(attrs) == -EINVAL);
	} else {
		CHECK(attrs->keys && *attrs->keys);
		CHECK(!attrs->map_bits || (attrs->map_bits >= TRACING_MAP_BITS_MIN &&
					   attrs->map_bits <= TRACING_MAP_BITS_MAX));
		check_word(attrs, attrs->keys, size);
		check_word(attrs, attrs->vals, size);
		check_word(attrs, attrs->sort, size);
		check_word(attrs, attrs->name, size);
		check_word(attrs, attrs->filter, size);
		CHECK(!attrs->filter || memcmp(attrs->filter - 3, "if ", 3) == 0);
		for (unsigned i = 0; i < attrs->n_assignments; i++)
			CHECK(strchr(attrs->assignments[i], '='));
		for (unsigned i = 0; i < attrs->n_actions; i++)
			CHECK(strncmp(attrs->actions[i], "on", 2) == 0);
		hist_attrs_free(attrs);
	}
	CHECK(host_objects == 0);
	free(text);
	return 0;
}
