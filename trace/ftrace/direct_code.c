/*
 * Code in front of a function: an ops whose site jumps to code that its owner has generated, such
 * as a trampoline of eBPF, which calls the function itself. Other ops of the site are called first.
 */
#include "trace/ftrace/ops.h"

#include "arch/patch/text_patch.h"
#include "kernel/errno.h"
#include "kernel/mm/page_alloc.h"

#define FTRACE_OPS_FL_OF_CODE (FTRACE_OPS_FL_DIRECT | FTRACE_OPS_FL_SAVE_REGS)

/*
 * The callback, for sites with several ops. It is called after those of all ops that can change
 * where execution continues: ops with code are at the end of the list.
 */
static void go_to_shared_code(unsigned long ip __unused, unsigned long parent_ip __unused,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	regs->r11 = regs->ip;
	ftrace_instruction_pointer_set(fregs, READ_ONCE(ops->direct_shared));
}

int ftrace_attach_code(struct ftrace_ops *ops, const struct ftrace_direct_code *code)
{
	struct failed_registration failed = { .was_listed = false };
	int error;

	mutex_lock(&ftrace_lock);
	ops->func = go_to_shared_code;
	ops->flags = FTRACE_OPS_FL_OF_CODE;
	ops->direct_call = code->alone;
	ops->direct_shared = code->shared;
	error = ftrace_register_locked(ops, FTRACE_OPS_FL_DIRECT, &failed);
	mutex_unlock(&ftrace_lock);
	ftrace_finish_failed(&failed);
	return error;
}

/* The site of ops, if it jumps to the code now, or NULL. [F] */
static const struct dyn_ftrace *jumping_site(const struct ftrace_ops *ops)
{
	const struct ftrace_hash *filter = ops->filter_hash;

	for (u32 i = 0; filter && !ftrace_is_off && i <= filter->mask; i++) {
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
