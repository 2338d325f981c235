/* The search of the exception table. */
#include "arch/irq/extable.h"

#include "arch/mm/pgtable.h"
#include "kernel/linker_table.h"
#include "kernel/module_list.h"

DEFINE_LINKER_TABLE(rodata, const struct exception_table_entry, ex_table);
const struct exception_table_entry *(*search_generated_exception_table)(unsigned long ip);

/* The entries of a module are in its memory, which stays as long as its code runs. */
notrace /* a fault inside a tracer's callback comes here */
static const struct exception_table_entry *search_module(unsigned long ip)
{
	const struct module *mod = __module_address(ip);

	for (unsigned i = 0; mod && i < mod->num_extable; i++)
		if (mod->extable[i].insn == ip)
			return &mod->extable[i];
	return NULL;
}

notrace /* a fault inside a tracer's callback comes here */
const struct exception_table_entry *search_exception_table(unsigned long ip)
{
	for_each_linker_table_entry (entry, ex_table)
		if (entry->insn == ip)
			return entry;
	if (ip >= TEXT_AREA_START && ip < TEXT_AREA_END && search_generated_exception_table)
		return search_generated_exception_table(ip);
	return ip >= MODULES_START && ip < MODULES_END ? search_module(ip) : NULL;
}

static bool touches(const struct exception_table_entry *entry, unsigned long start,
		    unsigned long end)
{
	return (entry->insn >= start && entry->insn < end) ||
	       (entry->fixup >= start && entry->fixup < end);
}

bool exception_table_touches(unsigned long start, unsigned long end)
{
	const struct module *mod = __module_address(start);

	for_each_linker_table_entry (entry, ex_table)
		if (touches(entry, start, end))
			return true;
	for (unsigned i = 0; mod && i < mod->num_extable; i++)
		if (touches(&mod->extable[i], start, end))
			return true;
	return false;
}

notrace /* a fault inside a tracer's callback comes here */
bool fixup_exception(struct pt_regs *regs)
{
	const struct exception_table_entry *entry = search_exception_table(regs->ip);

	if (!entry)
		return false;
	regs->ip = entry->fixup;
	return true;
}
