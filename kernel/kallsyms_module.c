/* Looks up symbols of modules, in tables that are added and removed with them. */
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/rcu/rculist.h"

static DEFINE_SPINLOCK(tables_lock);
static LIST_HEAD(tables); /* [tables_lock] to write; RCU */

void kallsyms_add_table(struct kallsyms_table *table)
{
	spin_lock(&tables_lock);
	list_add_tail_rcu(&table->list, &tables);
	spin_unlock(&tables_lock);
}

void kallsyms_del_table(struct kallsyms_table *table)
{
	spin_lock(&tables_lock);
	list_del_rcu(&table->list);
	spin_unlock(&tables_lock);
}

static const char *name_of(const struct kallsyms_table *table, const struct kallsyms_symbol *symbol)
{
	return table->names + symbol->name + 1;
}

/* Returns the first symbol of the highest address that is not above address, or NULL. */
static const struct kallsyms_symbol *covering(const struct kallsyms_table *table,
					      unsigned long address)
{
	const struct kallsyms_symbol *symbols = table->symbols;
	size_t above = partition_point(table->count, i, symbols[i].address <= address);

	while (above > 1 && symbols[above - 2].address == symbols[above - 1].address)
		above--;
	return above ? &symbols[above - 1] : NULL;
}

/* Returns the table of code that is there, or is gone, with the symbol of address. RCU. */
static const struct kallsyms_table *find_table(unsigned long address, bool gone,
					       const struct kallsyms_symbol **symbol)
{
	const struct kallsyms_table *table;

	list_for_each_entry_rcu (table, &tables, list) {
		if (READ_ONCE(table->gone) != gone)
			continue;
		*symbol = covering(table, address);
		if (*symbol && address - (*symbol)->address < (*symbol)->size)
			return table;
	}
	return NULL;
}

/* module_ops.lookup_symbol */
static const char *lookup_symbol(unsigned long address, unsigned long *size, unsigned long *offset,
				 char namebuf[KSYM_NAME_LEN], char module[])
{
	const struct kallsyms_table *table;
	const struct kallsyms_symbol *symbol;

	rcu_read_lock();
	table = find_table(address, false, &symbol);
	if (!table)
		table = find_table(address, true, &symbol);
	if (table) {
		strscpy(namebuf, name_of(table, symbol), KSYM_NAME_LEN);
		if (module)
			strscpy(module, table->module, KSYM_MODULE_LEN);
		if (size)
			*size = symbol->size;
		if (offset)
			*offset = address - symbol->address;
	}
	rcu_read_unlock();
	return table ? namebuf : NULL;
}

/* module_ops.get_symbol */
static bool get_symbol(unsigned index, unsigned long *address, char *type, char name[KSYM_NAME_LEN],
		       char module[])
{
	const struct kallsyms_table *table;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu (table, &tables, list) {
		if (table->gone)
			continue;
		if (index < table->count) {
			const struct kallsyms_symbol *symbol = &table->symbols[index];

			*address = symbol->address;
			*type = table->names[symbol->name];
			strscpy(name, name_of(table, symbol), KSYM_NAME_LEN);
			strscpy(module, table->module, KSYM_MODULE_LEN);
			found = true;
			break;
		}
		index -= table->count;
	}
	rcu_read_unlock();
	return found;
}

/* module_ops.find_symbol */
static unsigned long find_symbol(const char *module, const char *name)
{
	const struct kallsyms_table *table;
	unsigned long address = 0;

	rcu_read_lock();
	list_for_each_entry_rcu (table, &tables, list) {
		if (table->gone || (module && strcmp(table->module, module) != 0))
			continue;
		for (unsigned i = 0; i < table->count && !address; i++)
			if (strcmp(name_of(table, &table->symbols[i]), name) == 0)
				address = table->symbols[i].address;
		if (address)
			break;
	}
	rcu_read_unlock();
	return address;
}

static int __init kallsyms_module_init(void)
{
	module_ops.lookup_symbol = lookup_symbol;
	module_ops.get_symbol = get_symbol;
	module_ops.find_symbol = find_symbol;
	return 0;
}
core_initcall(kallsyms_module_init);
