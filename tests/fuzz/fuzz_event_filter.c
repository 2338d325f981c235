/*
 * Filters of events, under libFuzzer. A text that compiles must be a program that ends, its negation must compile
 * too, and must give the opposite for the same record.
 *
 * sources: trace/filter/parse.c trace/filter/predicate.c trace/filter/match.c
 * sources: trace/filter/string.c trace/events/fields.c
 * sources: kernel/lib/cpulist_parse.c kernel/lib/glob.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "tests/host/event_filter_fields.h"

static const struct record record = {
	RECORD_NUMBERS,
	.name = "0123456789abcdef", /* no NUL */
	.text = offsetof(struct record, dynamic) | 8 << 16,
	.relative = (offsetof(struct record, dynamic) - offsetof(struct record, pointer)) | 8 << 16,
	.pointer = "a string elsewhere",
	.ip = SCHEDULE + 4,
	.dynamic = "/bin/ls",
};

/* All jumps go forward and end. A step behind the last one is never reached. */
static void check_jumps(const struct event_filter *filter, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++)
		for (unsigned branch = 0; branch < 2; branch++) {
			u16 next = filter->steps[i].next[branch];

			CHECK(next == FILTER_REJECT || next == FILTER_ACCEPT ||
			      (next > i && next < steps));
		}
}

/* Compiles and runs text. Returns -1 for a refused text. */
static int result_of(const char *text)
{
	struct event_filter *filter = NULL;
	struct filter_error error = { .position = 0 };
	int err = filter_compile(&record_call, text, &filter, &error), result;
	unsigned steps = 1;

	if (err) {
		CHECK(err < 0 && !filter && error.position <= strlen(text) + 1);
		CHECK(error.reason < FILTER_ERR_ERRNO || error.reason == FILTER_ERR_NO_FILTER);
		return -1;
	}
	CHECK(!strcmp(filter->text, text));
	/* The steps are without a gap, so the last one is the target of none. */
	for (unsigned i = 0; i < steps; i++)
		for (unsigned branch = 0; branch < 2; branch++)
			if (filter->steps[i].next[branch] < FILTER_REJECT &&
			    filter->steps[i].next[branch] >= steps)
				steps = filter->steps[i].next[branch] + 1U;
	check_jumps(filter, steps);
	result = event_filter_match(filter, &record);
	kfree(filter);
	return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *longer = malloc(2 * size + 16);
	int result;

	memcpy(text, data, size);
	text[size] = '\0';
	result = result_of(text);
	if (result >= 0) {
		sprintf(longer, "!(%s)", text);
		CHECK(result_of(longer) == !result);
		sprintf(longer, "(%s)&&(%s)", text, text);
		CHECK(result_of(longer) == result);
		sprintf(longer, "!(%s)||%s", text, text);
		CHECK(result_of(longer) == 1);
	}
	free(text);
	free(longer);
	CHECK(host_objects == 0);
	return 0;
}
