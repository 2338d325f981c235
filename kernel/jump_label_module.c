/* Static branches of modules: their sites come and go with them. */
#include "kernel/jump_label_internal.h"

#include "kernel/errno.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/sched/mutex.h"

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
