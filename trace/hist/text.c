/* The line of a histogram in the trigger file: the command, with all defaults. E held. */
#include "fs/vfs/seq_file.h"
#include "trace/events/event.h"
#include "trace/filter/filter.h"
#include "trace/hist/hist.h"
#include "trace/trigger/trigger.h"

static void print_keys(struct seq_file *m, const struct hist_trigger_data *h)
{
	for (unsigned i = 0; i < h->n_keys; i++) {
		seq_puts(m, i ? "," : "keys=");
		hist_field_puts(m, h->keys[i], true);
	}
}

static void print_values(struct seq_file *m, const struct hist_trigger_data *h)
{
	const char *separator = ":vals=";

	for (unsigned i = h->attrs->no_hitcount ? 1 : 0; i < h->n_vals; i++) {
		seq_puts(m, separator);
		separator = ",";
		hist_field_puts(m, h->fields[i], true);
	}
}

static void print_variables(struct seq_file *m, const struct hist_trigger_data *h)
{
	for (unsigned i = h->n_vals; i < h->n_fields; i++) {
		seq_printf(m, "%s%s=", i == h->n_vals ? ":" : ",", h->fields[i]->var_name);
		hist_field_puts(m, h->fields[i], true);
	}
}

static void print_sort_keys(struct seq_file *m, const struct hist_trigger_data *h)
{
	for (unsigned i = 0; i < h->n_sort_keys; i++) {
		const struct hist_sort_key *key = &h->sort_keys[i];

		seq_puts(m, i ? "," : ":sort=");
		if (!key->field)
			seq_puts(m, "hitcount");
		else if (key->field < h->n_vals)
			hist_field_puts(m, h->fields[key->field], true);
		else
			hist_field_puts(m, h->keys[key->field - h->n_vals], true);
		if (key->descending)
			seq_puts(m, ".descending");
	}
}

void hist_print_line(struct seq_file *m, const struct hist_trigger_data *h,
		     const struct event_trigger_data *data)
{
	const struct hist_attrs *attrs = h->attrs;

	seq_puts(m, "hist:");
	if (attrs->name)
		seq_printf(m, "name=%s:", attrs->name);
	print_keys(m, h);
	print_values(m, h);
	print_variables(m, h);
	print_sort_keys(m, h);
	seq_printf(m, ":size=%u", h->map->size);
	if (attrs->no_hitcount)
		seq_puts(m, ":nohitcount");
	if (h->use_timestamp)
		seq_printf(m, ":clock=%s", attrs->clock ? attrs->clock : "global");
	hist_actions_puts(m, h);
	if (data->filter)
		seq_printf(m, " if %s", event_filter_text(data->filter));
	seq_puts(m, data->paused ? " [paused]" : " [active]");
}
