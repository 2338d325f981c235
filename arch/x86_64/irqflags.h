/* The interrupt flag of this CPU (Intel SDM 2, CLI and STI). Any context. */
#pragma once

#include "kernel/compiler.h"

#define X86_EFLAGS_IF (1UL << 9)

static __always_inline unsigned long arch_local_save_flags(void)
{
	unsigned long flags;

	__asm__ __volatile__("pushfq; popq %0" : "=rm"(flags)::"memory");
	return flags;
}

static __always_inline void local_irq_disable(void)
{
	__asm__ __volatile__("cli" ::: "memory");
}

static __always_inline void local_irq_enable(void)
{
	__asm__ __volatile__("sti" ::: "memory");
}

static __always_inline bool irqs_disabled_flags(unsigned long flags)
{
	return !(flags & X86_EFLAGS_IF);
}

static __always_inline bool irqs_disabled(void)
{
	return irqs_disabled_flags(arch_local_save_flags());
}

#define local_irq_save(flags)                                                                      \
	do {                                                                                       \
		(flags) = arch_local_save_flags();                                                 \
		local_irq_disable();                                                               \
	} while (0)

#define local_irq_restore(flags)                                                                   \
	do {                                                                                       \
		if (!irqs_disabled_flags(flags))                                                   \
			local_irq_enable();                                                        \
	} while (0)
