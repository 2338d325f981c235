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
#include "kernel/jump_label.h"

#include "arch/patch/insn_site.h"
#include "arch/patch/text_patch.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/module/module.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/mutex.h"

DEFINE_LINKER_TABLE(data, struct jump_entry, jump_entries);
BUILD_BUG_ON(sizeof(struct jump_entry) != 16);

/* A batch with more sites than these allocates memory, or applies them in several parts. */
#define FEW_SITES 32

/* [J] jump_label_mutex; [B] written at boot by jump_label_init(), constant afterwards. */
static DEFINE_MUTEX(jump_label_mutex);
static struct jump_entry *jump_entries_sorted,
	*jump_entries_end; /* [J] sorted by code; NULL before the sort. dis reads them by these
			      names */
static struct static_key *changed_keys;          /* [J] linked by next */
static struct text_patch few_patches[FEW_SITES]; /* [J] */

/* The sites of a module. The tables are in the order of addresses, behind the kernel's. */
struct jump_table {
	struct list_head list;      /* [J] in module_tables */
	struct jump_entry *entries; /* sorted by code; in the module */
	unsigned count;             /* [J] less when init text has gone */
};
static LIST_HEAD(module_tables); /* [J] */

/* The patches that wait for text_patch_apply(), sorted by address. */
struct patch_queue {
	struct text_patch *patches;
	size_t count, room;
	int error; /* of the parts that were applied */
};

static bool is_likely(const struct jump_entry *entry)
{
	return entry->key & JUMP_ENTRY_LIKELY;
}

static bool is_insn(const struct jump_entry *entry)
{
	return entry->key & JUMP_ENTRY_INSN;
}

static void report_bad_site(const struct text_patch *patch)
{
	const u8 *site = (const u8 *)patch->addr;

	pr_err("jump_label: %pS holds %02x %02x %02x %02x %02x, not %02x %02x %02x %02x %02x\n",
	       site, site[0], site[1], site[2], site[3], site[4], patch->old[0], patch->old[1],
	       patch->old[2], patch->old[3], patch->old[4]);
}

/* Applies the queue. Reports and leaves out sites that do not hold their old bytes. */
static void apply_queue(struct patch_queue *queue)
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

static const struct insn_site *insn_site_of(const struct jump_entry *entry)
{
	return (const struct insn_site *)jump_entry_target(entry);
}

/* Fills the patch that brings a site into the state of its key. */
static __always_inline void make_patch(struct text_patch *patch, const struct jump_entry *entry,
				       bool on)
{
	bool to_nop = on == is_likely(entry);

	if (is_insn(entry)) {
		arch_insn_site_patch(patch, jump_entry_code(entry), insn_site_of(entry), on);
		return;
	}
	patch->addr = jump_entry_code(entry);
	__builtin_memcpy(to_nop ? patch->new : patch->old, text_nop5, TEXT_PATCH_SIZE);
	text_encode_jmp(to_nop ? patch->old : patch->new, patch->addr, jump_entry_target(entry));
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

/* Returns the entry of the site at addr, or NULL. J held. */
static const struct jump_entry *find_entry(const struct jump_entry *entries,
					   const struct jump_entry *end, unsigned long addr)
{
	const struct jump_entry *entry =
		entries +
		partition_point((size_t)(end - entries), i, jump_entry_code(&entries[i]) < addr);

	return entry < end && jump_entry_code(entry) == addr ? entry : NULL;
}

unsigned static_key_site_size(unsigned long addr)
{
	const struct jump_entry *entry;
	const struct jump_table *table;
	unsigned size = 0;

	mutex_lock(&jump_label_mutex);
	entry = find_entry(jump_entries_sorted, jump_entries_end, addr);
	list_for_each_entry (table, &module_tables, list)
		if (!entry)
			entry = find_entry(table->entries, table->entries + table->count, addr);
	if (entry)
		size = is_insn(entry) ? insn_site_of(entry)->size : TEXT_PATCH_SIZE;
	mutex_unlock(&jump_label_mutex);
	return size;
}

static bool table_jumps_into(const struct jump_entry *entry, const struct jump_entry *table_end,
			     unsigned long start, unsigned long end)
{
	for (; entry < table_end; entry++)
		if (!is_insn(entry) && jump_entry_target(entry) >= start &&
		    jump_entry_target(entry) < end)
			return true;
	return false;
}

bool static_key_jumps_into(unsigned long start, unsigned long end)
{
	const struct jump_table *table;
	bool result;

	mutex_lock(&jump_label_mutex);
	result = table_jumps_into(jump_entries_sorted, jump_entries_end, start, end);
	list_for_each_entry (table, &module_tables, list)
		result = result || table_jumps_into(table->entries, table->entries + table->count,
						    start, end);
	mutex_unlock(&jump_label_mutex);
	return result;
}

/* Drops the entries of [start, end) from a table. Returns how many are left. J held. */
static unsigned drop_entries(struct jump_entry *entries, unsigned count, unsigned long start,
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

/* Makes the entries absolute, and sorts them. J held, or boot. */
static void prepare_entries(struct jump_entry *first, struct jump_entry *end)
{
	for (struct jump_entry *entry = first; entry < end; entry++) {
		entry->code += (s32)(long)&entry->code;
		entry->target += (s32)(long)&entry->target;
		jump_entry_key(entry)->sites++;
	}
	sort(first, (size_t)(end - first), sizeof(*first), compare_entries);
}

/* ---- modules ---- */

/*
 * Brings the sites of a new module into the state of their keys. The compiler has made each of them
 * for a key that is false, or for one that is true; a key of the kernel may have changed since. A
 * key that another task is changing now is in the state key->on until the batch ends.
 */
static int apply_to_new(const struct jump_table *table)
{
	struct patch_queue queue = { .patches = few_patches, .room = FEW_SITES };

	for (unsigned i = 0; i < table->count; i++) {
		const struct jump_entry *entry = &table->entries[i];
		bool on = jump_entry_key(entry)->on;
		u8 opcode = *(const u8 *)jump_entry_code(entry);
		bool jumps = opcode == 0xe9 || opcode == 0xe8; /* or calls */

		if (queue.count == queue.room)
			apply_queue(&queue);
		if (jumps != (on != is_likely(entry)))
			make_patch(&queue.patches[queue.count++], entry, on);
	}
	apply_queue(&queue);
	return queue.error;
}

static void jump_label_module_going(struct module *mod)
{
	struct jump_table *table = mod->jump_labels;

	if (!table)
		return;
	mutex_lock(&jump_label_mutex);
	drop_entries(table->entries, table->count, 0, ~0UL);
	list_del(&table->list);
	mod->jump_labels = NULL;
	mutex_unlock(&jump_label_mutex);
	kfree(table);
}

static int jump_label_module_coming(struct module *mod)
{
	struct jump_table *table, *next;
	int error;

	if (!mod->num_jump_entries)
		return 0;
	table = kzalloc(sizeof(*table), GFP_KERNEL);
	if (!table)
		return -ENOMEM;
	mutex_lock(&jump_label_mutex);
	table->entries = mod->jump_entries;
	table->count = mod->num_jump_entries;
	prepare_entries(table->entries, table->entries + table->count);
	error = apply_to_new(table);
	list_for_each_entry (next, &module_tables, list)
		if (next->entries[0].code > table->entries[0].code)
			break;
	list_add_tail(&table->list, &next->list);
	mod->jump_labels = table;
	mutex_unlock(&jump_label_mutex);
	if (error)
		jump_label_module_going(mod);
	return error;
}

static void jump_label_module_live(struct module *mod)
{
	const struct module_memory *init = &mod->memory[MOD_INIT_TEXT];
	struct jump_table *table = mod->jump_labels;

	if (!table)
		return;
	mutex_lock(&jump_label_mutex);
	table->count =
		drop_entries(table->entries, table->count, init->base, init->base + init->size);
	mutex_unlock(&jump_label_mutex);
}

MODULE_NOTIFIER(MODULE_CHAIN_STATIC_KEYS) = {
	.coming = jump_label_module_coming,
	.live = jump_label_module_live,
	.going = jump_label_module_going,
};

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
