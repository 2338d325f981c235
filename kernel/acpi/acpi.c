/* ACPI: reads the tables at boot, powers off, resets. */
#include "kernel/acpi/acpi.h"

#include "arch/cpu/io.h"
#include "arch/cpu/processor.h"
#include "kernel/boot/boot_info.h"
#include "kernel/printk/printk.h"
#include "kernel/time/ktime.h"

/* PM1 control register (ACPI specification 6.4, section 4.8.3.2.1). */
#define PM1_SCI_EN     (1U << 0)
#define PM1_SLP_TYP(t) ((u32)(t) << 10)
#define PM1_SLP_EN     (1U << 13)
#define ENABLE_TRIES   1000000U
/* of this CPU's running time: the machine must power off or reset within it */
#define END_WAIT_NS (10 * NSEC_PER_SEC)

struct acpi_info acpi_info;

void __init acpi_init(acpi_read_fn read)
{
	struct acpi_info *info = &acpi_info;

	acpi_parse(info, boot_info.rsdp, boot_info.rsdp_size, read);
	if (info->problem)
		pr_warn("ACPI: %s (%u problems)\n", info->problem, info->problem_count);
	if (info->found)
		pr_info("ACPI: %.6s: %u CPUs, %u I/O APICs%s%s%s\n", info->oem_id, info->cpu_count,
			info->io_apic_count, info->have_fadt ? ", FADT" : "",
			info->have_s5 ? ", S5" : "", info->have_hpet ? ", HPET" : "");
	if (info->cpus_dropped)
		pr_warn("ACPI: %u CPUs more than this kernel can use\n", info->cpus_dropped);
}

/* Makes the firmware leave power management to ACPI, unless it has already. */
static void acpi_enable(void)
{
	const struct acpi_info *info = &acpi_info;

	if ((inw((u16)info->pm1a_control) & PM1_SCI_EN) || !info->smi_command || !info->acpi_enable)
		return;
	outb((u16)info->smi_command, info->acpi_enable);
	for (unsigned i = 0; i < ENABLE_TRIES; i++) {
		if (inw((u16)info->pm1a_control) & PM1_SCI_EN)
			return;
		cpu_relax();
	}
}

static void wait_for_the_end(void)
{
	struct running_time time;

	running_time_start(&time);
	while (running_time_elapsed(&time) < END_WAIT_NS && tsc_khz)
		cpu_relax();
}

static void write_sleep(u32 port, u8 type)
{
	u32 value;

	if (!port)
		return;
	value = inw((u16)port) & ~(PM1_SLP_TYP(7) | PM1_SLP_EN);
	value |= PM1_SLP_TYP(type);
	outw((u16)port, (u16)value);
	outw((u16)port, (u16)(value | PM1_SLP_EN));
}

void acpi_power_off(void)
{
	const struct acpi_info *info = &acpi_info;

	if (!info->have_fadt || !info->have_s5 || !info->pm1a_control)
		return;
	acpi_enable();
	write_sleep(info->pm1a_control, info->s5_type_a);
	write_sleep(info->pm1b_control, info->s5_type_b);
	wait_for_the_end();
}

void acpi_reset(void)
{
	const struct acpi_info *info = &acpi_info;

	if (!info->reset_supported || info->reset_space != 1 || info->reset_address > 0xffff)
		return;
	outb((u16)info->reset_address, info->reset_value);
	wait_for_the_end();
}
