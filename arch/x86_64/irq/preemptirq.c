/* The bytes of the sites in arch/irq/preemptirq.h, off and on. */
#include "arch/patch/insn_site.h"

#include "kernel/export.h"

/* preemptirq.asm. They keep all registers but the flags. */
void preemptirq_irq_off(void);
void preemptirq_irq_on(void);
void preemptirq_irq_enter(void);
void preemptirq_irq_exit(void);
void preemptirq_preempt_off(void);
void preemptirq_preempt_on(void);

/* Opcodes: Intel SDM 2A, CLI; 2B, STI; 2A, INC and DEC with a displacement from rip. */
#define INSN_SITE(thunk, ...)                                                                      \
	const struct insn_site thunk##_site = { (unsigned long)(thunk), __VA_ARGS__ }
INSN_SITE(preemptirq_irq_off, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfa });
INSN_SITE(preemptirq_irq_on, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfb });
INSN_SITE(preemptirq_irq_enter, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfb });
INSN_SITE(preemptirq_irq_exit, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfa });
INSN_SITE(preemptirq_preempt_off, 7, { 0x65, 0xff, 0x05 });
INSN_SITE(preemptirq_preempt_on, 7, { 0x65, 0xff, 0x0d });
EXPORT_SYMBOL_GPL(preemptirq_irq_off_site);
EXPORT_SYMBOL_GPL(preemptirq_irq_on_site);
EXPORT_SYMBOL_GPL(preemptirq_preempt_off_site);
EXPORT_SYMBOL_GPL(preemptirq_preempt_on_site);
