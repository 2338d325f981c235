/*
 * Static branches: the table of their sites, and changing them.
 *
 * The linker collects one struct jump_entry for each site. The boot sorts the table by address. A
 * batch notes which keys change. At its end it walks the table once, makes a patch for each site of
 * these keys, and hands all patches over together. The walk costs a few instructions for an entry,
 * and saves sorting the patches, which must come in the order of their addresses.
 *
 * Before the boot's sort no site changes. Sites have the right initial instruction from the
 * compiler, and keys that are changed so early wait for jump_label_init().
 */
#include "kernel/jump_label_internal.h"

#include "kernel/bug.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"

DEFINE_LINKER_TABLE(data, struct jump_entry, jump_entries);
BUILD_BUG_ON(sizeof(struct jump_entry) != 16);

/* [J] jump_label_mutex; [B] written at boot by jump_label_init(), constant afterwards. */
DEFINE_MUTEX(jump_label_mutex);
struct jump_entry *jump_entries_sorted,
	*jump_entries_end; /* [J] sorted by code; NULL before the sort. dis reads them by these
			      names */
static struct static_key *changed_keys;   /* [J] linked by next */
struct text_patch few_patches[FEW_SITES]; /* [J] */

LIST_HEAD(module_tables); /* [J] */

static void report_bad_site(const struct text_patch *patch)
{
	const u8 *site = (const u8 *)patch->addr;

	pr_err("jump_label: %pS holds %02x %02x %02x %02x %02x, not %02x %02x %02x %02x %02x\n",
	       site, site[0], site[1], site[2], site[3], site[4], patch->old[0], patch->old[1],
	       patch->old[2], patch->old[3], patch->old[4]);
}

void apply_queue(struct patch_queue *queue)
{
	size_t bad;
	int error;

	while ((error = text_patch_apply(queue->patches, queue->count, &bad))) {
		queue->error = error;
		report_bad_site(&queue->patches[bad]);
		queue->count--;
		memmove(&queue->patches[bad], &queue->patches[bad + 1],
			(queue->count - bad) * sizeof(queue->patches[0]));
	}
	queue->count = 0;
}

/*
 * Queues up to max sites of changed keys from one table. Returns how many. The walk may pass
 * thousands of entries, so the position in the queue stays in registers.
 */
static size_t queue_changed(struct patch_queue *queue, const struct jump_entry *entry,
			    const struct jump_entry *end, size_t max)
{
	struct text_patch *patch = &queue->patches[queue->count],
			  *full = &queue->patches[queue->room];
	size_t left = max;

	for (; left && entry < end; entry++) {
		const struct static_key *key = jump_entry_key(entry);

		if (!key->changed)
			continue;
		if (unlikely(patch == full)) {
			queue->count = queue->room;
			apply_queue(queue);
			patch = queue->patches;
		}
		make_patch(patch++, entry, !key->on);
		left--;
	}
	queue->count = (size_t)(patch - queue->patches);
	return max - left;
}

/* Makes the sites of the changed keys follow their keys. Empties the list of keys. */
static int apply_changed_keys(void)
{
	struct patch_queue queue = { .patches = few_patches, .room = FEW_SITES };
	const struct jump_table *table;
	struct static_key *key, *next;
	size_t sites = 0;

	for (key = changed_keys; key; key = key->next) {
		key->changed = key->on != (key->enabled > 0);
		if (key->changed)
			sites += key->sites;
	}
	if (sites > FEW_SITES) {
		struct text_patch *many = kmalloc(sites * sizeof(*many), GFP_KERNEL | __GFP_NOWARN);

		if (many) {
			queue.patches = many;
			queue.room = sites;
		}
	}
	/* The keys count their entries, so that the walk may end early. */
	sites -= queue_changed(&queue, jump_entries_sorted, jump_entries_end, sites);
	list_for_each_entry (table, &module_tables, list)
		sites -=
			queue_changed(&queue, table->entries, table->entries + table->count, sites);
	apply_queue(&queue);
	if (queue.patches != few_patches)
		kfree(queue.patches);
	for (key = changed_keys; key; key = next) {
		next = key->next;
		key->on = key->enabled > 0;
		key->changed = false;
	}
	changed_keys = NULL;
	return queue.error;
}

void static_key_batch_begin(void)
{
	mutex_lock(&jump_label_mutex);
}

int static_key_batch_end(void)
{
	int error = jump_entries_sorted && changed_keys ? apply_changed_keys() : 0;

	mutex_unlock(&jump_label_mutex);
	return error;
}

static void set_users(struct static_key *key, int users)
{
	WRITE_ONCE(key->enabled, users);
	if (key->changed || key->on == (users > 0))
		return;
	key->changed = true;
	key->next = changed_keys;
	changed_keys = key;
}

void static_key_batch_set(struct static_key *key, bool enable)
{
	WARN_ON(key->enabled > 1);
	set_users(key, enable);
}

void static_key_batch_add(struct static_key *key, int users)
{
	if (!WARN_ON(key->enabled + users < 0))
		set_users(key, key->enabled + users);
}

int static_key_enable(struct static_key *key)
{
	static_key_batch_begin();
	static_key_batch_set(key, true);
	return static_key_batch_end();
}
EXPORT_SYMBOL_GPL(static_key_enable);

int static_key_disable(struct static_key *key)
{
	static_key_batch_begin();
	static_key_batch_set(key, false);
	return static_key_batch_end();
}
EXPORT_SYMBOL_GPL(static_key_disable);

int static_key_inc(struct static_key *key)
{
	static_key_batch_begin();
	static_key_batch_add(key, 1);
	return static_key_batch_end();
}
EXPORT_SYMBOL_GPL(static_key_inc);

int static_key_dec(struct static_key *key)
{
	static_key_batch_begin();
	static_key_batch_add(key, -1);
	return static_key_batch_end();
}
EXPORT_SYMBOL_GPL(static_key_dec);

unsigned drop_entries(struct jump_entry *entries, unsigned count, unsigned long start,
		      unsigned long end)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < count; i++) {
		if (jump_entry_code(&entries[i]) >= start && jump_entry_code(&entries[i]) < end)
			jump_entry_key(&entries[i])->sites--;
		else
			entries[kept++] = entries[i];
	}
	return kept;
}

void jump_label_free_text(unsigned long start, unsigned long end)
{
	mutex_lock(&jump_label_mutex);
	jump_entries_end =
		jump_entries_sorted +
		drop_entries(jump_entries_sorted,
			     (unsigned)(jump_entries_end - jump_entries_sorted), start, end);
	mutex_unlock(&jump_label_mutex);
}

static int compare_entries(const void *a, const void *b)
{
	unsigned long code_a = jump_entry_code(a), code_b = jump_entry_code(b);

	return code_a < code_b ? -1 : code_a > code_b;
}

void prepare_entries(struct jump_entry *first, struct jump_entry *end)
{
	for (struct jump_entry *entry = first; entry < end; entry++) {
		entry->code += (s32)(long)&entry->code;
		entry->target += (s32)(long)&entry->target;
		jump_entry_key(entry)->sites++;
	}
	sort(first, (size_t)(end - first), sizeof(*first), compare_entries);
}

static int __init jump_label_init(void)
{
	struct jump_entry *first = linker_table_start(jump_entries),
			  *end = linker_table_end(jump_entries);

	prepare_entries(first, end);
	static_key_batch_begin();
	jump_entries_sorted = first;
	jump_entries_end = end;
	return static_key_batch_end();
}
early_initcall(jump_label_init);
