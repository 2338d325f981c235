/* The debug registers: loads them, and handles their hits. arch/irq/entry.asm switches them off. */
#include "arch/cpu/debugreg.h"

#include "arch/cpu/halt.h"
#include "arch/cpu/percpu.h"
#include "arch/cpu/ptrace.h"
#include "arch/cpu/special_insns.h"
#include "arch/irq/descriptors.h"
#include "arch/irq/traps.h"
#include "kernel/bug.h"
#include "kernel/cpumask.h"
#include "kernel/hw_breakpoint.h"
#include "kernel/init.h"
#include "kernel/sections.h"

#define DR6_HITS          0xfUL
#define DR7_GLOBAL(i)     (2UL << 2 * (i))           /* register i is on, for all tasks */
#define DR7_KIND(i, kind) ((kind) << (16 + 4 * (i))) /* 2 bits of type, then 2 of length */

/* [O] What is in each register of a CPU; NULL: it is free. */
struct registers {
	struct hw_breakpoint *bp[HBP_NUM];
};
static DEFINE_PER_CPU(struct registers, registers);

static u64 read_dr7(void)
{
	u64 control;

	__asm__ __volatile__("mov %%dr7, %0" : "=r"(control));
	return control;
}

__kprobes /* an event could load another register meanwhile */
static void write_dr7(u64 control)
{
	__asm__ __volatile__("mov %0, %%dr7" ::"r"(DR7_FIXED | control) : "memory");
}

__kprobes /* an event could load another register meanwhile */
static void write_address(unsigned i, u64 address)
{
	switch (i) {
	case 0:
		__asm__ __volatile__("mov %0, %%dr0" ::"r"(address));
		break;
	case 1:
		__asm__ __volatile__("mov %0, %%dr1" ::"r"(address));
		break;
	case 2:
		__asm__ __volatile__("mov %0, %%dr2" ::"r"(address));
		break;
	default:
		__asm__ __volatile__("mov %0, %%dr3" ::"r"(address));
	}
}

/* Which register has bp; NULL: which is free. */
__kprobes /* an event could load another register meanwhile */
static unsigned find(const struct hw_breakpoint *bp)
{
	const struct registers *regs = this_cpu_ptr(&registers);
	unsigned i = 0;

	while (regs->bp[i] != bp) {
		i++;
		BUG_ON(i == HBP_NUM);
	}
	return i;
}

/* The entries of both switch the registers off behind the back of debugreg_control. */
bool debugreg_may_change(void)
{
	u64 control = this_cpu_read(debugreg_control);

	return !this_cpu_read(nmi_running) && (!control || read_dr7() == (DR7_FIXED | control));
}

/*
 * Between any two of these steps an NMI may come, or another register be hit. A register is on only
 * while registers and debugreg_control know it. No event happens here, whose trigger could load
 * another register.
 */
__kprobes /* an event could load another register meanwhile */
void debugreg_start(struct hw_breakpoint *bp)
{
	const struct debugreg *reg = &bp->reg;
	unsigned i = find(NULL);
	u64 control = this_cpu_read(debugreg_control) | DR7_GLOBAL(i) |
		      DR7_KIND(i, (u64)reg->type | (u64)reg->len << 2);

	write_address(i, reg->address);
	this_cpu_ptr(&registers)->bp[i] = bp;
	this_cpu_write(debugreg_control, control);
	write_dr7(control);
}

__kprobes /* an event could load another register meanwhile */
void debugreg_stop(struct hw_breakpoint *bp)
{
	unsigned i = find(bp);
	u64 control = this_cpu_read(debugreg_control) & ~(DR7_GLOBAL(i) | DR7_KIND(i, 0xfUL));

	write_dr7(control);
	this_cpu_write(debugreg_control, control);
	this_cpu_ptr(&registers)->bp[i] = NULL;
}

/* Returns whether there was a hit. *handled: false, if one is to be a signal. */
static bool call_hits(struct pt_regs *regs, u64 dr6, bool *handled)
{
	struct hw_breakpoint *const *in = this_cpu_ptr(&registers)->bp;
	u64 control = this_cpu_read(debugreg_control);
	bool hit = false;

	/* The CPU also reports registers that are off. */
	for (unsigned i = 0; i < HBP_NUM; i++) {
		if (!(dr6 & BIT(i)) || !(control & DR7_GLOBAL(i)))
			continue;
		hit = true;
		if (!(control & DR7_KIND(i, 3UL))) /* before an instruction: now execute it */
			regs->flags |= X86_EFLAGS_RF;
		if (!in[i]->hit(in[i], regs))
			*handled = false;
	}
	return hit;
}

/*
 * debugreg_hook. In the kernel it is like an NMI: it may come before a page fault has read CR2, and
 * just before a halt.
 */
static bool handle_hits(struct pt_regs *regs, u64 *dr6)
{
	bool of_user = user_mode(regs), handled = true;
	u64 cr2 = read_cr2();

	if (!of_user)
		halt_interrupted_by_nmi(regs);
	if (call_hits(regs, *dr6, &handled))
		*dr6 &= ~DR6_HITS;
	else
		handled = false;
	if (of_user) /* else the entry puts back what it found */
		write_dr7(this_cpu_read(debugreg_control));
	else if (unlikely(read_cr2() != cr2))
		write_cr2(cr2);
	return handled && !*dr6;
}

/* ---- what cannot be watched ---- */

unsigned debugreg_bytes(u8 len)
{
	static const u8 bytes[] = { [DEBUGREG_LEN_1] = 1,
				    [DEBUGREG_LEN_2] = 2,
				    [DEBUGREG_LEN_4] = 4,
				    [DEBUGREG_LEN_8] = 8 };

	return bytes[len];
}

static bool overlaps(const struct debugreg *reg, const void *from, size_t size)
{
	return reg->address < (unsigned long)from + size &&
	       (unsigned long)from < reg->address + debugreg_bytes(reg->len);
}

static bool in_text(const struct debugreg *reg, const char *from, const char *to)
{
	return overlaps(reg, from, (size_t)(to - from));
}

/* Functions without probes may count on it that nothing interrupts them in certain places. */
static bool watches_entry_text(const struct debugreg *reg)
{
	return in_text(reg, __entry_text_start, __entry_text_end) ||
	       in_text(reg, __kprobes_text_start, __kprobes_text_end);
}

static bool watches_entry_data(const struct debugreg *reg, unsigned cpu)
{
	const struct ist_stacks *stacks = per_cpu_ptr(&ist_stacks, cpu);

	for (unsigned i = 0; i < ARRAY_SIZE(stacks->base); i++)
		if (overlaps(reg, stacks->base[i], stacks->size))
			return true;
	return overlaps(reg, per_cpu_ptr(&cpu_gdt, cpu), sizeof(struct gdt)) ||
	       overlaps(reg, per_cpu_ptr(&cpu_tss, cpu), sizeof(struct tss)) ||
	       overlaps(reg, per_cpu_ptr(&nmi_running, cpu), sizeof(unsigned)) ||
	       overlaps(reg, per_cpu_ptr(&debugreg_control, cpu), sizeof(u64));
}

bool debugreg_may_watch(const struct debugreg *reg)
{
	unsigned cpu;

	if (watches_entry_text(reg) || overlaps(reg, idt_table, sizeof(idt_table)))
		return false;
	for_each_possible_cpu (cpu)
		if (watches_entry_data(reg, cpu))
			return false;
	return true;
}

static int __init debugreg_init(void)
{
	debugreg_hook = handle_hits;
	return 0;
}
early_initcall(debugreg_init);
