/*
 * What the handlers of exceptions ask of kprobes and uprobes (arch/probes/), which may not be
 * linked.
 */
#pragma once

#include "arch/cpu/ptrace.h"
#include "arch/mm/pgtable.h"
#include "kernel/compiler.h"

/*
 * The functions that the handlers of exceptions call. int3: regs->ip is behind an int3 that text
 * patching does not know; true: it was handled. fault: regs->ip is in the text area. detour: for
 * kprobe_detour_entry.asm, see arch/probes/kprobe_detour.h. Set once.
 */
struct arch_kprobe_handlers {
	bool (*int3)(struct pt_regs *regs);
	void (*fault)(struct pt_regs *regs);
	void (*detour)(void *data, struct pt_regs *regs);
};
void arch_kprobe_set_handlers(const struct arch_kprobe_handlers *handlers);
extern const struct arch_kprobe_handlers *kprobe_handlers; /* NULL: no probes */

/* For arch/irq/traps.c. Interrupts off, any context. */
static __always_inline bool arch_kprobe_int3(struct pt_regs *regs)
{
	const struct arch_kprobe_handlers *handlers = smp_load_acquire(&kprobe_handlers);

	return handlers && handlers->int3(regs);
}
static __always_inline void arch_kprobe_fault(struct pt_regs *regs)
{
	const struct arch_kprobe_handlers *handlers = smp_load_acquire(&kprobe_handlers);

	if (unlikely(handlers && regs->ip >= TEXT_AREA_START && regs->ip < MODULES_END))
		handlers->fault(regs);
}

struct arch_uprobe_fault {
	unsigned long address;
	bool write;
};
/*
 * The functions that exceptions of programs call. int3: regs->ip is behind an int3; true: it was
 * handled. leave: regs->ip is to be shown to the program; a slot must not be seen there. Both may
 * sleep. Set once.
 */
struct arch_uprobe_handlers {
	bool (*int3)(struct pt_regs *regs);
	void (*leave)(struct pt_regs *regs);
	/*
	 * The true return address of a function. at: where its return address is on the stack;
	 * address: what is there now.
	 */
	unsigned long (*return_address)(unsigned long address, unsigned long at);
};
void arch_uprobe_set_handlers(const struct arch_uprobe_handlers *handlers);
extern const struct arch_uprobe_handlers *uprobe_handlers; /* NULL: no probes */

/* For arch/user/traps_user.c. */
static inline bool arch_uprobe_int3(struct pt_regs *regs)
{
	const struct arch_uprobe_handlers *handlers = smp_load_acquire(&uprobe_handlers);

	return handlers && handlers->int3(regs);
}
static inline void arch_uprobe_leave(struct pt_regs *regs)
{
	const struct arch_uprobe_handlers *handlers = smp_load_acquire(&uprobe_handlers);

	if (handlers)
		handlers->leave(regs);
}
/* For backtraces of the current program. Any context but NMI. */
static inline unsigned long arch_uprobe_return_address(unsigned long address, unsigned long at)
{
	const struct arch_uprobe_handlers *handlers = smp_load_acquire(&uprobe_handlers);

	return handlers ? handlers->return_address(address, at) : address;
}
/* The program gets the signal that an access to address would give. regs->ip: the instruction. */
void arch_uprobe_send_fault(struct pt_regs *regs, const struct arch_uprobe_fault *fault);
/* The program gets the SIGTRAP of TF behind an emulated instruction. */
void arch_uprobe_send_step(struct pt_regs *regs);
