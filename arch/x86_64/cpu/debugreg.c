/* The debug registers: loads them, and handles their hits. arch/irq/entry.asm switches them off. */
#include "arch/cpu/debugreg.h"

#include "arch/cpu/percpu.h"
#include "arch/cpu/ptrace.h"
#include "arch/cpu/special_insns.h"
#include "arch/irq/traps.h"
#include "kernel/init.h"

#define DR6_HITS          0xfUL
#define DR7_GLOBAL(i)     (2UL << 2 * (i))           /* register i is on, for all tasks */
#define DR7_KIND(i, kind) ((kind) << (16 + 4 * (i))) /* 2 bits of type, then 2 of length */

static DEFINE_PER_CPU(u64, debugreg_control); /* what DR7 says while they are not off; 0: nothing */
static debug_handler_t debug_handler;

debug_handler_t set_debug_handler(debug_handler_t handler)
{
	return xchg(&debug_handler, handler);
}

static void write_dr7(u64 control)
{
	__asm__ __volatile__("mov %0, %%dr7" ::"r"(control) : "memory");
}

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

void debugreg_load(const struct debugreg *regs, unsigned n)
{
	u64 control = 0;

	write_dr7(DR7_FIXED);
	for (unsigned i = 0; i < n; i++) {
		write_address(i, regs[i].address);
		control |= DR7_GLOBAL(i) | DR7_KIND(i, (u64)regs[i].type | (u64)regs[i].len << 2);
	}
	this_cpu_write(debugreg_control, control);
	write_dr7(DR7_FIXED | control);
}

/* debugreg_hook */
static bool handle_hits(struct pt_regs *regs, u64 *dr6)
{
	debug_handler_t handler = smp_load_acquire(&debug_handler);
	u64 control = this_cpu_read(debugreg_control);
	bool handled = false;
	unsigned hit = 0;

	/* The CPU also reports registers that are off. */
	for (unsigned i = 0; i < HBP_NUM; i++) {
		if (!(*dr6 & BIT(i)) || !(control & DR7_GLOBAL(i)))
			continue;
		hit |= 1U << i;
		if (!(control & DR7_KIND(i, 3UL))) /* before an instruction: now execute it */
			regs->flags |= X86_EFLAGS_RF;
	}
	if (hit) {
		*dr6 &= ~DR6_HITS;
		handled = handler && handler(regs, hit) && !*dr6;
	}
	if (user_mode(regs)) /* else the entry puts back what it found */
		write_dr7(DR7_FIXED | control);
	return handled;
}

static int __init debugreg_init(void)
{
	debugreg_hook = handle_hits;
	return 0;
}
early_initcall(debugreg_init);
