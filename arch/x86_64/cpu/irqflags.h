/*
 * The interrupt flag of this CPU (Intel SDM 2, CLI and STI). Any context.
 *
 * The events preemptirq:irq_disable and irq_enable see the local_irq_*() (arch/irq/preemptirq.h).
 * The raw_local_irq_*() do the same without them. They are for tracing, for the checker of locks,
 * and for pieces of a few instructions in low layers.
 */
#pragma once

#include "arch/irq/preemptirq.h"
#include "kernel/compiler.h"

#define X86_EFLAGS_IF (1UL << 9)

static __always_inline unsigned long arch_local_save_flags(void)
{
	unsigned long flags;

	__asm__ __volatile__("pushfq; popq %0" : "=rm"(flags)::"memory");
	return flags;
}

static __always_inline void raw_local_irq_disable(void)
{
	__asm__ __volatile__("cli" ::: "memory");
}

static __always_inline void raw_local_irq_enable(void)
{
	__asm__ __volatile__("sti" ::: "memory");
}

static __always_inline void local_irq_disable(void)
{
	__asm__ __volatile__ __inline(PREEMPTIRQ_SITE(".byte 0x2e, 0x2e, 0x2e, 0x2e; cli",
						      "preemptirq_irq_off", "irq_sites_key")::
					      : "memory");
}

static __always_inline void local_irq_enable(void)
{
	__asm__ __volatile__ __inline(PREEMPTIRQ_SITE(".byte 0x2e, 0x2e, 0x2e, 0x2e; sti",
						      "preemptirq_irq_on", "irq_sites_key")::
					      : "memory");
}

static __always_inline bool irqs_disabled_flags(unsigned long flags)
{
	return !(flags & X86_EFLAGS_IF);
}

static __always_inline bool irqs_disabled(void)
{
	return irqs_disabled_flags(arch_local_save_flags());
}

/* irqs_disabled(), without a branch, for a caller that only stores it. */
static __always_inline bool irqs_disabled_flag(void)
{
	unsigned long flags;
	bool off;

	__asm__ __volatile__("pushfq; popq %0; btl $9, %k0" : "=r"(flags), "=@ccnc"(off)::"memory");
	return off;
}

/* With interrupts off 1 << bit, else 0, without a branch. bit: a constant, at least 9. */
static __always_inline u32 irqs_disabled_bit(unsigned bit)
{
	return (u32)~arch_local_save_flags() << (bit - 9) & 1U << bit;
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

#define raw_local_irq_save(flags)                                                                  \
	do {                                                                                       \
		(flags) = arch_local_save_flags();                                                 \
		raw_local_irq_disable();                                                           \
	} while (0)

#define raw_local_irq_restore(flags)                                                               \
	do {                                                                                       \
		if (!irqs_disabled_flags(flags))                                                   \
			raw_local_irq_enable();                                                    \
	} while (0)
