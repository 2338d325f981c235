/* The search of the exception table. */
#include "arch/extable.h"

#include "kernel/linker_table.h"

DEFINE_LINKER_TABLE(rodata, const struct exception_table_entry, ex_table);

notrace /* a fault inside a tracer's callback comes here */
	const struct exception_table_entry *
	search_exception_table(unsigned long ip)
{
	for_each_linker_table_entry (entry, ex_table)
		if (entry->insn == ip)
			return entry;
	return NULL;
}

notrace /* a fault inside a tracer's callback comes here */
	bool
	fixup_exception(struct pt_regs *regs)
{
	const struct exception_table_entry *entry = search_exception_table(regs->ip);

	if (!entry)
		return false;
	regs->ip = entry->fixup;
	return true;
}
