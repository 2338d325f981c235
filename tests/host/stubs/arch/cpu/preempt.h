/* The host's arch/cpu/preempt.h: no sites. */
#pragma once

#include "arch/cpu/percpu.h"

DECLARE_PER_CPU(u32, __preempt_count);

static __always_inline void arch_preempt_disable(void)
{
	this_cpu_add(__preempt_count, 1);
}

static __always_inline bool arch_preempt_enable(void)
{
	return this_cpu_sub_and_test(__preempt_count, 1);
}
