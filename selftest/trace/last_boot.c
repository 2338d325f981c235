/*
 * Self-tests of the entries that the last boot leaves in a persistent buffer: what is kept of them
 * is printed from the entry alone. tests/fuzz/fuzz_last_boot.c asks the same of whole buffers, with
 * the types of the core only.
 */
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/rcu/rcu.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/events.h"
#include "trace/core/iterator.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/core/valid_entry.h"

#define ROUNDS    20U
#define ENTRY_MAX 512U

static const char constant[] = "a constant";

/* What one test needs; too large for its stack. */
struct printing {
	struct trace_iterator *iter;
	u8 *page; /* the entry, and other memory behind it */
	char first[TRACE_SEQ_SIZE];
};

/* Returns the bytes up to the end of the fixed part of the event's entries. */
static size_t fixed_size(const struct trace_event *event)
{
	size_t size = sizeof(struct trace_entry);

	for (const struct trace_event_field *field = event->fields; field->name; field++)
		if (!field->option)
			size = max(size, (size_t)field->offset + field->size);
	return size;
}

/* Gives a field that a printer follows a value that it can follow, most of the time. */
static void fill_field(const struct trace_event_field *field, u8 *entry, size_t length, u32 *seed)
{
	const char *text = constant;
	u32 loc = (u32)(length - 8) | 8U << 16;

	if (test_random(seed) % 8 == 0)
		return;
	if (strstr(field->type, "__data_loc")) {
		memcpy(entry + field->offset, &loc, sizeof(loc));
		entry[length - 1 - test_random(seed) % 8] = 0;
	} else if (strstr(field->type, "char *") && field->size == sizeof(text)) {
		memcpy(entry + field->offset, &text, sizeof(text));
	} else if (strstr(field->type, "char[") && field->size) {
		entry[field->offset + test_random(seed) % field->size] = 0;
	} else if (field->size == sizeof(u32) && test_random(seed) % 2) {
		memset(entry + field->offset + 1, 0, sizeof(u32) - 1);
	}
}

/* Makes an entry of the event at the start of the page, and returns its length. */
static size_t make_entry(const struct trace_event *event, u8 *entry, u32 *seed)
{
	size_t length = min(fixed_size(event) + 8 + test_random(seed) % 64, (size_t)ENTRY_MAX);

	for (size_t i = 0; i < length; i++)
		entry[i] = (u8)test_random(seed);
	((struct trace_entry *)entry)->type = (u16)event->type;
	for (const struct trace_event_field *field = event->fields; field->name; field++)
		if (!field->option)
			fill_field(field, entry, length, seed);
	if (test_random(seed) % 4 == 0)
		length = test_random(seed) % length;
	return length;
}

/*
 * Prints the entry, as the first of a trace, in front of memory that holds this byte. A NUL ends
 * the page.
 */
static void print_before(struct printing *p, size_t length, u8 byte)
{
	memset(p->page + length, byte, PAGE_SIZE - 1 - length);
	p->page[PAGE_SIZE - 1] = 0;
	trace_seq_init(&p->iter->seq);
	p->iter->ent = (struct trace_entry *)p->page;
	p->iter->ent_size = length;
	print_trace_line(p->iter);
	p->iter->ent = NULL;
}

static bool prints_only_itself(struct printing *p, size_t length)
{
	struct trace_seq *s = &p->iter->seq;
	size_t first_length;

	print_before(p, length, 'x');
	first_length = s->len;
	memcpy(p->first, s->buffer, s->len);
	print_before(p, length, 0x83);
	return s->len == first_length && !memcmp(s->buffer, p->first, first_length);
}

/* Prints random entries of the event. Returns how many are valid. */
static unsigned print_event_entries(struct selftest *test, const struct trace_event *event,
				    struct printing *p, u32 *seed)
{
	static const u64 formats[] = { 0, TRACE_ITER_RAW, TRACE_ITER_HEX, TRACE_ITER_BIN,
				       TRACE_ITER_VERBOSE };
	unsigned valid = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		size_t length = make_entry(event, p->page, seed);

		if (!trace_entry_is_valid(p->page, length))
			continue;
		valid++;
		p->iter->flags_set = formats[i % ARRAY_SIZE(formats)];
		if (!prints_only_itself(p, length))
			selftest_fail(test, __FILE__, __LINE__, "%s: %zu bytes: \"%.80s\"",
				      event->name, length, p->first);
	}
	return valid;
}

SELFTEST(last_boot, an_entry_that_is_kept_is_printed_from_its_own_bytes)
{
	struct printing *p = kzalloc(sizeof(*p), GFP_KERNEL);
	unsigned events = 0, kept = 0;
	struct trace_event *event;
	u32 seed = 12;

	ASSERT(p);
	reset();
	EXPECT_EQ(put("tracing_on", "0"), 0);
	p->page = get_free_pages(GFP_KERNEL, 0);
	p->iter = trace_iterator_alloc(&global_trace, RING_BUFFER_ALL_CPUS, false);
	ASSERT(p->page && p->iter);
	mutex_lock(&trace_event_mutex);
	list_for_each_entry (event, &trace_events, list) {
		if (!event->fields)
			continue;
		events++;
		kept += print_event_entries(test, event, p, &seed) > 0;
	}
	mutex_unlock(&trace_event_mutex);
	EXPECT(events > 20 && kept > events * 3 / 4);
	selftest_diag(test, "%u of %u events have valid entries", kept, events);
	trace_iterator_free(p->iter);
	free_pages_addr(p->page, 0);
	kfree(p);
	reset();
}

/* An entry with room for less than a caller, which says that it has a thousand. */
SELFTEST(last_boot, a_stack_with_more_callers_than_bytes_is_not_kept)
{
	u64 words[4] = { 0 };
	struct stack_entry *entry = (struct stack_entry *)words;

	entry->ent.type = TRACE_STACK;
	entry->size = 1000;
	EXPECT(!trace_entry_is_valid(entry, 12));
	EXPECT(!trace_entry_is_valid(entry, sizeof(words)));
	entry->size = -1;
	EXPECT(!trace_entry_is_valid(entry, sizeof(words)));
	entry->size = 2;
	EXPECT(trace_entry_is_valid(entry, sizeof(words)));
}

struct relative_entry {
	struct trace_entry ent;
	u32 text; /* __rel_loc */
	char bytes[4];
};

static const struct trace_event_field relative_fields[] = {
	TRACE_FIELD(relative_entry, text, "__rel_loc char[]", true),
	{ .name = NULL },
};
static struct trace_event relative_event = { .name = "relative", .fields = relative_fields };

/* The text of a __rel_loc field is counted from the end of the field. */
SELFTEST(last_boot, a_relative_text_that_leaves_the_entry_is_not_kept)
{
	struct relative_entry entry = { .bytes = "abc" };
	static const struct {
		u32 text;
		bool valid;
	} cases[] = {
		{ 0 | 4 << 16, true },  { 1 | 3 << 16, true },  { 0 | 3 << 16, false },
		{ 1 | 4 << 16, false }, { 4 | 1 << 16, false },
	};

	ASSERT(register_trace_event(&relative_event) == 0);
	entry.ent.type = (u16)relative_event.type;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		entry.text = cases[i].text;
		EXPECT_EQ(trace_entry_is_valid(&entry, sizeof(entry)), cases[i].valid);
	}
	unregister_trace_event(&relative_event);
	synchronize_rcu_tasks();
}
