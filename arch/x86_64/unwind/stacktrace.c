/* Prints stacks and registers, for oopses and others. unwind.c walks the stack. */
#include "arch/unwind/stacktrace.h"

#include "arch/mm/pgtable.h"
#include "arch/cpu/special_insns.h"
#include "kernel/kallsyms.h"
#include "kernel/module_ops.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"

#define CODE_BYTES        64
#define CODE_BYTES_BEFORE 42
#define TRACE_MAX         64

static void print_entries(const unsigned long *entries, unsigned count, bool first_is_exact)
{
	char symbol[KSYM_SYMBOL_LEN];

	pr_emerg("Call Trace:\n");
	for (unsigned i = 0; i < count; i++) {
		if (i == 0 && first_is_exact)
			sprint_symbol(symbol, entries[i]);
		else
			sprint_backtrace(symbol, entries[i]);
		pr_emerg(" %s\n", symbol);
	}
}

void show_stack_regs(struct pt_regs *regs)
{
	unsigned long entries[TRACE_MAX];
	unsigned count;

	if (regs)
		count = stack_trace_save_regs(regs, entries, TRACE_MAX);
	else
		count = stack_trace_save(entries, TRACE_MAX, 1);
	print_entries(entries, count, regs != NULL);
}

void show_stack_task(struct task_struct *task)
{
	unsigned long entries[TRACE_MAX];
	unsigned count = stack_trace_save_task(task, entries, TRACE_MAX);

	print_entries(entries, count, false);
}

/* Prints the code bytes around ip, as far as they are mapped, with the byte at ip in <>. */
static void show_code(unsigned long ip)
{
	char line[CODE_BYTES * 3 + 16];
	char *p = line;
	static const char hex[] = "0123456789abcdef";

	for (unsigned i = 0; i < CODE_BYTES; i++) {
		unsigned long addr = ip - CODE_BYTES_BEFORE + i;
		bool here = i == CODE_BYTES_BEFORE;
		u8 byte;

		if (!is_kernel_text(addr) && kernel_virt_to_phys(addr) == ~0UL) {
			if (here) {
				pr_emerg("Code: Unable to access opcode bytes at 0x%lx.\n", ip);
				return;
			}
			continue;
		}
		byte = *(const u8 *)addr;
		if (here)
			*p++ = '<';
		*p++ = hex[byte >> 4];
		*p++ = hex[byte & 15];
		if (here)
			*p++ = '>';
		*p++ = ' ';
	}
	*p = '\0';
	pr_emerg("Code: %s\n", line);
}

void show_regs(struct pt_regs *regs)
{
	char symbol[KSYM_SYMBOL_LEN];

	print_modules();
	pr_emerg("CPU: %u PID: %d Comm: %.16s\n", smp_processor_id(), current ? current->pid : 0,
		 current ? current->comm : "swapper");
	sprint_symbol(symbol, regs->ip);
	pr_emerg("RIP: %04lx:%s\n", regs->cs, symbol);
	show_code(regs->ip);
	pr_emerg("RSP: %04lx:%016lx EFLAGS: %08lx\n", regs->ss, regs->sp, regs->flags);
	pr_emerg("RAX: %016lx RBX: %016lx RCX: %016lx\n", regs->ax, regs->bx, regs->cx);
	pr_emerg("RDX: %016lx RSI: %016lx RDI: %016lx\n", regs->dx, regs->si, regs->di);
	pr_emerg("RBP: %016lx R08: %016lx R09: %016lx\n", regs->bp, regs->r8, regs->r9);
	pr_emerg("R10: %016lx R11: %016lx R12: %016lx\n", regs->r10, regs->r11, regs->r12);
	pr_emerg("R13: %016lx R14: %016lx R15: %016lx\n", regs->r13, regs->r14, regs->r15);
	pr_emerg("GS:  %016lx CR0: %016lx CR2: %016lx\n", __rdmsr(MSR_GS_BASE), read_cr0(),
		 read_cr2());
	pr_emerg("CR3: %016lx CR4: %016lx preempt_count: %08x\n", read_cr3(), read_cr4(),
		 preempt_count());
	show_stack_regs(regs);
}

void noinline dump_stack(void)
{
	unsigned long entries[TRACE_MAX];
	unsigned count = stack_trace_save(entries, TRACE_MAX, 1);

	print_entries(entries, count, false);
}
