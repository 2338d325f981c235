/* An event happens: its key, its sums, its variables. Any context, preemption off. */
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"
#include "trace/hist/eval.h"
#include "trace/trigger/trigger.h"

static void put_string(u8 *part, const struct hist_field *f, const struct hist_event *event)
{
	size_t length;
	const char *text = hist_string(f, event, &length);

	memcpy(part, text, length);
	memset(part + length, 0, ALIGN(f->size, 8) - length);
}

static void put_key_part(u8 *part, const struct hist_field *f, const struct hist_event *event)
{
	if (f->flags & HIST_FIELD_STACKTRACE) {
		hist_put_stack((u64 *)part, f, event);
	} else if (hist_field_is_string(f)) {
		put_string(part, f, event);
	} else {
		*(u64 *)part = hist_value(f, event);
	}
}

static __always_inline void add_sums(struct hist_trigger_data *h, struct tracing_map_elt *elt,
				     const struct hist_event *event)
{
	u64 *sums = tracing_map_sum(h->map, elt, 0);

	__atomic_fetch_add(&sums[0], 1, __ATOMIC_RELAXED);
	for (unsigned i = 1; i < h->n_vals; i++)
		__atomic_fetch_add(&sums[i], hist_value(h->fields[i], event), __ATOMIC_RELAXED);
}

/* Keys and values without strings, stacks, variables and actions. */
static __always_inline void count_simple(struct hist_trigger_data *h,
					 const struct hist_event *event)
{
	struct tracing_map_elt *elt;

	if (likely(h->n_keys == 1)) {
		elt = tracing_map_insert_word(h->map, hist_value(h->keys[0], event));
	} else {
		u64 key[HIST_KEYS_MAX];

		for (unsigned i = 0; i < h->n_keys; i++)
			key[i] = hist_value(h->keys[i], event);
		elt = tracing_map_insert(h->map, key);
	}
	if (likely(elt))
		add_sums(h, elt, event);
}

void hist_store_var(struct hist_trigger_data *h, struct tracing_map_elt *elt,
		    const struct hist_field *var, u64 value)
{
	if (hist_field_is_string(var)) {
		char *copy = (char *)tracing_map_private(h->map, elt) + var->string_offset;
		const char *text = (const char *)(uintptr_t)value;

		if (text)
			strscpy(copy, text, var->size);
		else
			copy[0] = '\0';
		value = (u64)(uintptr_t)copy;
	}
	tracing_map_set_var(h->map, elt, var->var_index, value);
}

void hist_save_field_vars(struct hist_trigger_data *h, struct tracing_map_elt *elt,
			  const struct hist_event *event, const struct hist_field_var *vars,
			  unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		const struct hist_field *val = vars[i].val;

		if (val->flags & HIST_FIELD_STACKTRACE) {
			tracing_map_set_var(h->map, elt, vars[i].var->var_index,
					    hist_store_stack(tracing_map_private(h->map, elt),
							     vars[i].var, val, event));
		} else if (hist_field_is_string(val) && val->fn != HIST_FN_VAR_REF) {
			char *copy = (char *)tracing_map_private(h->map, elt) +
				     vars[i].var->string_offset;
			size_t length;
			const char *text = hist_string(val, event, &length);

			memcpy(copy, text, length);
			copy[length] = '\0';
			tracing_map_set_var(h->map, elt, vars[i].var->var_index,
					    (u64)(uintptr_t)copy);
		} else {
			hist_store_var(h, elt, vars[i].var, hist_value(val, event));
		}
	}
}

static void run_actions(struct hist_trigger_data *h, struct tracing_map_elt *elt,
			const struct hist_event *event)
{
	for (unsigned i = 0; i < h->n_actions; i++) {
		struct hist_action *action = h->actions[i];

		if (action->handler == HIST_ONMATCH)
			hist_run_trace(action, event->refs);
		else
			hist_run_track(h, action, elt, event);
	}
}

/* refs: room for the values of references. key: room for the key. */
static void count_in(struct hist_trigger_data *h, struct hist_event *event, u64 *refs, u64 *key)
{
	struct tracing_map_elt *elt;

	event->refs = refs;
	for (unsigned i = 0; i < h->n_keys; i++)
		put_key_part((u8 *)key + h->keys[i]->key_offset, h->keys[i], event);
	if (!hist_resolve_refs(h, key, refs, false))
		return;
	elt = tracing_map_insert(h->map, key);
	if (!elt)
		return;
	add_sums(h, elt, event);
	for (unsigned i = h->n_vals; i < h->n_fields; i++) {
		const struct hist_field_var pair = { .var = h->fields[i], .val = h->fields[i] };

		hist_save_field_vars(h, elt, event, &pair, 1);
	}
	hist_save_field_vars(h, elt, event, h->field_vars, h->n_field_vars);
	if (h->n_actions && hist_resolve_refs(h, key, refs, true))
		run_actions(h, elt, event);
}

/* The key and the references are not on the stack, because histograms of synthetic events nest. */
static noinline void count_any(struct hist_trigger_data *h, struct hist_event *event)
{
	u64 *refs = trace_event_scratch_get(h->n_var_refs * sizeof(u64) + h->key_size);

	if (!refs) {
		tracing_map_count_drop(h->map);
		return;
	}
	count_in(h, event, refs, refs + h->n_var_refs);
	trace_event_scratch_put(refs);
}

/* One key that is a number in the record, and no value but the hit count: most histograms. */
static __always_inline void count_word(struct event_trigger_data *data, const void *rec,
				       enum hist_fn fn)
{
	struct hist_trigger_data *h = data->private;
	const void *at = (const u8 *)rec + h->keys[0]->offset;
	u64 key;

	if (unlikely(READ_ONCE(h->stopped)))
		return;
	key = fn == HIST_FN_U64 ? *(const u64 *)at : *(const u32 *)at;
	if (fn == HIST_FN_S32)
		key = (u64)(s64)(s32)key;
	tracing_map_count_word(h->map, key);
}

static void count_u64(struct event_trigger_data *data, const void *rec)
{
	count_word(data, rec, HIST_FN_U64);
}

static void count_u32(struct event_trigger_data *data, const void *rec)
{
	count_word(data, rec, HIST_FN_U32);
}

static void count_s32(struct event_trigger_data *data, const void *rec)
{
	count_word(data, rec, HIST_FN_S32);
}

static void count_plain(struct event_trigger_data *data, const void *rec)
{
	struct hist_trigger_data *h = data->private;
	struct hist_event event;

	event.rec = rec; /* nothing reads the rest */
	if (likely(!READ_ONCE(h->stopped)))
		count_simple(h, &event);
}

event_trigger_plain_t hist_plain(const struct hist_trigger_data *h)
{
	if (!h->simple || h->use_timestamp)
		return NULL;
	if (h->n_keys > 1 || h->n_vals > 1)
		return count_plain;
	switch (h->keys[0]->fn) {
	case HIST_FN_U64:
		return count_u64;
	case HIST_FN_U32:
		return count_u32;
	case HIST_FN_S32:
		return count_s32;
	default:
		return count_plain;
	}
}

void hist_count(struct event_trigger_data *data, const void *rec,
		const struct trace_event_buffer *buffer)
{
	struct hist_trigger_data *h = data->private;
	struct hist_event event = { .rec = rec };

	if (unlikely(READ_ONCE(h->stopped)))
		return;
	if (h->use_timestamp)
		event.timestamp = ring_buffer_time_stamp(buffer->file->tr->buffer);
	if (likely(h->simple))
		count_simple(h, &event);
	else
		count_any(h, &event);
}
