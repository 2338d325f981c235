/*
 * The I/O APICs, which route the ISA interrupts, and the two 8259s, which are masked (82093AA
 * datasheet).
 */
#include "arch/irq/apic.h"
#include "arch/irq/interrupt.h"
#include "arch/mm/pgtable.h"
#include "arch/cpu/io.h"
#include "arch/cpu/processor.h"
#include "arch/boot/smpboot.h"
#include "arch/irq/vectors.h"
#include "kernel/acpi/acpi.h"
#include "kernel/errno.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/printk/printk.h"

#define IO_APIC_DEFAULT_ADDRESS 0xfec00000UL
#define IO_APIC_SIZE            0x14 /* size of its two registers */

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
	volatile u32 *registers; /* [io_apic_lock] select register at 0, window at 16 */
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
	outb(PIC1_DATA, 1 << 2); /* ICW3: the second 8259 is on line 2 */
	outb(PIC2_DATA, 2);
	outb(PIC1_DATA, PIC_8086);
	outb(PIC2_DATA, PIC_8086);
	outb(PIC1_DATA, 0xff);
	outb(PIC2_DATA, 0xff);
}

/*
 * Tests whether an I/O APIC answers: the select register keeps a written value, and the version is
 * not all ones.
 */
static bool __init io_apic_answers(const struct io_apic *io)
{
	for (u32 reg = 0; reg <= IO_APIC_VERSION; reg++) {
		io->registers[0] = reg;
		if ((io->registers[0] & 0xff) != reg)
			return false;
	}
	return io_apic_read(io, IO_APIC_VERSION) != ~0U;
}

static void __init io_apic_add(phys_addr_t address, u32 gsi_base)
{
	struct io_apic *io = &io_apics[io_apic_count];

	*io = (struct io_apic){ .gsi_base = gsi_base };
	if (ALIGN_DOWN(address, PAGE_SIZE) != local_apic_address())
		io->registers = fixmap_device(address, IO_APIC_SIZE);
	if (!io->registers || !io_apic_answers(io)) {
		pr_warn("IOAPIC: nothing answers at 0x%lx\n", address);
		return;
	}
	io->pins = ((io_apic_read(io, IO_APIC_VERSION) >> 16) & 0xff) + 1;
	for (u32 pin = 0; pin < io->pins; pin++)
		io_apic_write(io, IO_APIC_REDIRECTION(pin), REDIRECTION_MASKED);
	pr_info("IOAPIC %u: %u pins from GSI %u on\n", io_apic_count, io->pins, io->gsi_base);
	io_apic_count++;
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

/*
 * Ignores each override of the MADT with a GSI that belongs to no I/O APIC. The IRQ keeps its
 * identity route.
 */
static void __init check_overrides(void)
{
	u32 pin;

	for (unsigned irq = 0; irq < ACPI_ISA_IRQS; irq++) {
		struct acpi_isa_override *route = &acpi_info.isa[irq];

		if (route->gsi == irq || io_apic_of_gsi(route->gsi, &pin))
			continue;
		pr_warn("IOAPIC: no pin for GSI %u, which IRQ %u is said to be\n", route->gsi, irq);
		*route = (struct acpi_isa_override){ .gsi = irq };
	}
}

void __init io_apic_init(void)
{
	u32 pin;

	for (unsigned i = 0; i < acpi_info.io_apic_count; i++)
		io_apic_add(acpi_info.io_apics[i].address, acpi_info.io_apics[i].gsi_base);
	if (!io_apic_count) {
		pr_warn("IOAPIC: none is named that answers: trying where PCs have it\n");
		io_apic_add(IO_APIC_DEFAULT_ADDRESS, 0);
	}
	if (io_apic_count && !io_apic_of_gsi(0, &pin)) {
		pr_warn("IOAPIC: none has GSI 0: the first one must\n");
		io_apics[0].gsi_base = 0;
	}
	check_overrides();
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
