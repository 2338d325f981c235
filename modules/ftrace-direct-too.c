/*
 * A direct call with several arguments: records each page fault of a program.
 *
 * The first instruction of handle_mm_fault() becomes a jmp to direct_tramp. No trampoline of ftrace is
 * needed, and no registers are saved but those of the arguments. direct_tramp calls my_direct_func(), and
 * continues behind the call site.
 *
 *	modprobe ftrace-direct-too; cat /sys/kernel/tracing/trace
 */
#include "kernel/module/module.h"
#include "kernel/sched/sched.h"
#include "kernel/vm/mm.h"
#include "trace/core/trace_printk.h"
#include "trace/ftrace/ftrace.h"

void direct_tramp(void);
void my_direct_func(struct vm_area_struct *vma, unsigned long address, unsigned flags);

void my_direct_func(struct vm_area_struct *vma, unsigned long address, unsigned flags)
{
	trace_printk("handle mm fault vma=%p address=%lx flags=%x\n", vma, address, flags);
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
	"call my_direct_func\n\t"
	"pop %r9\n\t"
	"pop %r8\n\t"
	"pop %rcx\n\t"
	"pop %rdx\n\t"
	"pop %rsi\n\t"
	"pop %rdi\n\t"
	"pop %rbp\n\t"
	"jmp handle_mm_fault + 5\n"
	".size direct_tramp, . - direct_tramp\n"
	".popsection");

static struct ftrace_ops direct_ops = { .flags = FTRACE_OPS_FL_JMP };

static int __init direct_init(void)
{
	int error = ftrace_set_filter_ip(&direct_ops, (unsigned long)handle_mm_fault, false, true);

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
MODULE_DESCRIPTION("a direct call: records handle_mm_fault()");
