/* The file events/SYSTEM/EVENT/hist. E held. */
#include "fs/vfs/seq_file.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "trace/events/event.h"
#include "trace/hist/hist.h"
#include "trace/trigger/trigger.h"

static void print_name(struct seq_file *m, const struct hist_field *f)
{
	hist_field_puts(m, f, false);
}

void hist_print_stack(struct seq_file *m, const u64 *stack)
{
	char symbol[KSYM_SYMBOL_LEN];

	for (unsigned i = 0; i < HIST_STACK_ENTRIES && stack[i]; i++) {
		sprint_symbol(symbol, stack[i]);
		seq_printf(m, "         %s\n", symbol);
	}
}

/* As in Linux, the first address of a field stands in the line of its name. */
static void print_stack(struct seq_file *m, const struct hist_field *f, const u64 *stack)
{
	print_name(m, f);
	seq_puts(m, f->fn == HIST_FN_STACK ? ":\n" : ".stacktrace");
	hist_print_stack(m, stack);
}

static void print_number(struct seq_file *m, const struct hist_field *f, u64 value,
			 const char *comm)
{
	char symbol[KSYM_SYMBOL_LEN];

	if (f->flags & HIST_FIELD_HEX) {
		seq_printf(m, "%lx", value);
	} else if (f->flags & HIST_FIELD_SYM) {
		sprint_symbol_no_offset(symbol, value);
		seq_printf(m, "[%lx] %-45s", value, symbol);
	} else if (f->flags & HIST_FIELD_SYM_OFFSET) {
		sprint_symbol(symbol, value);
		seq_printf(m, "[%lx] %-55s", value, symbol);
	} else if (f->flags & HIST_FIELD_EXECNAME) {
		seq_printf(m, "%-16s[%10lu]", comm, value);
	} else if (f->flags & HIST_FIELD_SYSCALL) {
		hist_syscall_name(value, symbol);
		seq_printf(m, "%-30s[%3lu]", symbol, value);
	} else if (f->flags & HIST_FIELD_LOG2) {
		seq_printf(m, "~ 2^%-2lu", value);
	} else if (f->flags & HIST_FIELD_BUCKET) {
		seq_printf(m, "~ %lu-%lu", value, value + f->constant - 1);
	} else {
		seq_printf(m, "%10lu", value);
	}
}

void hist_print_key(struct seq_file *m, const struct hist_trigger_data *h, const u64 *key,
		    const char *comm)
{
	bool stack = false;

	seq_puts(m, "{ ");
	for (unsigned i = 0; i < h->n_keys; i++) {
		const struct hist_field *f = h->keys[i];
		const u64 *part = key + f->key_offset / 8;

		if (i)
			seq_puts(m, ", ");
		if (f->flags & HIST_FIELD_STACKTRACE) {
			print_stack(m, f, part);
			stack = true;
			continue;
		}
		print_name(m, f);
		seq_puts(m, ": ");
		if (hist_field_is_string(f))
			seq_printf(m, "%-50s", (const char *)part);
		else
			print_number(m, f, *part, comm);
	}
	seq_puts(m, stack ? "}" : " }");
}

/* What the entries of one value have in common. */
struct value_stats {
	u64 total, max;
};

/* part of whole in hundredths of a percent. ~0: it is not known. */
static u64 percentage(u64 part, u64 whole)
{
	if (part < ~0ULL / 10000)
		return whole ? part * 10000 / whole : part ? ~0ULL : 0;
	whole /= 10000;
	return whole ? part / whole : ~0ULL;
}

static void print_value(struct seq_file *m, const struct hist_field *f, u64 value,
			const struct value_stats *stats)
{
	char bar[HIST_BAR_SIZE + 1];
	u64 percent;

	print_name(m, f);
	if (f->flags & HIST_FIELD_PERCENT) {
		percent = percentage(value, stats->total);
		if (percent == ~0ULL)
			seq_puts(m, " (%):[ERROR]");
		else
			seq_printf(m, " (%%): %3lu.%02lu", percent / 100, percent % 100);
	} else if (f->flags & HIST_FIELD_GRAPH) {
		percent = percentage(value, stats->max);
		for (unsigned i = 0; i < HIST_BAR_SIZE; i++)
			bar[i] = i < percent / (10000 / HIST_BAR_SIZE) ? '#' : ' ';
		bar[HIST_BAR_SIZE] = '\0';
		seq_printf(m, ": %s", bar);
	} else if (f->flags & HIST_FIELD_HEX) {
		seq_printf(m, ": %10lx", value);
	} else {
		seq_printf(m, ": %10lu", value);
	}
}

static void print_entry(struct seq_file *m, const struct hist_trigger_data *h,
			struct tracing_map_elt *elt, const struct value_stats *stats)
{
	const char *space = " ";

	hist_print_key(m, h, elt->key, hist_comm(h, elt));
	for (unsigned i = h->attrs->no_hitcount ? 1 : 0; i < h->n_vals; i++) {
		if (h->fields[i]->flags & HIST_FIELD_EXPR)
			continue; /* Linux sums expressions, but does not print them */
		seq_puts(m, space);
		space = "  ";
		print_value(m, h->fields[i], tracing_map_read_sum(h->map, elt, i), &stats[i]);
	}
	hist_print_track(m, h, elt);
	seq_putc(m, '\n');
}

static int compare_u64(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

#define COMPARE_SIGNED(type)                                                                       \
	static int compare_##type(const void *a, const void *b)                                    \
	{                                                                                          \
		type x = *(const type *)a, y = *(const type *)b;                                   \
		return (x > y) - (x < y);                                                          \
	}
COMPARE_SIGNED(s64)
COMPARE_SIGNED(s32)
COMPARE_SIGNED(s16)
COMPARE_SIGNED(s8)

static int compare_strings(const void *a, const void *b)
{
	return strcmp(a, b);
}

static int compare_nothing(const void *a __unused, const void *b __unused)
{
	return 0;
}

static void set_sort_key(const struct hist_trigger_data *h, const struct hist_sort_key *from,
			 struct tracing_map_sort_key *to)
{
	const struct hist_field *f;

	*to = (struct tracing_map_sort_key){ .descending = from->descending };
	if (from->field < h->n_vals) {
		to->sum = true;
		to->index = from->field;
		return;
	}
	f = h->keys[from->field - h->n_vals];
	to->offset = f->key_offset;
	if (f->flags & HIST_FIELD_STACKTRACE)
		to->compare = compare_nothing;
	else if (hist_field_is_string(f))
		to->compare = compare_strings;
	else if (!f->is_signed)
		to->compare = compare_u64;
	else
		to->compare = f->size == 8   ? compare_s64
			      : f->size == 4 ? compare_s32
			      : f->size == 2 ? compare_s16
					     : compare_s8;
}

static void add_stats(const struct hist_trigger_data *h,
		      const struct tracing_map_snapshot *snapshot, struct value_stats *stats)
{
	for (unsigned i = 0; i < h->n_vals; i++) {
		stats[i] = (struct value_stats){ 0 };
		for (unsigned j = 0; j < snapshot->count; j++) {
			u64 value = tracing_map_read_sum(h->map, snapshot->elts[j], i);

			stats[i].total += value;
			stats[i].max = max(stats[i].max, value);
		}
	}
}

int hist_print(struct seq_file *m, struct hist_trigger_data *h, struct event_trigger_data *data)
{
	struct tracing_map_sort_key sort_keys[TRACING_MAP_SORT_KEYS_MAX];
	struct tracing_map_snapshot snapshot;
	struct value_stats stats[HIST_VALS_MAX];
	int error;

	for (unsigned i = 0; i < h->n_sort_keys; i++)
		set_sort_key(h, &h->sort_keys[i], &sort_keys[i]);
	error = tracing_map_snapshot(h->map, sort_keys, h->n_sort_keys, &snapshot);
	if (error)
		return error;
	seq_puts(m, "# event histogram\n#\n# trigger info: ");
	hist_print_line(m, h, data);
	seq_puts(m, "\n#\n\n");
	add_stats(h, &snapshot, stats);
	for (unsigned i = 0; i < snapshot.count; i++)
		print_entry(m, h, snapshot.elts[i], stats);
	hist_print_snapshots(m, h);
	seq_printf(m, "\nTotals:\n    Hits: %lu\n    Entries: %u\n    Dropped: %lu\n",
		   (u64)atomic64_read(&h->map->hits), snapshot.count,
		   (u64)atomic64_read(&h->map->drops));
	tracing_map_snapshot_free(&snapshot);
	return 0;
}
