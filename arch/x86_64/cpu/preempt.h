/*
 * The two instructions of preempt_disable() and preempt_enable() (kernel/preempt.h). Any context.
 */
#pragma once

#include "arch/cpu/percpu.h"
#include "arch/irq/preemptirq.h"

DECLARE_PER_CPU(u32, __preempt_count);

/* The operand has this form because the site needs an instruction of 7 bytes. */
static __always_inline void arch_preempt_disable(void)
{
	__asm__ __volatile__ __inline(PREEMPTIRQ_SITE("incl %%gs:__preempt_count(%%rip)",
						      "preemptirq_preempt_off", "preempt_sites_key")
				      : "+m"(__preempt_count)
				      :
				      : "memory");
}

/* Returns whether the word is 0 now. */
static __always_inline bool arch_preempt_enable(void)
{
	bool zero;

	__asm__ __volatile__ __inline(PREEMPTIRQ_SITE("decl %%gs:__preempt_count(%%rip)",
						      "preemptirq_preempt_on", "preempt_sites_key")
				      : "=@ccz"(zero), "+m"(__preempt_count)
				      :
				      : "memory");
	return zero;
}
