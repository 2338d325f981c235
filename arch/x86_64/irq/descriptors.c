/* The GDT and the TSS of each CPU, and the IDT that all CPUs share. */
#include "arch/irq/descriptors.h"

#include "arch/mm/pgtable.h"
#include "arch/irq/traps.h"
#include "kernel/bug.h"
#include "kernel/errno.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/task.h"

#define SEGMENT_CODE64  0x00af9b000000ffffUL /* present, accessed, long mode */
#define SEGMENT_CODE32  0x00cf9b000000ffffUL
#define SEGMENT_DATA    0x00cf93000000ffffUL
#define SEGMENT_DPL3    (3UL << 45)
#define SEGMENT_CPU     0x0040f10000000000UL /* present, ring 3, data, read-only, limit in bytes */
#define SEGMENT_TSS     0x9UL                /* available 64-bit TSS */
#define SEGMENT_PRESENT (1UL << 47)

#define GATE_INTERRUPT 0xe /* interrupts off on entry */
#define GATE_PRESENT   0x80
#define GATE_DPL3      0x60

struct table_pointer {
	u16 limit;
	u64 base;
} __packed;

DEFINE_PER_CPU(struct gdt, cpu_gdt) __aligned(64);
/* arch/cpu/switch.asm uses the offset of rsp0. */
DEFINE_PER_CPU(struct tss, cpu_tss) __aligned(64);

#define BOOT_IST_STACK_SIZE 4096

static char boot_ist_stacks[NR_IST - 1][BOOT_IST_STACK_SIZE] __initdata __aligned(16);
DEFINE_PER_CPU(struct ist_stacks, ist_stacks) = {
	.base = { boot_ist_stacks[0], boot_ist_stacks[1], boot_ist_stacks[2], boot_ist_stacks[3] },
	.size = BOOT_IST_STACK_SIZE,
};
BUILD_BUG_ON(NR_IST != 5);

BUILD_BUG_ON(offsetof(struct tss, rsp0) != 4);
BUILD_BUG_ON(offsetof(struct tss, rsp2) != 20);
BUILD_BUG_ON(sizeof(struct tss) != 104);

struct gate idt_table[256] __section(".data..page_aligned") __aligned(4096);

extern const u64 exception_entries[NR_EXCEPTIONS]; /* entry.asm */
/* in entry.asm: one entry in each 16 bytes, from vector 32 on */
extern const char interrupt_entries[];

static void write_tss_descriptor(struct gdt *gdt, const struct tss *tss)
{
	u64 base = (u64)tss;
	u64 limit = sizeof(*tss) - 1;

	gdt->entries[GDT_TSS / 8] = limit | ((base & 0xffffff) << 16) | (SEGMENT_TSS << 40) |
				    SEGMENT_PRESENT | (((base >> 24) & 0xff) << 56);
	gdt->entries[GDT_TSS / 8 + 1] = base >> 32;
}

/*
 * The highest 16 bytes of each stack are not used by the CPU. The lower 8 of them hold the GS base
 * of the CPU, for IST_ENTER in entry.asm.
 */
static void set_ist(struct tss *tss, const struct ist_stacks *stacks, u64 gs_base)
{
	for (unsigned i = 0; i < NR_IST - 1; i++) {
		u64 *top = (u64 *)(stacks->base[i] + stacks->size) - 2;

		*top = gs_base;
		tss->ist[i] = (u64)top;
	}
}

int alloc_ist_stacks(unsigned cpu)
{
	struct ist_stacks stacks = { .size = THREAD_SIZE };

	for (unsigned i = 0; i < NR_IST - 1; i++) {
		stacks.base[i] = alloc_thread_stack();
		if (!stacks.base[i]) {
			while (i-- > 0)
				free_thread_stack(stacks.base[i]);
			return -ENOMEM;
		}
	}
	per_cpu(ist_stacks, cpu) = stacks;
	if (cpu_online(cpu)) /* an online CPU already uses its TSS; another CPU fills in its own
				later */
		set_ist(per_cpu_ptr(&cpu_tss, cpu), &stacks, __per_cpu_offset[cpu]);
	return 0;
}

void load_descriptors(void)
{
	struct gdt *gdt = this_cpu_ptr(&cpu_gdt);
	struct tss *tss = this_cpu_ptr(&cpu_tss);
	struct table_pointer gdtr = { sizeof(*gdt) - 1, (u64)gdt };
	struct table_pointer idtr = { sizeof(idt_table) - 1, (u64)idt_table };

	*gdt = (struct gdt){ .entries = {
				     [__KERNEL_CS / 8] = SEGMENT_CODE64,
				     [__KERNEL_DS / 8] = SEGMENT_DATA,
				     [__USER32_CS / 8] = SEGMENT_CODE32 | SEGMENT_DPL3,
				     [__USER_DS / 8] = SEGMENT_DATA | SEGMENT_DPL3,
				     [__USER_CS / 8] = SEGMENT_CODE64 | SEGMENT_DPL3,
				     [GDT_CPU / 8] = SEGMENT_CPU | smp_processor_id(),
			     } };
	tss->io_bitmap = sizeof(*tss);
	set_ist(tss, this_cpu_ptr(&ist_stacks), this_cpu_read(this_cpu_off));
	write_tss_descriptor(gdt, tss);

	/*
	 * DS and ES are not used in 64-bit mode; programs find 0 in them, as on Linux. Does not
	 * load the selectors of FS and GS: that would clear the GS base.
	 */
	__asm__ __volatile__("lgdt %0\n\t"
			     "pushq %1\n\t"
			     "leaq 1f(%%rip), %%rax\n\t"
			     "pushq %%rax\n\t"
			     "lretq\n"
			     "1:\n\t"
			     "movl %2, %%eax\n\t"
			     "movl %%eax, %%ss\n\t"
			     "xorl %%eax, %%eax\n\t"
			     "movl %%eax, %%ds\n\t"
			     "movl %%eax, %%es\n\t"
			     "ltr %w3\n\t"
			     "lidt %4"
			     :
			     : "m"(gdtr), "i"(__KERNEL_CS), "i"(__KERNEL_DS), "r"(GDT_TSS),
			       "m"(idtr)
			     : "rax", "memory");
}

/* INT3 and INTO of a program are traps. INT n with another vector is a #GP. */
static u8 gate_dpl(unsigned vector)
{
	return vector == X86_TRAP_BP || vector == X86_TRAP_OF ? GATE_DPL3 : 0;
}

static void __init set_gate(unsigned vector, u64 entry, enum ist_slot ist)
{
	idt_table[vector] = (struct gate){
		.offset_low = (u16)entry,
		.selector = __KERNEL_CS,
		.ist = ist,
		.type = GATE_PRESENT | GATE_INTERRUPT | gate_dpl(vector),
		.offset_middle = (u16)(entry >> 16),
		.offset_high = (u32)(entry >> 32),
	};
}

void __init idt_init(void)
{
	for (unsigned v = 0; v < NR_EXCEPTIONS; v++)
		set_gate(v, exception_entries[v], IST_NONE);
	for (unsigned v = NR_EXCEPTIONS; v < 256; v++)
		set_gate(v, (u64)interrupt_entries + (v - NR_EXCEPTIONS) * 16, IST_NONE);
	/* These may arrive when the current stack or the GS base is not the kernel's. */
	set_gate(X86_TRAP_NMI, exception_entries[X86_TRAP_NMI], IST_NMI);
	set_gate(X86_TRAP_DF, exception_entries[X86_TRAP_DF], IST_DF);
	set_gate(X86_TRAP_MC, exception_entries[X86_TRAP_MC], IST_MC);
	set_gate(X86_TRAP_DB, exception_entries[X86_TRAP_DB], IST_DB);
}

void __init idt_protect(void)
{
	WARN_ON(set_memory_ro((unsigned long)idt_table, 1));
}
