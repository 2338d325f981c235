/*
 * Expressions of histograms, under libFuzzer. An accepted expression has a value, and what the trigger file prints for
 * it is an expression of the same value. A refused one leaks nothing.
 *
 * sources: trace/hist/expr.c trace/hist/field.c trace/hist/value.c
 * sources: trace/events/fields.c kernel/lib/kstrtox.c kernel/lib/string_helpers.c
 */
#include <stdlib.h>

#include "check.h"
#include "tests/host/hist_fields.h"

static const struct record record = {
	RECORD_NUMBERS,
	.name = "0123456789abcdef", /* no NUL */
};

static u64 value_of(const struct hist_field *f)
{
	static const u64 variables[] = { 10, 0, ~0ULL };
	const struct hist_event event = { .rec = &record, .timestamp = 12345678, .refs = variables };

	return hist_value(f, &event);
}

static void check_value(const struct hist_field *f)
{
	u64 value = value_of(f);
	struct hist_field *again;

	printed[0] = '\0';
	hist_field_puts(NULL, f, true);
	if (strlen(printed) == sizeof(printed) - 1)
		return;
	again = parse_copy(printed);
	CHECK(!IS_ERR(again));
	CHECK(hist_field_is_string(f) || value_of(again) == value);
	hist_field_put(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct hist_field *f;

	memcpy(text, data, size);
	text[size] = '\0';
	f = parse_copy(text);
	if (IS_ERR(f)) {
		CHECK(PTR_ERR(f) == -EINVAL || PTR_ERR(f) == -EDOM);
	} else {
		/* The callers of an event are not on the host. */
		if (!(f->flags & HIST_FIELD_STACKTRACE))
			check_value(f);
		hist_field_put(f);
	}
	CHECK(host_objects == 0);
	free(text);
	return 0;
}
