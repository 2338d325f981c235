/* The table of system calls. SYSCALL_DEFINEn() makes its entries. */
#include "kernel/syscalls/syscalls.h"

#include "arch/mm/pgtable.h"
#include "arch/cpu/ptrace.h"
#include "kernel/bug.h"
#include "kernel/init.h"
#include "kernel/mm/page_alloc.h"

DEFINE_LINKER_TABLE(rodata, const struct syscall_metadata, syscalls);

const unsigned long syscall_no_args[SYSCALL_ARGS_MAX];

const struct syscall_metadata *syscall_by_index(unsigned index)
{
	const struct syscall_metadata *first = linker_table_start(syscalls);
	const struct syscall_metadata *end = linker_table_end(syscalls);

	return index < (size_t)(end - first) ? first + index : NULL;
}

void set_syscall_work(struct task_struct *task, unsigned set, unsigned clear)
{
	if (clear)
		__atomic_fetch_and(&task->syscall_trace, (u16)~clear, __ATOMIC_SEQ_CST);
	if (set)
		__atomic_fetch_or(&task->syscall_trace, (u16)set, __ATOMIC_SEQ_CST);
}

static unsigned probed_ends; /* [tracepoints_mutex] of the two tracepoints, those with a probe */

static void set_syscall_trace(struct task_struct *p, void *on)
{
	set_syscall_work(p, on ? SYSCALL_WORK_TRACE : 0, on ? 0 : SYSCALL_WORK_TRACE);
}

/* A new task gets the state of its parent (kernel/task/task.c). */
int syscall_regfunc(void)
{
	if (!probed_ends++)
		for_all_tasks(set_syscall_trace, &probed_ends);
	return 0;
}

void syscall_unregfunc(void)
{
	if (!--probed_ends)
		for_all_tasks(set_syscall_trace, NULL);
}

/* trace has a bit of SYSCALL_WORK_DIVERT. */
static bool is_diverted(const struct task_struct *p, unsigned trace)
{
	const u64 *allows = READ_ONCE(p->seccomp.allows);
	unsigned nr = (unsigned)task_pt_regs(p)->orig_ax;

	if (trace & SYSCALL_WORK_DIVERTED)
		return false;
	return (trace & (SYSCALL_WORK_PTRACE | SYSCALL_WORK_STEP)) || !allows ||
	       nr >= NR_SYSCALLS || !(allows[nr / 64] & 1ULL << nr % 64);
}

enum syscall_way syscall_boundary_work(void)
{
	struct task_struct *p = current;
	unsigned trace;

	task_quiescent(p);
	trace = READ_ONCE(p->syscall_trace);
	if ((trace & SYSCALL_WORK_DIVERT) && is_diverted(p, trace))
		return SYSCALL_DIVERTED;
	return trace & SYSCALL_WORK_TRACE ? SYSCALL_TRACED : SYSCALL_DIRECT;
}

/* The index of each number, plus 1. */
static u16 indexes[NR_SYSCALLS];

int syscall_index(long nr)
{
	return nr >= 0 && nr < NR_SYSCALLS ? indexes[nr] - 1 : -1;
}

void *sys_call_table[NR_SYSCALLS] __ro_after_init;

static atomic_t unknown_calls[NR_SYSCALLS];

unsigned syscall_unknown_count(unsigned nr)
{
	return (unsigned)atomic_read(&unknown_calls[nr]);
}

static noinline long sys_ni_syscall(long nr)
{
	if (nr >= 0 && nr < NR_SYSCALLS)
		atomic_inc(&unknown_calls[nr]);
	return -ENOSYS;
}

long __x64_sys_ni_syscall(void)
{
	const struct pt_regs *regs = task_pt_regs(current);
	long nr = (int)regs->orig_ax;
	enum syscall_way way = syscall_boundary();

	if (unlikely(way == SYSCALL_DIVERTED))
		return syscall_divert();
	if (unlikely(way == SYSCALL_TRACED)) {
		const unsigned long args[SYSCALL_ARGS_MAX] = { regs->di,  regs->si, regs->dx,
							       regs->r10, regs->r8, regs->r9 };

		TRACEPOINT_WITHOUT_SITE(sys_enter, args, nr);
		TRACEPOINT_WITHOUT_SITE(sys_exit, nr, -ENOSYS);
	}
	return sys_ni_syscall(nr);
}

static int __init syscalls_init(void)
{
	const struct syscall_metadata *call;

	for (unsigned nr = 0; nr < NR_SYSCALLS; nr++)
		sys_call_table[nr] = (void *)__x64_sys_ni_syscall;
	for (unsigned i = 0; (call = syscall_by_index(i)); i++) {
		BUG_ON(call->nr >= NR_SYSCALLS || indexes[call->nr]);
		indexes[call->nr] = (u16)(i + 1);
		sys_call_table[call->nr] = call->func;
	}
	return 0;
}
early_initcall(syscalls_init);
