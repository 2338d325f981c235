/* The bytes of the sites in arch/preemptirq.h, off and on. */
#include "arch/preemptirq.h"

#include "arch/preempt.h"
#include "arch/text_patch.h"
#include "kernel/export.h"

/* preemptirq.asm. They keep all registers but the flags. */
void preemptirq_irq_off(void);
void preemptirq_irq_on(void);
void preemptirq_irq_enter(void);
void preemptirq_irq_exit(void);
void preemptirq_preempt_off(void);
void preemptirq_preempt_on(void);
EXPORT_SYMBOL_GPL(preemptirq_irq_off);
EXPORT_SYMBOL_GPL(preemptirq_irq_on);
EXPORT_SYMBOL_GPL(preemptirq_preempt_off);
EXPORT_SYMBOL_GPL(preemptirq_preempt_on);

/* Opcodes: Intel SDM 2A, CLI; 2B, STI; 2A, INC and DEC with a displacement from rip. */
static const struct insn_site {
	void (*thunk)(void);
	u8 size;
	u8 bytes[TEXT_PATCH_SIZE]; /* of the preempt count: without the displacement */
} insn_sites[] = {
	{ preemptirq_irq_off, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfa } },
	{ preemptirq_irq_on, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfb } },
	{ preemptirq_irq_enter, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfb } },
	{ preemptirq_irq_exit, 5, { 0x2e, 0x2e, 0x2e, 0x2e, 0xfa } },
	{ preemptirq_preempt_off, 7, { 0x65, 0xff, 0x05 } },
	{ preemptirq_preempt_on, 7, { 0x65, 0xff, 0x0d } },
};

static const struct insn_site *site_of(unsigned long thunk)
{
	const struct insn_site *site = insn_sites;

	while ((unsigned long)site->thunk != thunk)
		site++;
	return site;
}

unsigned arch_insn_site_size(unsigned long thunk)
{
	return site_of(thunk)->size;
}

void arch_insn_site_patch(struct text_patch *patch, unsigned long addr, unsigned long thunk,
			  bool on)
{
	const struct insn_site *site = site_of(thunk);
	u8 *insn = on ? patch->old : patch->new;

	patch->addr = addr;
	__builtin_memcpy(insn, site->bytes, TEXT_PATCH_SIZE);
	if (site->size > TEXT_PATCH_SIZE) {
		unsigned long displacement = (unsigned long)&__preempt_count - (addr + site->size);

		insn[3] = (u8)displacement;
		insn[4] = (u8)(displacement >> 8);
	}
	text_encode_call(on ? patch->new : patch->old, addr, thunk);
}
