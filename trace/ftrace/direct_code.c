/*
 * Code in front of a function that its owner has generated, such as a trampoline of eBPF, which
 * calls the function itself: a direct ops whose code can be replaced (trace/ftrace/direct.c).
 */
#include "trace/ftrace/ops.h"

#include "arch/patch/text_patch.h"
#include "kernel/errno.h"
#include "kernel/mm/page_alloc.h"

int ftrace_attach_code(struct ftrace_ops *ops, const struct ftrace_direct_code *code)
{
	return ftrace_attach_in_front(ops, FTRACE_OPS_FL_JMP, code);
}

/* The site of ops, if it jumps to the code now, or NULL. [F] */
static const struct dyn_ftrace *jumping_site(const struct ftrace_ops *ops)
{
	const struct ftrace_hash *filter = ops->filter_hash;

	for (u32 i = 0; filter && i <= filter->mask; i++) {
		u32 offset = filter->slots[i];
		const struct dyn_ftrace *rec =
			offset ? ftrace_location(KERNEL_IMAGE_BASE + offset) : NULL;

		if (rec && rec->flags & FTRACE_FL_TRAMP_EN)
			return rec;
	}
	return NULL;
}

int ftrace_change_code(struct ftrace_ops *ops, const struct ftrace_direct_code *code)
{
	const struct dyn_ftrace *rec;
	struct text_patch patch;
	int error = 0;

	mutex_lock(&ftrace_lock);
	if (ftrace_is_dead()) {
		error = -ENODEV;
		goto unlock;
	}
	rec = jumping_site(ops);
	if (rec) {
		patch.addr = ftrace_record_ip(rec);
		text_encode_jmp(patch.old, patch.addr, ops->direct_call);
		text_encode_jmp(patch.new, patch.addr, code->alone);
		error = ftrace_apply_patches(&patch, 1);
	}
	if (!error) {
		ops->direct_call = code->alone;
		WRITE_ONCE(ops->direct_shared, code->shared);
	}
unlock:
	mutex_unlock(&ftrace_lock);
	return error;
}

void ftrace_detach_code(struct ftrace_ops *ops)
{
	struct ftrace_trampoline *tramp; /* NULL: it has none */

	(void)ftrace_unregister_begin(ops, &tramp);
}
