/* Power off, reset, and QEMU's exit device. */
#include "arch/cpu/irqflags.h"
#include "arch/cpu/io.h"
#include "arch/cpu/processor.h"
#include "kernel/acpi/acpi.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/smp.h"

#define QEMU_DEBUG_EXIT_PORT 0xf4
#define RESET_CONTROL_PORT   0xcf9 /* of Intel's chipsets; used if ACPI names no reset register */
#define RESET_CONTROL_FULL   0x06
#define I8042_COMMAND_PORT   0x64
#define I8042_BUSY           0x02
#define I8042_PULSE_RESET    0xfe
#define I8042_TRIES          100000U

/* A CPU that continued would report this one as locked up. */
void __noreturn machine_halt(void)
{
	local_irq_disable();
	smp_stop_other_cpus(false);
	for (;;)
		halt();
}

void qemu_debug_exit(u8 value)
{
	outb(QEMU_DEBUG_EXIT_PORT, value);
}

void __noreturn machine_power_off(void)
{
	acpi_power_off();
	pr_emerg("reboot: Power off not available: System halted\n");
	console_flush();
	machine_halt();
}

void __noreturn machine_triple_fault(void)
{
	static const struct {
		u16 limit;
		u64 base;
	} __packed no_table;

	local_irq_disable();
	asm volatile("lidt %0; int3" : : "m"(no_table));
	machine_halt();
}

void __noreturn machine_restart(void)
{
	local_irq_disable(); /* a reset may take time: a trace that survives it ends here */
	acpi_reset();
	outb(RESET_CONTROL_PORT, RESET_CONTROL_FULL);
	for (unsigned i = 0; i < I8042_TRIES && (inb(I8042_COMMAND_PORT) & I8042_BUSY); i++)
		cpu_relax();
	outb(I8042_COMMAND_PORT, I8042_PULSE_RESET);
	machine_triple_fault();
}
