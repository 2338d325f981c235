/* A histogram from the attributes of its command: keys, values, variables, sort keys, map. */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/sched/sched.h"
#include "trace/events/event.h"
#include "trace/core/snapshot.h"
#include "trace/hist/hist.h"
#include "trace/trigger/trigger.h"

/* Cuts "x=EXPRESSION,y=EXPRESSION" into definitions. */
static int split_definitions(struct hist_trigger_data *h)
{
	struct trace_array *tr = h->file->tr;

	for (unsigned i = 0; i < h->attrs->n_assignments; i++) {
		char *rest = h->attrs->assignments[i], *definition, *value;

		while (rest && h->n_definitions < HIST_VARS_MAX) {
			definition = strsep(&rest, ",");
			value = strchr(definition, '=');
			if (!value) {
				hist_err(tr, HIST_ERR_MALFORMED_ASSIGNMENT, definition);
				return -EINVAL;
			}
			if (!value[1]) {
				hist_err(tr, HIST_ERR_MALFORMED_ASSIGNMENT, definition);
				return -EINVAL;
			}
			h->definitions[h->n_definitions++] = definition;
		}
	}
	return 0;
}

int hist_make_var(struct hist_trigger_data *h, struct hist_field *f, const char *name)
{
	f->var_name = kstrdup(name, GFP_KERNEL);
	if (!f->var_name)
		return -ENOMEM;
	if (h->n_map_vars == TRACING_MAP_VARS_MAX) {
		hist_err(h->file->tr, HIST_ERR_TOO_MANY_FIELD_VARS, NULL);
		return -EINVAL;
	}
	f->flags |= HIST_FIELD_VAR;
	f->var_index = (u16)h->n_map_vars++;
	if (hist_field_is_composite(f)) {
		unsigned size = hist_field_is_string(f) ? ALIGN(f->size, 8) : HIST_STACK_VAR;

		if (h->private_size + size > 0xffff)
			return -EINVAL;
		f->string_offset = (u16)h->private_size;
		h->private_size += size;
	}
	return 0;
}

static int create_key(struct hist_trigger_data *h, char *text)
{
	struct hist_field *f;

	if (strcmp(text, "stacktrace") == 0 || strcmp(text, "common_stacktrace") == 0) {
		f = hist_field_of_stack(HIST_FIELD_KEY);
		if (!f)
			return -ENOMEM;
	} else {
		f = hist_parse_expr(h, h->file, text, HIST_FIELD_KEY);
		if (IS_ERR(f))
			return PTR_ERR(f);
	}
	if (f->fn == HIST_FN_VAR_REF) {
		hist_err(h->file->tr, HIST_ERR_INVALID_REF_KEY, text);
		hist_field_put(f);
		return -EINVAL;
	}
	f->flags |= HIST_FIELD_KEY;
	f->key_offset = (u16)h->key_size;
	h->key_size += ALIGN(f->size, 8);
	h->keys[h->n_keys++] = f;
	if ((f->flags & HIST_FIELD_EXECNAME) && !h->save_comm) {
		h->save_comm = true;
		h->comm_offset = h->private_size;
		h->private_size += HIST_COMM_SIZE;
	}
	return h->key_size > HIST_KEY_SIZE_MAX ? -EINVAL : 0;
}

static int create_keys(struct hist_trigger_data *h)
{
	char *rest = h->attrs->keys;
	int error = 0;

	while (!error && rest && h->n_keys < HIST_KEYS_MAX)
		error = create_key(h, strsep(&rest, ","));
	return !error && rest ? -EINVAL : error;
}

/* Flags that only a key may have. */
#define KEY_ONLY                                                                                   \
	(HIST_FIELD_LOG2 | HIST_FIELD_BUCKET | HIST_FIELD_SYM | HIST_FIELD_SYM_OFFSET |            \
	 HIST_FIELD_SYSCALL | HIST_FIELD_STACKTRACE)

static int create_value(struct hist_trigger_data *h, char *text)
{
	struct hist_field *f = hist_parse_expr(h, h->file, text, 0);

	if (IS_ERR(f))
		return PTR_ERR(f);
	if (f->flags & KEY_ONLY) {
		hist_err(h->file->tr, HIST_ERR_BAD_FIELD_MODIFIER, text);
		hist_field_put(f);
		return -EINVAL;
	}
	h->fields[h->n_vals++] = f;
	return 0;
}

/* hitcount with a modifier that later versions of Linux know. */
static bool is_hitcount(struct hist_field *hitcount, const char *text)
{
	if (strcmp(text, "hitcount.percent") == 0)
		hitcount->flags |= HIST_FIELD_PERCENT;
	else if (strcmp(text, "hitcount.graph") == 0)
		hitcount->flags |= HIST_FIELD_GRAPH;
	else if (strcmp(text, "hitcount.hex") == 0)
		hitcount->flags |= HIST_FIELD_HEX;
	else
		return strcmp(text, "hitcount") == 0;
	return true;
}

static int create_values(struct hist_trigger_data *h)
{
	char *rest = h->attrs->vals;
	struct hist_field *hitcount = hist_field_alloc(HIST_FIELD_HITCOUNT);
	int error = 0;

	if (!hitcount)
		return -ENOMEM;
	hitcount->fn = HIST_FN_COUNTER;
	h->fields[h->n_vals++] = hitcount;
	for (unsigned i = 0; !error && rest && i < HIST_VALS_MAX && h->n_vals < HIST_VALS_MAX;
	     i++) {
		char *text = strsep(&rest, ",");

		if (!is_hitcount(hitcount, text))
			error = create_value(h, text);
	}
	if (!error && rest && !is_hitcount(hitcount, rest))
		error = -EINVAL;
	if (!error && h->attrs->no_hitcount && h->n_vals == 1) {
		hist_err(h->file->tr, HIST_ERR_NEED_NOHC_VAL, NULL);
		error = -EINVAL;
	}
	return error;
}

static int create_variable(struct hist_trigger_data *h, char *definition)
{
	char *value = strchr(definition, '='), *copy;
	struct hist_field *f;
	int error;

	*value = '\0';
	if (hist_find_own_var(h, definition)) {
		hist_err(h->file->tr, HIST_ERR_DUPLICATE_VAR, definition);
		*value = '=';
		return -EINVAL;
	}
	*value = '=';
	copy = kstrdup(definition, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	f = hist_parse_expr(h, h->file, copy + (value - definition) + 1, HIST_FIELD_VAR);
	if (IS_ERR(f)) {
		error = PTR_ERR(f);
	} else {
		copy[value - definition] = '\0';
		error = hist_make_var(h, f, copy);
		if (error)
			hist_field_put(f);
		else
			h->fields[h->n_fields++] = f;
	}
	kfree(copy);
	return error;
}

static int create_variables(struct hist_trigger_data *h)
{
	int error = 0;

	h->n_fields = h->n_vals;
	for (unsigned i = 0; !error && i < h->n_definitions; i++)
		error = create_variable(h, h->definitions[i]);
	return error;
}

/* Whether the field is what a sort key calls it. */
static bool has_name(const struct hist_field *f, const char *name)
{
	if (f->fn == HIST_FN_LOG2 || f->fn == HIST_FN_BUCKET)
		f = f->operands[0];
	if (f->flags & HIST_FIELD_TIMESTAMP)
		return strcmp(name, "common_timestamp") == 0;
	if ((f->flags & HIST_FIELD_CPU) && !f->field)
		return strcmp(name, "common_cpu") == 0;
	return f->field && !(f->flags & HIST_FIELD_EXPR) && strcmp(f->field->name, name) == 0;
}

static int parse_order(struct trace_array *tr, const char *modifier, bool *descending)
{
	*descending = modifier && strcmp(modifier, "descending") == 0;
	if (modifier && !*descending && strcmp(modifier, "ascending") != 0) {
		hist_err(tr, HIST_ERR_INVALID_SORT_MODIFIER, modifier);
		return -EINVAL;
	}
	return 0;
}

/* A sort key that is below n_vals is a value; above, key number field - n_vals. */
static int create_sort_key(struct hist_trigger_data *h, char *text)
{
	char *modifier = text, *name = strsep(&modifier, ".");
	struct hist_sort_key *key = &h->sort_keys[h->n_sort_keys];

	if (!*name) {
		hist_err(h->file->tr, HIST_ERR_EMPTY_SORT_FIELD, "sort=");
		return -EINVAL;
	}
	if (strcmp(name, "hitcount") == 0)
		goto found;
	for (key->field = 1; key->field < h->n_vals; key->field++)
		if (has_name(h->fields[key->field], name))
			goto found;
	for (; key->field < h->n_vals + h->n_keys; key->field++)
		if (has_name(h->keys[key->field - h->n_vals], name))
			goto found;
	hist_err(h->file->tr, HIST_ERR_INVALID_SORT_FIELD, name);
	return -EINVAL;
found:
	h->n_sort_keys++;
	return parse_order(h->file->tr, modifier, &key->descending);
}

static int create_sort_keys(struct hist_trigger_data *h)
{
	char *rest = h->attrs->sort;
	int error = 0;

	if (!rest) {
		h->sort_keys[0].field = h->attrs->no_hitcount ? 1 : 0;
		h->n_sort_keys = 1;
		return 0;
	}
	while (!error && rest && h->n_sort_keys < TRACING_MAP_SORT_KEYS_MAX)
		error = create_sort_key(h, strsep(&rest, ","));
	if (!error && rest) {
		hist_err(h->file->tr, HIST_ERR_TOO_MANY_SORT_FIELDS, "sort=");
		error = -EINVAL;
	}
	return error;
}

static bool is_simple(const struct hist_trigger_data *h)
{
	if (h->n_map_vars || h->n_var_refs || h->n_actions)
		return false;
	for (unsigned i = 0; i < h->n_keys; i++)
		if (ALIGN(h->keys[i]->size, 8) != 8 || hist_field_is_string(h->keys[i]))
			return false;
	for (unsigned i = 1; i < h->n_vals; i++)
		if (hist_field_is_string(h->fields[i]))
			return false;
	return true;
}

/* Whether the value of a field comes from the head that all records have. */
static bool reads_head(const struct hist_field *f)
{
	if (!f)
		return false;
	return (f->field && f->offset < sizeof(struct trace_entry)) || reads_head(f->operands[0]) ||
	       reads_head(f->operands[1]);
}

static bool any_reads_head(struct hist_field *const *fields, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (reads_head(fields[i]))
			return true;
	return false;
}

struct hist_trigger_data *hist_create(struct trace_event_file *file, struct hist_attrs *attrs)
{
	struct hist_trigger_data *h = kzalloc(sizeof(*h), GFP_KERNEL);
	int error = h ? -ENODEV : -ENOMEM;

	/* With name=, another event may use the histogram when file's triggers are removed. */
	if (!h || !trace_event_get_module(file->call)) {
		kfree(h);
		hist_attrs_free(attrs);
		return ERR_PTR(error);
	}
	file->call->users++;
	INIT_LIST_HEAD(&h->list);
	h->file = file;
	h->attrs = attrs;
	error = hist_parse_actions(h);
	if (!error)
		error = split_definitions(h);
	if (!error)
		error = create_values(h);
	if (!error)
		error = create_variables(h);
	if (!error)
		error = create_keys(h);
	if (!error)
		error = create_sort_keys(h);
	if (error) {
		hist_destroy(h);
		return ERR_PTR(error);
	}
	return h;
}

/* The name of the task that a new element belongs to. */
static void save_comm(struct tracing_map *map, struct tracing_map_elt *elt)
{
	const struct hist_trigger_data *h = map->owner;

	strscpy(hist_comm(h, elt), current->comm, HIST_COMM_SIZE);
}

int hist_start(struct hist_trigger_data *h)
{
	struct tracing_map_layout layout = { 0 };
	int error = hist_create_actions(h);

	if (error)
		return error;
	layout.bits = h->attrs->map_bits ? h->attrs->map_bits : TRACING_MAP_BITS_DEFAULT;
	layout.key_size = h->key_size;
	layout.n_sums = h->n_vals;
	layout.n_vars = h->n_map_vars;
	layout.private_size = h->private_size;
	layout.elt_init = h->save_comm ? save_comm : NULL;
	layout.owner = h;
	h->map = tracing_map_create(&layout);
	h->simple = is_simple(h);
	h->reads_head =
		any_reads_head(h->keys, h->n_keys) || any_reads_head(h->fields, h->n_fields);
	return h->map ? 0 : -ENOMEM;
}

void hist_destroy(struct hist_trigger_data *h)
{
	unsigned n_fields = max(h->n_fields, h->n_vals);

	list_del(&h->list);
	if (h->armed)
		tracing_disarm_snapshot(h->file->tr);
	for (unsigned i = 0; i < h->n_keys; i++)
		hist_field_put(h->keys[i]);
	for (unsigned i = 0; i < n_fields; i++)
		hist_field_put(h->fields[i]);
	for (unsigned i = 0; i < h->n_var_refs; i++) {
		if (h->var_refs[i]->var_data != h)
			hist_put(h->var_refs[i]->var_data);
		hist_field_put(h->var_refs[i]);
	}
	for (unsigned i = 0; i < h->n_var_hists; i++)
		if (h->var_hists[i])
			event_trigger_unregister(h->var_hists[i]);
	hist_destroy_actions(h);
	tracing_map_destroy(h->map);
	hist_attrs_free(h->attrs);
	h->file->call->users--;
	module_put(h->file->call->mod);
	kfree(h);
}
