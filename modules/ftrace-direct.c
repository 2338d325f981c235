/*
 * A direct call: records each task that is woken up.
 *
 * The first instruction of wake_up_process() becomes a call of direct_tramp. No trampoline of ftrace is
 * needed, and no registers are saved but those of the arguments. direct_tramp calls my_direct_func(), and
 * returns behind the call site.
 *
 *	modprobe ftrace-direct; cat /sys/kernel/tracing/trace
 */
#include "kernel/module/module.h"
#include "kernel/sched/sched.h"

#include "trace/core/trace_printk.h"
#include "trace/ftrace/ftrace.h"

void direct_tramp(void);
void my_direct_func(struct task_struct *p);

void my_direct_func(struct task_struct *p)
{
	trace_printk("waking up %s-%d\n", p->comm, p->pid);
}

__asm__(".pushsection .text\n"
	".globl direct_tramp\n"
	".type direct_tramp, @function\n"
	"direct_tramp:\n\t"
	"push %rbp\n\t"
	"mov %rsp, %rbp\n\t"
	"push %rdi\n\t"
	"push %rsi\n\t"
	"push %rdx\n\t"
	"push %rcx\n\t"
	"push %r8\n\t"
	"push %r9\n\t"
	"sub $8, %rsp\n\t" /* a multiple of 16 */
	"call my_direct_func\n\t"
	"add $8, %rsp\n\t"
	"pop %r9\n\t"
	"pop %r8\n\t"
	"pop %rcx\n\t"
	"pop %rdx\n\t"
	"pop %rsi\n\t"
	"pop %rdi\n\t"
	"pop %rbp\n\t"
	"ret\n"
	".size direct_tramp, . - direct_tramp\n"
	".popsection");

static struct ftrace_ops direct_ops;

static int __init direct_init(void)
{
	int error = ftrace_set_filter_ip(&direct_ops, (unsigned long)wake_up_process, false, true);

	if (!error)
		error = register_ftrace_direct(&direct_ops, (unsigned long)direct_tramp);
	if (error)
		ftrace_free_filter(&direct_ops);
	return error;
}
module_init(direct_init);

static void __exit direct_exit(void)
{
	unregister_ftrace_direct(&direct_ops);
	ftrace_free_filter(&direct_ops);
}
module_exit(direct_exit);

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("a direct call: records wake_up_process()");
