/*
 * The I/O APICs, which route the ISA interrupts, and the two 8259s, which must not (82093AA
 * datasheet).
 */
#include "arch/x86_64/apic.h"
#include "arch/x86_64/interrupt.h"
#include "arch/x86_64/pgtable.h"
#include "arch/x86_64/processor.h"
#include "arch/x86_64/smpboot.h"
#include "arch/x86_64/vectors.h"
#include "kernel/acpi/acpi.h"
#include "kernel/errno.h"
#include "kernel/locking/spinlock.h"
#include "kernel/printk.h"

#define IO_APIC_VERSION        0x01
#define IO_APIC_REDIRECTION(n) (0x10 + 2 * (n))
#define REDIRECTION_LOW        (1U << 13)
#define REDIRECTION_LEVEL      (1U << 15)
#define REDIRECTION_MASKED     (1U << 16)

#define PIC1_COMMAND 0x20
#define PIC1_DATA    0x21
#define PIC2_COMMAND 0xa0
#define PIC2_DATA    0xa1
#define PIC_INIT     0x11 /* ICW1: edge, cascade, ICW4 follows */
#define PIC_8086     0x01 /* ICW4 */

struct io_apic {
	volatile u32 *registers; /* [io_apic_lock] select at 0, window at 16 */
	u32 gsi_base, pins;      /* constant after boot */
};

static DEFINE_SPINLOCK(io_apic_lock);
static struct io_apic io_apics[ACPI_MAX_IO_APICS];
static unsigned io_apic_count;

static u32 io_apic_read(const struct io_apic *io, u32 reg)
{
	io->registers[0] = reg;
	return io->registers[4];
}

static void io_apic_write(const struct io_apic *io, u32 reg, u32 value)
{
	io->registers[0] = reg;
	io->registers[4] = value;
}

void __init pic_disable(void)
{
	outb(PIC1_COMMAND, PIC_INIT);
	outb(PIC2_COMMAND, PIC_INIT);
	outb(PIC1_DATA, PIC_VECTOR_BASE);
	outb(PIC2_DATA, PIC_VECTOR_BASE + 8);
	outb(PIC1_DATA, 1 << 2); /* ICW3: the second one is on line 2 */
	outb(PIC2_DATA, 2);
	outb(PIC1_DATA, PIC_8086);
	outb(PIC2_DATA, PIC_8086);
	outb(PIC1_DATA, 0xff);
	outb(PIC2_DATA, 0xff);
}

void __init io_apic_init(void)
{
	for (unsigned i = 0; i < acpi_info.io_apic_count; i++) {
		struct io_apic *io = &io_apics[io_apic_count];

		io->registers = fixmap_device(acpi_info.io_apics[i].address);
		io->gsi_base = acpi_info.io_apics[i].gsi_base;
		io->pins = ((io_apic_read(io, IO_APIC_VERSION) >> 16) & 0xff) + 1;
		if (io->pins > 240) {
			pr_warn("IOAPIC %u: nothing answers at its address\n", i);
			continue;
		}
		for (u32 pin = 0; pin < io->pins; pin++)
			io_apic_write(io, IO_APIC_REDIRECTION(pin), REDIRECTION_MASKED);
		io_apic_count++;
		pr_info("IOAPIC %u: %u pins from GSI %u on\n", i, io->pins, io->gsi_base);
	}
}

static const struct io_apic *io_apic_of_gsi(u32 gsi, u32 *pin)
{
	for (unsigned i = 0; i < io_apic_count; i++) {
		if (gsi >= io_apics[i].gsi_base && gsi - io_apics[i].gsi_base < io_apics[i].pins) {
			*pin = gsi - io_apics[i].gsi_base;
			return &io_apics[i];
		}
	}
	return NULL;
}

int arch_enable_irq(unsigned irq)
{
	const struct acpi_isa_override *route = &acpi_info.isa[irq];
	const struct io_apic *io;
	unsigned long flags;
	u32 pin, entry;

	io = io_apic_of_gsi(route->gsi, &pin);
	if (!io)
		return -ENODEV;
	entry = ISA_VECTOR_BASE + irq;
	if (route->active_low)
		entry |= REDIRECTION_LOW;
	if (route->level)
		entry |= REDIRECTION_LEVEL;
	spin_lock_irqsave(&io_apic_lock, flags);
	io_apic_write(io, IO_APIC_REDIRECTION(pin) + 1, cpu_apic_ids[0] << 24);
	io_apic_write(io, IO_APIC_REDIRECTION(pin), entry);
	spin_unlock_irqrestore(&io_apic_lock, flags);
	return 0;
}

void arch_disable_irq(unsigned irq)
{
	unsigned long flags;
	u32 pin;
	const struct io_apic *io = io_apic_of_gsi(acpi_info.isa[irq].gsi, &pin);

	if (!io)
		return;
	spin_lock_irqsave(&io_apic_lock, flags);
	io_apic_write(io, IO_APIC_REDIRECTION(pin), REDIRECTION_MASKED);
	spin_unlock_irqrestore(&io_apic_lock, flags);
}
