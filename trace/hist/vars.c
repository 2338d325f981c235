/*
 * Variables: found by name, referred to by other histograms, and read when an event happens. A
 * histogram with a variable that another one refers to cannot be removed (-EBUSY).
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/events/event.h"
#include "trace/hist/hist.h"

LIST_HEAD(hist_list);

struct hist_field *hist_find_own_var(const struct hist_trigger_data *h, const char *name)
{
	for (unsigned i = h->n_vals; i < h->n_fields; i++)
		if (strcmp(h->fields[i]->var_name, name) == 0)
			return h->fields[i];
	for (unsigned i = 0; i < h->n_field_vars; i++)
		if (strcmp(h->field_vars[i].var->var_name, name) == 0)
			return h->field_vars[i].var;
	return NULL;
}

static bool is_of_event(const struct hist_trigger_data *h, const char *system, const char *event)
{
	return strcmp(trace_event_system(h->file->call), system) == 0 &&
	       strcmp(trace_event_name(h->file->call), event) == 0;
}

/*
 * Finds the variable in the histograms of one event, or of all events if system is NULL. more: not
 * NULL, and set if a second histogram has a variable of that name.
 */
static struct hist_field *find_in(const struct hist_trigger_data *h, const char *system,
				  const char *event, const char *name,
				  struct hist_trigger_data **owner, bool *more)
{
	struct hist_field *found = NULL, *var;
	struct hist_trigger_data *other;

	list_for_each_entry (other, &hist_list, list) {
		if (other == h || other->file->tr != h->file->tr)
			continue;
		if (system && !is_of_event(other, system, event))
			continue;
		var = hist_find_own_var(other, name);
		if (var && found) {
			*more = true;
		} else if (var) {
			found = var;
			*owner = other;
		}
	}
	return found;
}

struct hist_field *hist_find_var(const struct hist_trigger_data *h, const char *system,
				 const char *event, const char *name,
				 struct hist_trigger_data **owner)
{
	struct hist_field *found = NULL, *var;
	bool more = false;

	if (system)
		return find_in(h, system, event, name, owner, &more);
	for (unsigned i = 0; i < h->n_actions; i++) {
		const struct hist_action *action = h->actions[i];
		struct hist_trigger_data *its_owner = NULL;

		if (action->handler != HIST_ONMATCH)
			continue;
		var = find_in(h, action->match_system, action->match_event, name, &its_owner,
			      &more);
		if (var && found && var != found)
			more = true;
		if (var && !found) {
			found = var;
			*owner = its_owner;
		}
	}
	if (more) {
		hist_err(h->file->tr, HIST_ERR_VAR_NOT_UNIQUE, name);
		return ERR_PTR(-EINVAL);
	}
	return found ? found : find_in(h, NULL, NULL, name, owner, &more);
}

struct hist_field *hist_make_var_ref(struct hist_trigger_data *h, struct hist_trigger_data *owner,
				     struct hist_field *var, const char *text)
{
	struct hist_field *f;

	for (unsigned i = 0; i < h->n_var_refs; i++) {
		f = h->var_refs[i];
		if (f->var_data == owner && f->var_index == var->var_index) {
			f->refs++;
			return f;
		}
	}
	f = h->n_var_refs < HIST_VAR_REFS_MAX ? hist_field_alloc(HIST_FIELD_VAR_REF) : NULL;
	if (!f)
		return NULL;
	f->ref_text = kstrdup(text, GFP_KERNEL);
	if (!f->ref_text) {
		hist_field_put(f);
		return NULL;
	}
	f->fn = HIST_FN_VAR_REF;
	f->flags |= var->flags & (HIST_FIELD_TIMESTAMP | HIST_FIELD_USECS | HIST_FIELD_STRING |
				  HIST_FIELD_STACKTRACE);
	f->var_data = owner;
	f->var_index = var->var_index;
	f->ref_index = (u16)h->n_var_refs;
	f->size = var->size;
	f->type = var->type;
	f->is_signed = var->is_signed;
	h->var_refs[h->n_var_refs++] = f;
	if (owner != h)
		owner->users++;
	f->refs++; /* one owner is h->var_refs, one the caller */
	return f;
}

struct hist_field *hist_parse_var_ref(struct hist_trigger_data *h, const char *text)
{
	struct hist_trigger_data *owner = NULL;
	struct hist_field *var, *f;
	char *copy, *rest, *system = NULL, *event = NULL;

	if (!strchr(text, '$'))
		return NULL;
	copy = rest = kstrdup(text, GFP_KERNEL);
	if (!copy)
		return ERR_PTR(-ENOMEM);
	if (*rest != '$') {
		system = strsep(&rest, ".");
		event = strsep(&rest, ".");
	}
	if (!rest || *rest != '$' || (system && !event)) {
		kfree(copy);
		return NULL;
	}
	var = hist_find_var(h, system, event, rest + 1, &owner);
	if (!var)
		hist_err(h->file->tr, HIST_ERR_VAR_NOT_FOUND, rest + 1);
	f = var;
	if (var && !IS_ERR(var)) {
		f = hist_make_var_ref(h, owner, var, text);
		if (!f)
			f = ERR_PTR(-ENOMEM);
	}
	kfree(copy);
	return f;
}

bool hist_is_referenced(const struct hist_trigger_data *h)
{
	struct hist_trigger_data *other;

	list_for_each_entry (other, &hist_list, list) {
		if (other == h)
			continue;
		for (unsigned i = 0; i < other->n_var_refs; i++)
			if (other->var_refs[i]->var_data == h)
				return true;
	}
	return false;
}

bool hist_resolve_refs(struct hist_trigger_data *h, const u64 *key, u64 *values, bool self)
{
	for (unsigned i = 0; i < h->n_var_refs; i++) {
		const struct hist_field *f = h->var_refs[i];
		struct tracing_map *map = f->var_data->map;
		struct tracing_map_elt *elt;

		if ((f->var_data == h) != self)
			continue;
		/*
		 * A histogram with fewer keys is asked with the first ones of these, as on Linux.
		 */
		if (!map || f->var_data->key_size > h->key_size)
			return false;
		elt = tracing_map_lookup(map, key);
		if (!elt)
			return false;
		if (!tracing_map_read_var(map, elt, f->var_index, !self && f->read_once,
					  &values[f->ref_index]))
			return false;
	}
	return true;
}
