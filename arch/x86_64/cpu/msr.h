/*
 * Model-specific registers, with the events msr:read_msr and msr:write_msr. For arch/ only.
 *
 * Four places use __rdmsr() and __wrmsr(), which have no event: the boot before the CPU has its
 * per-CPU area; apic_send_self(), because recording an event calls it; the end of an interrupt,
 * because Linux has no event there; and reports of machine checks and oopses.
 */
#pragma once

#include "arch/cpu/msr_events.h"
#include "arch/cpu/special_insns.h"

static __always_inline u64 rdmsr(u32 msr)
{
	u64 value = __rdmsr(msr);

	trace_read_msr(msr, value, 0);
	return value;
}

static __always_inline void wrmsr(u32 msr, u64 value)
{
	__wrmsr(msr, value);
	trace_write_msr(msr, value, 0);
}
