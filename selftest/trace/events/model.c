/*
 * /sys/kernel/debug/model_events: a write "SEED COUNT" fires the event model:model COUNT times,
 * with values that follow from SEED. tests/boot/test_event_model.py compares filters and histograms
 * with a model of its own.
 */
#include "fs/debug/debugfs.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "selftest/trace/events/model_events.h"

#define MODEL_EVENTS_MAX 100000U

/* xorshift. */
static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Half of the numbers are small, so that comparisons with small numbers are often true. */
static u64 some_number(u64 *state)
{
	u64 r = next_random(state);

	switch (r >> 61) {
	case 0:
	case 1:
	case 2:
		return next_random(state) % 10;
	case 3:
		return -(next_random(state) % 10);
	default:
		return next_random(state);
	}
}

static void some_text(u64 *state, char *text, size_t size)
{
	size_t length = next_random(state) % size;

	for (size_t i = 0; i < length; i++)
		text[i] = "abc"[next_random(state) % 3];
	text[length] = '\0';
}

static void fire(u64 *state)
{
	struct model_values v = { 0 };

	v.u64 = some_number(state);
	v.s64 = (s64)some_number(state);
	v.u32 = (u32)some_number(state);
	v.s32 = (s32)some_number(state);
	v.u16 = (u16)some_number(state);
	v.s16 = (s16)some_number(state);
	v.u8 = (u8)some_number(state);
	v.s8 = (s8)some_number(state);
	some_text(state, v.name, 6);
	some_text(state, v.text, 9);
	trace_model(&v);
}

static ssize_t model_events_write(struct file *file __unused, const char *buf, size_t count,
				  loff_t *pos __unused)
{
	char text[64], *space;
	unsigned long seed, events;

	if (count >= sizeof(text))
		return -EINVAL;
	memcpy(text, buf, count);
	text[count] = '\0';
	space = strchr(text, ' ');
	if (!space)
		return -EINVAL;
	*space = '\0';
	if (kstrtoul(text, 10, &seed) || !seed || kstrtoul(strim(space + 1), 10, &events) ||
	    events > MODEL_EVENTS_MAX)
		return -EINVAL;
	while (events--)
		fire(&seed);
	return (ssize_t)count;
}

static const struct file_operations model_events_fops = { .write = model_events_write };

static int __init model_events_init(void)
{
	return IS_ERR_OR_NULL(
		       debugfs_create_file("model_events", 0200, NULL, NULL, &model_events_fops))
		       ? -ENOMEM
		       : 0;
}
device_initcall(model_events_init);
