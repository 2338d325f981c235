/*
 * Exceptions of programs. Each one but a page fault that can be handled becomes a signal, with the
 * number and the si_code that Linux sends. arch/irq/traps.c has the exceptions of the kernel.
 */
#include "arch/irq/descriptors.h"
#include "arch/irq/exceptions_events.h"
#include "arch/irq/page_fault.h"
#include "arch/user/fpu.h"
#include "arch/user/page_fault.h"
#include "arch/cpu/irqflags.h"
#include "arch/cpu/special_insns.h"
#include "arch/irq/ring3.h"
#include "arch/irq/traps_internal.h"
#include "arch/user/syscall.h"
#include "arch/mm/uaccess.h"
#include "arch/irq/probe_hooks.h"
#include "kernel/process/entry.h"
#include "kernel/init.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/preemptirq.h"
#include "kernel/printk/ratelimit.h"
#include "kernel/sched/sched.h"
#include "kernel/signal/signal.h"
#include "kernel/task/tracee.h"
#include "kernel/vm/mm.h"

/* The flags of a fault have the places that their bits have in the error code. */
#define FAULT_FLAGS_OF_CPU                                                                         \
	(FAULT_FLAG_PRESENT | FAULT_FLAG_WRITE | FAULT_FLAG_USER | FAULT_FLAG_INSTRUCTION)
BUILD_BUG_ON(FAULT_FLAG_PRESENT != PF_PROT || FAULT_FLAG_WRITE != PF_WRITE ||
	     FAULT_FLAG_USER != PF_USER || FAULT_FLAG_INSTRUCTION != PF_INSTR);

#define DR6_STEP BIT(14) /* single step (Intel SDM 3B 17.2.3) */

#define CODE_BEFORE 42 /* bytes of the program in the report of a fault */
#define CODE_FROM   22

/* What a vector means for the program. */
struct user_trap {
	u8 sig;
	u8 si_code;
	bool ip_is_address; /* si_addr is the address of the instruction, else 0 */
};

static const struct user_trap user_traps[NR_EXCEPTIONS] = {
	[X86_TRAP_DE] = { SIGFPE, FPE_INTDIV, true },
	[X86_TRAP_BP] = { SIGTRAP, SI_KERNEL, false },
	[X86_TRAP_OF] = { SIGSEGV, SI_KERNEL, false },
	[X86_TRAP_BR] = { SIGSEGV, SI_KERNEL, false },
	[X86_TRAP_UD] = { SIGILL, ILL_ILLOPN, true },
	[9] = { SIGFPE, SI_KERNEL, false },
	[X86_TRAP_TS] = { SIGSEGV, SI_KERNEL, false },
	[X86_TRAP_NP] = { SIGBUS, SI_KERNEL, false },
	[X86_TRAP_SS] = { SIGBUS, SI_KERNEL, false },
	[X86_TRAP_GP] = { SIGSEGV, SI_KERNEL, false },
	[X86_TRAP_AC] = { SIGBUS, BUS_ADRALN, false },
};

/* The bytes of the program around ip, as Linux prints them: ip's byte is in angle brackets. */
static void report_code(unsigned long ip)
{
	u8 code[CODE_BEFORE + CODE_FROM];
	char text[3 * sizeof(code) + 3];
	size_t len = 0;

	if (copy_from_user(code, (const void __user *)(ip - CODE_BEFORE), sizeof(code))) {
		pr_info("Code: Unable to access opcode bytes at 0x%lx.\n", ip - CODE_BEFORE);
		return;
	}
	for (size_t i = 0; i < sizeof(code); i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len,
					i == CODE_BEFORE ? " <%02x>" : " %02x", code[i]);
	pr_info("Code:%s\n", text);
}

/* Says in the log why a program ends that has no handler for its fault, as Linux does. */
static void report(const struct pt_regs *regs, unsigned vector)
{
	const struct task_struct *p = current;
	char place[320];

	describe_vma(place, sizeof(place), regs->ip);
	if (vector == X86_TRAP_PF) {
		unsigned cpu = READ_ONCE(p->cpu);

		pr_info("%.16s[%d]: segfault at %lx ip %016lx sp %016lx error %lx%s likely on CPU "
			"%u (core %u, socket 0)\n",
			p->comm, p->pid, p->thread.cr2, regs->ip, regs->sp, p->thread.error_code,
			place, cpu, cpu);
		report_code(regs->ip);
	} else {
		pr_info("traps: %.16s[%d] %s%s ip:%lx sp:%lx error:%lx%s\n", p->comm, p->pid,
			vector == X86_TRAP_GP ? "" : "trap ", exception_names[vector], regs->ip,
			regs->sp, p->thread.error_code, place);
	}
}

static void send_fault(struct pt_regs *regs, unsigned vector, int sig, int si_code,
		       unsigned long address)
{
	if (unlikely(current->uprobe_step)) {
		bool at_ip = address == regs->ip;

		arch_uprobe_leave(regs);
		if (at_ip)
			address = regs->ip;
	}
	if (unhandled_signal(current, sig) && printk_ratelimit())
		report(regs, vector);
	if (si_code == SI_KERNEL)
		force_sig(sig);
	else
		force_sig_fault(sig, si_code, address);
}

/* do_user_addr_fault() with the error code of the CPU. */
static int address_fault(unsigned long address, unsigned long error_code, int *si_code)
{
	if (error_code & PF_RSVD) { /* the page table is broken, and another try would not help */
		*si_code = SEGV_MAPERR;
		return SIGSEGV;
	}
	return do_user_addr_fault(address, error_code & FAULT_FLAGS_OF_CPU, si_code);
}

static int told_address_fault(struct pt_regs *regs, unsigned long address, int *si_code)
{
	u64 minor = current->min_flt, major = current->maj_flt;
	int sig = address_fault(address, regs->orig_ax, si_code);

	page_fault_tell(regs, address, current->min_flt != minor, current->maj_flt != major);
	return sig;
}

/* The access of the kernel, while page_fault_key is on. */
static int told_access(struct pt_regs *regs, unsigned long address, int *si_code)
{
	int sig;

	trace_page_fault(regs, address);
	local_irq_enable();
	sig = told_address_fault(regs, address, si_code);
	local_irq_disable();
	return sig;
}

/* Out of line, so that user_page_fault() saves no register for it. */
static noinline int told_user_page_fault(struct pt_regs *regs, unsigned long address, int *si_code)
{
	TRACEPOINT_WITHOUT_SITE(page_fault_user, address, regs, regs->orig_ax);
	return told_address_fault(regs, address, si_code);
}

static void user_page_fault(struct pt_regs *regs, unsigned long address)
{
	unsigned long error_code = regs->orig_ax;
	int si_code, sig;

	if (static_branch_unlikely(&page_fault_key))
		sig = told_user_page_fault(regs, address, &si_code);
	else
		sig = address_fault(address, error_code, &si_code);
	if (likely(!sig))
		return;
	current->thread.cr2 = address;
	/* A program must not learn from the error code what is mapped in the kernel. */
	if (address >= TASK_SIZE_MAX)
		error_code |= PF_PROT;
	current->thread.error_code = error_code;
	send_fault(regs, X86_TRAP_PF, sig, si_code, address);
}

/* #DB: a hit of a debug register, a single step, or INT1. */
static noinline void user_debug(struct pt_regs *regs)
{
	u64 all = take_dr6(), dr6 = all; /* first: the kernel may hit the registers, too */
	bool handled = debugreg_hook && debugreg_hook(regs, &dr6);
	int si_code = all != dr6 ? TRAP_HWBKPT : TRAP_BRKPT;

	report_irqs(off, _RET_IP_, 0);
	local_irq_enable();
	if (handled)
		return;
	if ((dr6 & DR6_STEP) && current->debugregs)
		ptrace_ops.stepped();
	current->thread.trap_nr = X86_TRAP_DB;
	current->thread.error_code = 0;
	arch_uprobe_leave(regs);
	send_fault(regs, X86_TRAP_DB, SIGTRAP, (dr6 & DR6_STEP) ? TRAP_TRACE : si_code, regs->ip);
}

static void user_fpu_exception(struct pt_regs *regs, unsigned vector)
{
	int si_code = fpu_exception_code(vector == X86_TRAP_XF);

	if (si_code) /* 0: the program has handled it already */
		send_fault(regs, vector, SIGFPE, si_code, regs->ip);
}

static void user_exception(struct pt_regs *regs, unsigned vector, unsigned long address)
{
	const struct user_trap *trap = &user_traps[vector];
	struct thread_struct *thread = &current->thread;

	if (vector == X86_TRAP_DB) {
		user_debug(regs);
		return;
	}
	report_irqs(off, _RET_IP_, 0);
	local_irq_enable();
	if (likely(vector == X86_TRAP_PF)) {
		thread->trap_nr = X86_TRAP_PF;
		user_page_fault(regs, address);
		return;
	}
	/* From a 32-bit segment, a program would not come to the slot of the copied instruction. */
	if (vector == X86_TRAP_BP && regs->cs == __USER_CS && arch_uprobe_int3(regs))
		return;
	thread->trap_nr = vector;
	thread->error_code = regs->orig_ax;
	if (vector == X86_TRAP_MF || vector == X86_TRAP_XF)
		user_fpu_exception(regs, vector);
	else
		send_fault(regs, vector, trap->sig ? trap->sig : SIGSEGV,
			   trap->sig ? trap->si_code : SI_KERNEL,
			   trap->ip_is_address ? regs->ip : 0);
}

void arch_uprobe_send_fault(struct pt_regs *regs, const struct arch_uprobe_fault *fault)
{
	regs->orig_ax = PF_USER | (fault->write ? PF_WRITE : 0);
	current->thread.trap_nr = X86_TRAP_PF;
	user_page_fault(regs, fault->address);
}

void arch_uprobe_send_step(struct pt_regs *regs)
{
	current->thread.trap_nr = X86_TRAP_DB;
	current->thread.error_code = 0;
	send_fault(regs, X86_TRAP_DB, SIGTRAP, TRAP_TRACE, regs->ip);
}

static int __init ring3_init(void)
{
	ring3_ops = (struct ring3_ops){
		.exit_loop = exit_to_user_mode_loop,
		.exception = user_exception,
		.kernel_access = address_fault,
		.told_access = told_access,
		.syscall_64 = entry_SYSCALL_64,
		.syscall_compat = entry_SYSCALL_compat,
	};
	return 0;
}
early_initcall(ring3_init);
