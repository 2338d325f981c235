/*
 * Exceptions in the kernel: reports them in Linux's words, and passes breakpoints and NMIs to their
 * handlers. arch/user/traps_user.c has those of programs.
 */
#include "arch/cpu/halt.h"
#include "arch/irq/traps.h"

#include "arch/irq/exceptions_events.h"
#include "arch/irq/extable.h"
#include "arch/irq/interrupt.h"
#include "arch/cpu/irqflags.h"
#include "arch/irq/probe_hooks.h"
#include "arch/irq/nmi_events.h"
#include "arch/irq/page_fault.h"
#include "arch/irq/ring3.h"
#include "arch/cpu/special_insns.h"
#include "arch/unwind/stacktrace.h"
#include "arch/patch/text_patch.h"
#include "arch/irq/traps_internal.h"
#include "arch/mm/uaccess.h"
#include "kernel/irq/irq.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/panic.h"
#include "kernel/preemptirq.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/sections.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

/* Called by entry.asm. Interrupts off. */
void do_exception(struct pt_regs *regs, unsigned vector);
void do_int3(struct pt_regs *regs);
void do_nmi(struct pt_regs *regs);

static int3_handler_t int3_handler; /* text_patch_int3(), or that of a self-test */
struct ring3_ops ring3_ops __ro_after_init;
bool (*debugreg_hook)(struct pt_regs *regs, u64 *dr6) __ro_after_init;
DEFINE_PER_CPU(u64, debugreg_control);
DEFINE_STATIC_KEY_FALSE(page_fault_key);
BUILD_BUG_ON(offsetof(struct ring3_ops, exit_loop) != 0);
BUILD_BUG_ON(offsetof(struct ring3_ops, exception) != 8);

/* Of kprobes and uprobes, if they are linked. Release store. */
const struct arch_kprobe_handlers *kprobe_handlers __ro_after_init;
const struct arch_uprobe_handlers *uprobe_handlers __ro_after_init;

const char *const exception_names[NR_EXCEPTIONS] = {
	[X86_TRAP_DE] = "divide error",
	[X86_TRAP_DB] = "debug exception",
	[X86_TRAP_BP] = "int3",
	[X86_TRAP_OF] = "overflow",
	[X86_TRAP_BR] = "bounds",
	[X86_TRAP_UD] = "invalid opcode",
	[X86_TRAP_NM] = "device not available",
	[X86_TRAP_DF] = "double fault",
	[9] = "coprocessor segment overrun",
	[X86_TRAP_TS] = "invalid TSS",
	[X86_TRAP_NP] = "segment not present",
	[X86_TRAP_SS] = "stack segment",
	[X86_TRAP_GP] = "general protection fault",
	[X86_TRAP_MF] = "x87 FPU error",
	[X86_TRAP_AC] = "alignment check",
	[X86_TRAP_MC] = "machine check",
	[X86_TRAP_XF] = "SIMD exception",
	[X86_TRAP_CP] = "control protection",
};

/*
 * A probe that faults must not be called for its own fault: that would fault again, until the stack
 * is full. So the event is left out for a fault inside the event. A task that has died there keeps
 * its flag.
 */
void trace_page_fault(struct pt_regs *regs, unsigned long address)
{
	if (!TRACEPOINT_KEY(page_fault_kernel, static_key_enabled) || !current ||
	    (current->flags & PF_FAULT_TRACED))
		return;
	current->flags |= PF_FAULT_TRACED;
	TRACEPOINT_WITHOUT_SITE(page_fault_kernel, address, regs, regs->orig_ax);
	current->flags &= ~PF_FAULT_TRACED;
}

/*
 * Whether the kernel's page fault is an access to the memory of the current program that may wait
 * for a page (arch/mm/uaccess.h).
 */
static __always_inline bool is_user_access(const struct pt_regs *regs, unsigned long address)
{
	return address < TASK_SIZE_MAX && (regs->flags & X86_EFLAGS_IF) && !preempt_count() &&
	       !this_cpu_read(nmi_running) && current && current->mm &&
	       !current->thread.pagefault_disabled && search_exception_table(regs->ip);
}

/* Brings the page in. False: the program has no such memory. */
static noinline bool handle_user_access(struct pt_regs *regs, unsigned long address)
{
	int si_code, sig;

	report_irqs(off, _RET_IP_, regs->ip);
	if (static_branch_unlikely(&page_fault_key)) {
		sig = ring3_ops.told_access(regs, address, &si_code);
	} else {
		local_irq_enable();
		sig = ring3_ops.kernel_access(address, regs->orig_ax, &si_code);
		local_irq_disable();
	}
	report_irqs(on, _RET_IP_, regs->ip);
	return !sig;
}

static void __noreturn exc_page_fault(struct pt_regs *regs, unsigned long address)
{
	unsigned long error_code = regs->orig_ax;
	const char *reason;

	trace_page_fault(regs, address);
	bust_spinlocks(true);
	if ((error_code & PF_INSTR) && (error_code & PF_PROT))
		pr_emerg("kernel tried to execute NX-protected page - exploit attempt?\n");
	if (address < 4096)
		pr_emerg("BUG: kernel NULL pointer dereference, address: %016lx\n", address);
	else
		pr_emerg("BUG: unable to handle page fault for address: %016lx\n", address);
	pr_emerg("#PF: %s %s in kernel mode\n", (error_code & PF_USER) ? "user" : "supervisor",
		 (error_code & PF_INSTR)   ? "instruction fetch"
		 : (error_code & PF_WRITE) ? "write access"
					   : "read access");
	if (!(error_code & PF_PROT))
		reason = "not-present page";
	else if (error_code & PF_RSVD)
		reason = "reserved bit violation";
	else
		reason = "permissions violation";
	pr_emerg("#PF: error_code(0x%04lx) - %s\n", error_code, reason);
	bust_spinlocks(false);
	die("Oops", regs, (long)error_code);
}

static bool is_boot_stack_guard(unsigned long address)
{
	return address >= (unsigned long)boot_stack_guard && address < (unsigned long)boot_stack;
}

/*
 * Reports a stack overflow. The access to the guard page faulted, and the CPU could not push the
 * page fault's frame on that stack, so it raised a double fault on an IST stack. The task cannot be
 * ended alone, because it may hold any lock.
 */
static void __noreturn exc_double_fault(struct pt_regs *regs, unsigned long address)
{
	if (is_stack_guard((const void *)address) || is_boot_stack_guard(address)) {
		bust_spinlocks(true);
		pr_emerg("BUG: kernel stack overflow in task %.16s/%d: guard page at %016lx was "
			 "hit\n",
			 current ? current->comm : "swapper", current ? current->pid : 0, address);
		pr_emerg("stack: %016lx..%016lx\n", current ? (unsigned long)current->stack : 0,
			 current ? (unsigned long)current->stack + THREAD_SIZE : 0);
		bust_spinlocks(false);
		die("kernel stack overflow (double-fault)", regs, (long)regs->orig_ax);
	}
	die("double fault", regs, (long)regs->orig_ax);
}

/* Reports a hardware error. The banks name the part that failed (Intel SDM 3B 16.3.2). */
static void __noreturn exc_machine_check(struct pt_regs *regs)
{
	unsigned banks = __rdmsr(MSR_MCG_CAP) & 0xff;

	bust_spinlocks(true);
	pr_emerg("mce: [Hardware Error]: CPU %u: Machine Check Exception: %lx\n",
		 smp_processor_id(), __rdmsr(MSR_MCG_STATUS));
	for (unsigned i = 0; i < banks; i++) {
		u64 status = __rdmsr(MSR_MC0_STATUS + 4 * i);

		if (status)
			pr_emerg("mce: [Hardware Error]: Bank %u: %016lx\n", i, status);
	}
	show_regs(regs);
	panic("Fatal machine check");
}

/*
 * True for a hit of a debug register that has been handled; and for a debug exception of the
 * program at the first instruction that SYSCALL leads to, where the stack and the GS base are still
 * the program's. MOV to SS can delay it to this place, and Bochs reports the single step here.
 * Ignores the exception. The flags of the program keep TF, so its single step comes after the
 * return, as it would without the delay.
 */
static noinline bool is_handled_debug(struct pt_regs *regs)
{
	u64 dr6 = take_dr6();

	if (debugreg_hook && debugreg_hook(regs, &dr6))
		return true;
	if (regs->ip != (unsigned long)ring3_ops.syscall_64 &&
	    regs->ip != (unsigned long)ring3_ops.syscall_compat)
		return false;
	regs->flags = (regs->flags & ~X86_EFLAGS_TF) | X86_EFLAGS_RF;
	return true;
}

/* The fault's frame lies over the place of pt_regs: IRET had already popped the others. */
struct pt_regs *fix_bad_iret(struct pt_regs *at_iret)
{
	struct pt_regs *regs = task_pt_regs(current);

	memmove(regs, at_iret, offsetof(struct pt_regs, ip));
	return regs;
}

notrace /* a callback that faulted would be called and fault again before it is disabled */
void do_exception(struct pt_regs *regs, unsigned vector)
{
	unsigned long address = read_cr2(); /* before another fault can change it */

	if (user_mode(regs)) {
		ring3_ops.exception(regs, vector, address);
		return;
	}
	if (vector == X86_TRAP_DB && is_handled_debug(regs))
		return;
	arch_kprobe_fault(regs);
	if (vector == X86_TRAP_PF && is_user_access(regs, address) &&
	    handle_user_access(regs, address))
		return;
	if ((vector == X86_TRAP_PF || vector == X86_TRAP_GP) && fixup_exception(regs))
		return;
	if (oops_enter_hook)
		oops_enter_hook(regs);
	switch (vector) {
	case X86_TRAP_PF:
		exc_page_fault(regs, address);
	case X86_TRAP_DF:
		exc_double_fault(regs, address);
	case X86_TRAP_MC:
		exc_machine_check(regs);
	default:
		die(exception_names[vector] ? exception_names[vector] : "unknown exception", regs,
		    (long)regs->orig_ax);
	}
}

int3_handler_t set_int3_handler(int3_handler_t handler)
{
	return xchg(&int3_handler, handler);
}

/*
 * Not 0 from the first to the last instruction of an NMI handler. entry.asm changes and tests it.
 */
DEFINE_PER_CPU(unsigned, nmi_running);

__kprobes /* a breakpoint at its own site would call it again for ever */
void do_int3(struct pt_regs *regs)
{
	int3_handler_t handler = smp_load_acquire(&int3_handler);

	if (handler && handler(regs))
		return;
	if (arch_kprobe_int3(regs) || text_patch_int3_gone(regs))
		return;
	if (oops_enter_hook)
		oops_enter_hook(regs);
	die(exception_names[X86_TRAP_BP], regs, 0);
}

__kprobes /* do_int3 uses it */
void int3_emulate_call(struct pt_regs *regs, unsigned long ret, unsigned long target)
{
	regs->sp -= 8;
	*(unsigned long *)regs->sp = ret;
	regs->ip = target;
}

void nmi_enter(void)
{
	preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);
}

void nmi_exit(void)
{
	preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);
}

/* NMI_HANDLER() makes the entries. All are called: one NMI may stand for several. */
DEFINE_LINKER_TABLE(rodata, const nmi_handler_t, nmi_handlers);

static void handle_nmi(nmi_handler_t handler, struct pt_regs *regs)
{
	ktime_t start = trace_nmi_handler_enabled() ? ktime_get() : 0;
	bool handled __unused = handler(regs);

	if (start) /* the event was on before, too */
		trace_nmi_handler((void *)handler, (s64)(ktime_get() - start), handled);
}

void do_nmi(struct pt_regs *regs)
{
	/* The NMI may interrupt a page fault that has not read CR2 yet. */
	unsigned long cr2 = read_cr2();

	halt_interrupted_by_nmi(regs);
	nmi_enter();
	if (static_branch_unlikely(&interrupt_hooks_key))
		interrupt_hooks.nmi(true);
	irq_stat_inc(IRQ_STAT_NMI);
	for_each_linker_table_entry (handler, nmi_handlers)
		handle_nmi(*handler, regs);
	if (static_branch_unlikely(&interrupt_hooks_key))
		interrupt_hooks.nmi(false);
	nmi_exit();
	if (unlikely(read_cr2() != cr2))
		write_cr2(cr2);
}
