/* The table of system calls. SYSCALL_DEFINEn() makes its entries. */
#include "kernel/syscalls/syscalls.h"

#include "kernel/bug.h"
#include "kernel/init.h"

DEFINE_LINKER_TABLE(rodata, const struct syscall_metadata, syscalls);

const struct syscall_metadata *syscall_by_index(unsigned index)
{
	const struct syscall_metadata *first = linker_table_start(syscalls);
	const struct syscall_metadata *end = linker_table_end(syscalls);

	return index < (size_t)(end - first) ? first + index : NULL;
}

DEFINE_STATIC_KEY_FALSE(syscall_trace_key);

int syscall_regfunc(void)
{
	static_branch_inc_later(&syscall_trace_key);
	return 0;
}

void syscall_unregfunc(void)
{
	(void)static_branch_dec(&syscall_trace_key);
}

/* The index of each number, plus 1. */
#define NR_SYSCALLS 512
static u16 indexes[NR_SYSCALLS];

int syscall_index(long nr)
{
	return nr >= 0 && nr < NR_SYSCALLS ? indexes[nr] - 1 : -1;
}

static int __init syscalls_init(void)
{
	const struct syscall_metadata *call;

	for (unsigned i = 0; (call = syscall_by_index(i)); i++) {
		BUG_ON(call->nr >= NR_SYSCALLS || indexes[call->nr]);
		indexes[call->nr] = (u16)(i + 1);
	}
	return 0;
}
early_initcall(syscalls_init);
