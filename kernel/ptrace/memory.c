/* Words of the tracee's memory: PEEK and POKE. Debuggers use /proc/PID/mem for more. */
#include "arch/mm/uaccess.h"
#include "kernel/ptrace/ptrace.h"
#include "kernel/sched/mm.h"
#include "kernel/vm/mm.h"

/*
 * Moves a word, also to a page that the program may only read: a breakpoint is written to a private
 * copy of the text. A program that its tracer must not look into keeps its memory to itself: it may
 * have become such a one by exec since it was attached.
 */
static long access_word(struct task_struct *task, unsigned long addr, unsigned long *word,
			bool write)
{
	struct mm_struct *mm = get_task_mm(task);
	size_t done = 0;

	if (!mm)
		return -EIO;
	if (READ_ONCE(mm->dumpable) || (task->tracee->cred->cap_effective & BIT(CAP_SYS_PTRACE)))
		done = access_remote_vm(mm, addr, word, sizeof(*word), write);
	mmput(mm);
	return done == sizeof(*word) ? 0 : -EIO;
}

long ptrace_peek(struct task_struct *task, unsigned long addr, unsigned long __user *to)
{
	unsigned long word;
	long error = access_word(task, addr, &word, false);

	if (error)
		return error;
	return put_user(word, to) ? -EFAULT : 0;
}

long ptrace_poke(struct task_struct *task, unsigned long addr, unsigned long value)
{
	return access_word(task, addr, &value, true);
}
