/*
 * onmax($x) and onchange($x): the highest or the last value of a variable is kept in the element.
 * A new one saves fields of its event, takes a snapshot, or makes a synthetic event.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/snapshot.h"
#include "trace/events/event.h"
#include "trace/hist/hist.h"
#include "trace/hist/eval.h"

/*
 * The values and the key of the last snapshot. [A] atomic; no letter: changed by the CPU that has
 * set busy. A reader of the hist file may see parts of two snapshots.
 */
struct hist_snapshot {
	bool busy; /* [A] a CPU is changing the rest */
	/* [A] Its value asks for a snapshot, which the CPU that has set busy takes. NULL: none */
	struct tracing_map_elt *asking;
	bool taken; /* stays true until the histogram is cleared */
	u64 value;
	u64 key[HIST_KEY_SIZE_MAX / 8];
	char comm[HIST_COMM_SIZE];
};

int hist_create_track(struct hist_trigger_data *h, struct hist_action *action)
{
	struct trace_array *tr = h->file->tr;
	const char *name = action->var_text + 1;
	struct hist_field *var;
	int error;

	if (action->var_text[0] != '$') {
		hist_err(tr, HIST_ERR_ONX_NOT_VAR, action->var_text);
		return -EINVAL;
	}
	var = hist_find_own_var(h, name);
	if (!var) {
		hist_err(tr, HIST_ERR_ONX_VAR_NOT_FOUND, name);
		return -EINVAL;
	}
	action->track_ref = hist_make_var_ref(h, h, var, action->var_text);
	action->track_var = hist_field_alloc(0);
	if (!action->track_ref || !action->track_var)
		return -ENOMEM;
	error = hist_make_var(h, action->track_var,
			      action->handler == HIST_ONMAX ? "__max" : "__change");
	if (error == -EINVAL)
		hist_err(tr, HIST_ERR_ONX_VAR_CREATE_FAIL, NULL);
	return error;
}

int hist_create_field_var(struct hist_trigger_data *h, struct hist_field_var *pair,
			  const char *param)
{
	char *copy = kstrdup(param, GFP_KERNEL);
	int error;

	if (!copy)
		return -ENOMEM;
	pair->val = hist_parse_expr(h, h->file, copy, 0);
	kfree(copy);
	if (IS_ERR(pair->val)) {
		error = PTR_ERR(pair->val);
		pair->val = NULL;
		return error;
	}
	pair->var =
		hist_field_alloc(pair->val->flags & (HIST_FIELD_STRING | HIST_FIELD_STACKTRACE));
	if (!pair->var) {
		hist_field_put(pair->val);
		pair->val = NULL;
		return -ENOMEM;
	}
	pair->var->size = pair->val->size;
	pair->var->type = pair->val->type;
	error = hist_make_var(h, pair->var, param);
	if (error) {
		hist_field_put(pair->val);
		hist_field_put(pair->var);
		*pair = (struct hist_field_var){ 0 };
	}
	return error;
}

int hist_create_save(struct hist_trigger_data *h, struct hist_action *action)
{
	int error;

	if (h->n_save_vars) {
		hist_err(h->file->tr, HIST_ERR_TOO_MANY_SAVE_ACTIONS, NULL);
		return -EEXIST;
	}
	for (unsigned i = 0; i < action->n_params; i++) {
		error = hist_create_field_var(h, &h->save_vars[h->n_save_vars], action->params[i]);
		if (error) {
			if (error == -EINVAL) {
				hist_err(h->file->tr, HIST_ERR_FIELD_VAR_PARSE_FAIL,
					 action->params[i]);
				hist_err(h->file->tr, HIST_ERR_FIELD_VAR_CREATE_FAIL,
					 action->params[i]);
			}
			return error;
		}
		h->n_save_vars++;
	}
	return 0;
}

int hist_create_snapshot(struct hist_action *action)
{
	action->snapshot = kzalloc(sizeof(*action->snapshot), GFP_KERNEL);
	return action->snapshot ? 0 : -ENOMEM;
}

int hist_alloc_snapshot(struct hist_trigger_data *h)
{
	bool wanted = false;
	int error;

	for (unsigned i = 0; i < h->n_actions; i++)
		wanted = wanted || h->actions[i]->snapshot;
	if (!wanted || h->armed)
		return 0;
	error = tracing_arm_snapshot(h->file->tr);
	h->armed = !error;
	return error;
}

/* Returns whether value is higher than old (onmax), or differs from it (onchange). */
static bool is_new(const struct hist_action *action, u64 value, u64 old)
{
	return action->handler == HIST_ONMAX ? value > old : value != old;
}

static u64 tracked_value(struct hist_trigger_data *h, const struct hist_action *action,
			 struct tracing_map_elt *elt)
{
	return READ_ONCE(*tracing_map_var(h->map, elt, action->track_var->var_index));
}

static void take_snapshot(struct hist_trigger_data *h, const struct hist_action *action,
			  struct tracing_map_elt *elt)
{
	struct hist_snapshot *s = action->snapshot;
	u64 value = tracked_value(h, action, elt);

	if (!is_new(action, value, s->value))
		return;
	s->value = value;
	memcpy(s->key, elt->key, h->key_size);
	if (h->save_comm)
		memcpy(s->comm, hist_comm(h, elt), HIST_COMM_SIZE);
	s->taken = true;
	tracing_snapshot_tr(h->file->tr);
}

/* Leaves elt in s->asking, unless the value of another one there is as good. */
static void ask_for_snapshot(struct hist_trigger_data *h, const struct hist_action *action,
			     struct tracing_map_elt *elt)
{
	struct hist_snapshot *s = action->snapshot;
	struct tracing_map_elt *old = READ_ONCE(s->asking), *seen;

	for (;; old = seen) {
		if (old &&
		    !is_new(action, tracked_value(h, action, elt), tracked_value(h, action, old)))
			return;
		seen = cmpxchg(&s->asking, old, elt);
		if (seen == old)
			return;
	}
}

/* So many snapshots one event takes for others. What is left then, the next event takes. */
#define SNAPSHOT_TURNS 8U

/*
 * A CPU that finds another one busy, or that has interrupted it, does not wait: the busy CPU looks
 * again when it has finished.
 */
static void run_snapshot(struct hist_trigger_data *h, const struct hist_action *action,
			 struct tracing_map_elt *elt)
{
	struct hist_snapshot *s = action->snapshot;

	ask_for_snapshot(h, action, elt);
	for (unsigned i = 0; i < SNAPSHOT_TURNS && READ_ONCE(s->asking) && !xchg(&s->busy, true);
	     i++) {
		elt = xchg(&s->asking, NULL);
		if (elt)
			take_snapshot(h, action, elt);
		(void)xchg(&s->busy, false); /* before the next look at asking */
	}
}

void hist_run_track(struct hist_trigger_data *h, struct hist_action *action,
		    struct tracing_map_elt *elt, const struct hist_event *event)
{
	u64 *place = tracing_map_var(h->map, elt, action->track_var->var_index);
	u64 value = event->refs[action->track_ref->ref_index], old = READ_ONCE(*place), seen;

	for (;; old = seen) {
		if (!is_new(action, value, old))
			return;
		seen = cmpxchg(place, old, value);
		if (seen == old)
			break;
	}
	__atomic_fetch_or(&elt->vars_set, 1ULL << action->track_var->var_index, __ATOMIC_RELEASE);
	if (action->kind == HIST_SAVE)
		hist_save_field_vars(h, elt, event, h->save_vars, h->n_save_vars);
	else if (action->kind == HIST_SNAPSHOT)
		run_snapshot(h, action, elt);
	else
		hist_run_trace(action, event->refs);
}

static void print_var(struct seq_file *m, const struct hist_trigger_data *h,
		      struct tracing_map_elt *elt, const struct hist_field *var)
{
	const u8 *copy = (u8 *)tracing_map_private(h->map, elt) + var->string_offset;

	if (var->flags & HIST_FIELD_STACKTRACE) {
		seq_printf(m, "  %s:\n", var->var_name);
		hist_print_stack(m, (const u64 *)copy + 1);
	} else if (hist_field_is_string(var)) {
		seq_printf(m, "  %s: %-32s", var->var_name, (const char *)copy);
	} else {
		seq_printf(m, "  %s: %10lu", var->var_name,
			   *tracing_map_var(h->map, elt, var->var_index));
	}
}

void hist_print_track(struct seq_file *m, const struct hist_trigger_data *h,
		      struct tracing_map_elt *elt)
{
	for (unsigned i = 0; i < h->n_actions; i++) {
		const struct hist_action *action = h->actions[i];

		if (action->handler == HIST_ONMATCH || action->kind == HIST_SNAPSHOT)
			continue;
		seq_printf(m, "\n\t%s: %10lu", action->handler == HIST_ONMAX ? "max" : "changed",
			   *tracing_map_var(h->map, elt, action->track_var->var_index));
		for (unsigned j = 0; j < h->n_save_vars; j++)
			print_var(m, h, elt, h->save_vars[j].var);
	}
}

void hist_print_snapshots(struct seq_file *m, struct hist_trigger_data *h)
{
	for (unsigned i = 0; i < h->n_actions; i++) {
		const struct hist_action *action = h->actions[i];
		const struct hist_snapshot *s = action->snapshot;

		if (!s || !s->taken)
			continue;
		seq_puts(m, "\nSnapshot taken (see tracing/snapshot).  Details:\n");
		seq_printf(m, "\ttriggering value { %s(%s) }: %10lu",
			   action->handler == HIST_ONMAX ? "onmax" : "onchange", action->var_text,
			   s->value);
		seq_puts(m, "\ttriggered by event with key: ");
		hist_print_key(m, h, s->key, s->comm);
		seq_putc(m, '\n');
	}
}

void hist_clear_snapshots(struct hist_trigger_data *h)
{
	for (unsigned i = 0; i < h->n_actions; i++)
		if (h->actions[i]->snapshot)
			memset(h->actions[i]->snapshot, 0, sizeof(*h->actions[i]->snapshot));
}
