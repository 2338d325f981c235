/*
 * What stands at an instruction site (kernel/jump_label.h): the instruction, or a call of a thunk.
 * arch/irq/preemptirq.h emits the sites; arch/irq/preemptirq.c has a struct insn_site for each
 * thunk.
 */
#pragma once

#include "arch/cpu/preempt.h"
#include "arch/patch/text_patch.h"

/* Constant. */
struct insn_site {
	unsigned long thunk;
	u8 size; /* of the instruction; the call has TEXT_PATCH_SIZE */
	/* Its first bytes. If size is more: 3 bytes before a displacement. */
	u8 insn[TEXT_PATCH_SIZE];
};
extern const struct insn_site preemptirq_irq_off_site, preemptirq_irq_on_site,
	preemptirq_irq_enter_site, preemptirq_irq_exit_site, preemptirq_preempt_off_site,
	preemptirq_preempt_on_site;

/*
 * Fills the patch that turns the site at addr on: into the call of the thunk; or off. A long
 * instruction counts preemption: its displacement leads from its end to __preempt_count.
 */
static inline void arch_insn_site_patch(struct text_patch *patch, unsigned long addr,
					const struct insn_site *site, bool on)
{
	u8 *insn = on ? patch->old : patch->new;

	patch->addr = addr;
	text_encode_call(on ? patch->new : patch->old, addr, site->thunk);
	__builtin_memcpy(insn, site->insn, TEXT_PATCH_SIZE);
	if (site->size > TEXT_PATCH_SIZE) {
		u16 displacement = (u16)((unsigned long)&__preempt_count - (addr + site->size));

		__builtin_memcpy(insn + 3, &displacement, sizeof(displacement));
	}
}
