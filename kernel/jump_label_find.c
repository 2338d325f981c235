/* The sites of static branches by their address, and where they jump: for probes. */
#include "kernel/jump_label_internal.h"

#include "kernel/lib/sort.h"
#include "kernel/sched/mutex.h"

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
