/*
 * Trampolines of registered ops: generated code (arch/ftrace/ftrace_trampoline.c) with a name in
 * kallsyms.
 */
#include "trace/ftrace/trampoline.h"

#include "arch/patch/text_patch.h"
#include "kernel/mm/slab.h"

struct ftrace_trampoline *ftrace_trampoline_create(struct ftrace_ops *ops, ftrace_func_t target)
{
	struct ftrace_trampoline *tramp = kzalloc(sizeof(*tramp), GFP_KERNEL);

	if (!tramp)
		return NULL;
	tramp->save = ops->flags & FTRACE_OPS_FL_SAVE_REGS ? FTRACE_SAVE_REGS : FTRACE_SAVE_ARGS;
	tramp->target = target;
	tramp->address = arch_ftrace_trampoline_create(tramp->save, target, ops, &tramp->size);
	if (!tramp->address) {
		kfree(tramp);
		return NULL;
	}
	tramp->symbol.address = tramp->address;
	tramp->symbol.size = tramp->size;
	tramp->symbol.name = "ftrace_trampoline";
	tramp->symbol.module = "__builtin__ftrace";
	kallsyms_add(&tramp->symbol);
	return tramp;
}

int ftrace_trampoline_set_target(struct ftrace_trampoline *tramp, ftrace_func_t target)
{
	struct text_patch patch;
	int error;

	if (tramp->target == target)
		return 0;
	arch_ftrace_trampoline_patch(&patch, tramp->address, tramp->save, tramp->target, target);
	error = ftrace_apply_patches(&patch, 1);
	if (error)
		return error;
	tramp->target = target;
	/*
	 * If a callback has faulted since, the patch may have overwritten the byte that the oops
	 * wrote.
	 */
	if (ftrace_is_dead())
		ftrace_trampoline_silence(tramp);
	return 0;
}

void ftrace_trampoline_silence(const struct ftrace_trampoline *tramp)
{
	arch_ftrace_trampoline_silence(tramp->address, tramp->save);
}

void ftrace_trampoline_hide(struct ftrace_trampoline *tramp)
{
	kallsyms_del(&tramp->symbol);
}

void ftrace_trampoline_free(struct ftrace_trampoline *tramp)
{
	arch_ftrace_trampoline_free(tramp->address, tramp->size);
	kfree(tramp);
}
