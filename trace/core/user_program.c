/*
 * Reads stacks of programs, and finds the files of their addresses (option sym-userobj). Linked
 * with programs: user_stack.h.
 */
#include "arch/unwind/stacktrace.h"
#include "kernel/init.h"
#include "kernel/sched/mm.h"
#include "kernel/sched/sched.h"
#include "kernel/vm/mm.h"
#include "trace/core/output.h"
#include "trace/core/user_stack.h"

static struct mm_struct *get_user_mm(pid_t tgid)
{
	struct task_struct *task = find_get_task_by_pid(tgid);
	struct mm_struct *mm;

	if (!task)
		return NULL;
	mm = get_task_mm(task);
	put_task_struct(task);
	if (mm)
		mmap_read_lock(mm);
	return mm;
}

static void put_user_mm(struct mm_struct *mm)
{
	mmap_read_unlock(mm);
	mmput(mm);
}

static bool print_user_file(struct trace_iterator *iter, struct mm_struct *mm, unsigned long ip)
{
	struct vm_area_struct *vma = vma_lookup(mm, ip);
	char *name;

	if (!vma || !vma->vm_file)
		return false;
	name = d_path(&vma->vm_file->f_path, iter->text, sizeof(iter->text));
	trace_seq_printf(&iter->seq, "%s[+0x%lx]", IS_ERR(name) ? "?" : name, ip - vma->vm_start);
	return true;
}

static const struct user_stack_ops ops = {
	.save = stack_trace_save_user,
	.get = get_user_mm,
	.print = print_user_file,
	.put = put_user_mm,
};

static int __init user_program_init(void)
{
	user_stack_ops = &ops;
	return 0;
}
core_initcall(user_program_init);
