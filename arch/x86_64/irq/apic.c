/*
 * The local APIC: register access in both modes, the set-up of each CPU's APIC, IPIs (Intel SDM 3A
 * 10).
 */
#include "arch/irq/apic.h"

#include "arch/boot/cpuinfo.h"
#include "arch/cpu/irqflags.h"
#include "arch/mm/pgtable.h"
#include "arch/cpu/processor.h"
#include "arch/cpu/msr.h"
#include "arch/irq/vectors.h"
#include "kernel/panic.h"
#include "kernel/preempt.h"
#include "kernel/printk/printk.h"

#define APIC_SIZE        0x400 /* size of its registers */
#define APIC_BASE_X2APIC (1UL << 10)
#define APIC_BASE_ENABLE (1UL << 11)

bool x2apic_mode;
static volatile u32 *xapic; /* the register page, NULL in x2APIC mode or without an APIC */

static __always_inline u32 x2apic_msr(u32 reg)
{
	return MSR_X2APIC + (reg >> 4);
}

u32 apic_read(u32 reg)
{
	if (x2apic_mode)
		return (u32)rdmsr(x2apic_msr(reg));
	return xapic[reg / 4];
}

void apic_write(u32 reg, u32 value)
{
	if (x2apic_mode)
		wrmsr(x2apic_msr(reg), value);
	else
		xapic[reg / 4] = value;
}

void apic_eoi(void)
{
	if (x2apic_mode)
		__wrmsr(x2apic_msr(APIC_EOI), 0);
	else
		apic_write(APIC_EOI, 0);
}

u32 apic_read_id(void)
{
	u32 id = apic_read(APIC_ID);

	return x2apic_mode ? id : id >> 24;
}

bool apic_vector_in_service(unsigned vector)
{
	return (apic_read(APIC_ISR + (vector / 32) * 0x10) >> (vector % 32)) & 1;
}

bool local_apic_present(void)
{
	return x2apic_mode || xapic;
}

static void xapic_wait_icr_idle(void)
{
	while (apic_read(APIC_ICR) & APIC_ICR_BUSY)
		cpu_relax();
}

/* Sends an IPI through the xAPIC. The command takes two writes. Interrupts are off. */
static void xapic_send(u32 apic_id, u32 command)
{
	xapic_wait_icr_idle();
	apic_write(APIC_ICR2, apic_id << 24);
	apic_write(APIC_ICR, command);
}

/*
 * Sends an IPI from an NMI. The NMI may interrupt another command between its two writes, so this
 * function restores the first write of that command.
 */
static void xapic_send_from_nmi(u32 apic_id, u32 command)
{
	u32 target = apic_read(APIC_ICR2);

	xapic_send(apic_id, command);
	xapic_wait_icr_idle();
	apic_write(APIC_ICR2, target);
}

void apic_send_ipi(u32 apic_id, u32 mode_and_vector)
{
	u32 command = APIC_LEVEL_ASSERT | mode_and_vector;
	unsigned long flags;

	if (x2apic_mode) {
		wrmsr_fence(); /* the target sees the earlier stores of this CPU */
		wrmsr(x2apic_msr(APIC_ICR), (u64)apic_id << 32 | command);
		return;
	}
	local_irq_save(flags);
	if (in_nmi())
		xapic_send_from_nmi(apic_id, command);
	else
		xapic_send(apic_id, command);
	local_irq_restore(flags);
}

/*
 * The command is one write and names no target. So this function may interrupt another command of
 * this CPU between its two writes. That command has already waited for an idle ICR, so this
 * function waits at its end until the ICR is idle again.
 */
notrace /* tracers call it */
void apic_send_self(unsigned vector)
{
	u32 command = APIC_DEST_SELF | APIC_LEVEL_ASSERT | APIC_DM_FIXED | vector;

	if (x2apic_mode) {
		__wrmsr(x2apic_msr(APIC_ICR), command);
	} else if (xapic) {
		while (xapic[APIC_ICR / 4] & APIC_ICR_BUSY)
			cpu_relax();
		xapic[APIC_ICR / 4] = command;
		while (xapic[APIC_ICR / 4] & APIC_ICR_BUSY)
			cpu_relax();
	}
}

phys_addr_t local_apic_address(void)
{
	return rdmsr(MSR_APIC_BASE) & PTE_PFN_MASK;
}

void __init local_apic_map(void)
{
	x2apic_mode = cpu_has(X86_FEATURE_X2APIC);
	if (!x2apic_mode) {
		xapic = fixmap_device(local_apic_address(), APIC_SIZE);
		if (!xapic)
			panic("The local APIC cannot be at 0x%lx", local_apic_address());
	}
	local_apic_setup();
	pr_info("APIC: %s, boot CPU has ID %u\n", x2apic_mode ? "x2APIC" : "xAPIC", apic_read_id());
}

void local_apic_setup(void)
{
	u64 base = rdmsr(MSR_APIC_BASE) | APIC_BASE_ENABLE;
	unsigned max_lvt;

	/* x2APIC mode can only be entered from xAPIC mode (10.12.5). */
	wrmsr(MSR_APIC_BASE, base);
	if (x2apic_mode)
		wrmsr(MSR_APIC_BASE, base | APIC_BASE_X2APIC);

	max_lvt = (apic_read(APIC_LVR) >> 16) & 0xff;
	apic_write(APIC_SPIV, APIC_SPIV_ENABLE | SPURIOUS_APIC_VECTOR);
	apic_write(APIC_TPR, 0);
	apic_write(APIC_LVTT, APIC_LVT_MASKED | LOCAL_TIMER_VECTOR);
	apic_write(APIC_LVT0, APIC_LVT_MASKED);
	apic_write(APIC_LVT1, APIC_DM_NMI);
	if (max_lvt >= 4)
		apic_write(APIC_LVTPC, APIC_LVT_MASKED);
	if (max_lvt >= 5)
		apic_write(APIC_LVTTHMR, APIC_LVT_MASKED);
	if (max_lvt >= 6)
		apic_write(APIC_LVTCMCI, APIC_LVT_MASKED);
	apic_write(APIC_ESR, 0);
	apic_write(APIC_LVTERR, APIC_ERROR_VECTOR);
	/*
	 * An interrupt that the firmware left in service would block all interrupts of lower
	 * priority.
	 */
	for (unsigned vector = 32; vector < 256; vector++)
		if (apic_vector_in_service(vector))
			apic_eoi();
}
