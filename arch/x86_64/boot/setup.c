/* The machine's steps of the boot: see arch/boot/setup.h. */
#include "arch/boot/setup.h"
#include "arch/irq/apic.h"
#include "arch/boot/cpuinfo.h"
#include "arch/irq/interrupt.h"
#include "arch/mm/paging.h"
#include "arch/mm/pgtable.h"
#include "arch/mm/smap.h"
#include "kernel/acpi/acpi.h"
#include "kernel/printk/printk.h"

void __init arch_cpu_init(void)
{
	cpu_init();
}

void __init arch_paging_init(void)
{
	paging_init();
}

void __init arch_firmware_init(void)
{
	const struct acpi_info *info = &acpi_info;

	acpi_init(map_firmware);
	/*
	 * Mask the 8259s while the local APIC still passes their interrupts on: they can withdraw
	 * a pending interrupt only through it.
	 */
	pic_disable();
	local_apic_map();
	if (info->have_madt && info->local_apic_address != local_apic_address())
		pr_warn("ACPI: the MADT has the local APIC at 0x%lx, the CPU at 0x%lx\n",
			info->local_apic_address, local_apic_address());
}

void __init arch_irq_init(void)
{
	smap_init();
	apic_init();
}
