/* A record, and whether it passes a filter, for the host tests of event filters. */
#pragma once

#include "event_filter_fields.h"

static struct record record;

/* The bytes between the end of the field and its text. */
#define RELATIVE_OFFSET                                                                            \
	(offsetof(struct record, dynamic) - offsetof(struct record, relative) - sizeof(u32))

/* Sets the text of the fields `text` and `relative`. */
static void set_text(const char *text)
{
	size_t length = strlen(text) + 1;

	memcpy(record.dynamic, text, length);
	record.text = (u32)(offsetof(struct record, dynamic) | length << 16);
	record.relative = (u32)(RELATIVE_OFFSET | length << 16);
}

static int setup(void **state)
{
	(void)state;
	record = (struct record){ RECORD_NUMBERS, .name = "bash" };
	set_text("/bin/ls");
	record.pointer = "a string elsewhere";
	record.ip = SCHEDULE + 4;
	host_comm = "cat";
	return 0;
}

static int no_leak(void **state)
{
	(void)state;
	return host_objects != 0;
}

/* Returns whether the record passes the filter. The filter must compile. */
static bool passes(const char *text)
{
	struct event_filter *filter = NULL;
	struct filter_error error;
	int err = filter_compile(&record_call, text, &filter, &error);
	bool result;

	if (err)
		fail_msg("%s: error %d, %s at %u", text, err, filter_error_texts[error.reason],
			 error.position);
	assert_string_equal(filter->text, text);
	result = event_filter_match(filter, &record);
	kfree(filter);
	return result;
}
