/*
 * Starts the other CPUs, all at once (Intel SDM 3A 8.4).
 *
 * Each CPU gets INIT, and then STARTUP twice with the page of the trampoline. boot/trampoline.asm
 * brings the CPU to start_secondary(). A CPU that does not arrive is reported and left out: its
 * state becomes CPU_GIVEN_UP, so that it halts if it arrives late. The trampoline then stays in
 * memory.
 */
#include "arch/boot/smpboot.h"

#include "arch/irq/apic.h"
#include "arch/irq/descriptors.h"
#include "arch/irq/ipi.h"
#include "arch/cpu/irqflags.h"
#include "arch/mm/paging.h"
#include "arch/cpu/processor.h"
#include "arch/mm/tlb.h"
#include "arch/irq/vectors.h"
#include "arch/unwind/stacktrace.h"
#include "kernel/atomic.h"
#include "kernel/bug.h"
#include "kernel/ipi_events.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/sched.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"

#define TRAMPOLINE_LIMIT   0x9f000UL /* the BIOS data area is at or above this address */
#define TRAMPOLINE_CODE32  8
#define TRAMPOLINE_DATA32  16
#define TRAMPOLINE_CODE64  24
#define TRAMPOLINE_TABLES  4 /* one for each level; they identity-map two pages */
#define STARTUP_DELAY_US   200
#define STARTUP_TIMEOUT_NS (10 * NSEC_PER_SEC) /* running time since the last CPU arrived */

/* The page after the trampoline's code. boot/trampoline.asm uses the offsets. */
struct trampoline_data {
	u16 gdt_limit;
	u32 gdt_base;
	u16 unused0;
	u32 protected_offset;
	u16 protected_selector;
	u16 unused1;
	u32 long_offset;
	u16 long_selector;
	u16 unused2;
	u32 cr3;
	u32 unused3;
	u64 gdt[4];
} __packed;

BUILD_BUG_ON(offsetof(struct trampoline_data, protected_offset) != 8);
BUILD_BUG_ON(offsetof(struct trampoline_data, long_offset) != 16);
BUILD_BUG_ON(offsetof(struct trampoline_data, cr3) != 24);

enum cpu_state { CPU_ABSENT, CPU_STARTING, CPU_RUNNING, CPU_GIVEN_UP };

extern const char trampoline_begin[], trampoline_protected[], trampoline_long[], trampoline_end[];
/* Called by boot/trampoline.asm on the stack of the idle task. Interrupts off. */
void __noreturn start_secondary(unsigned cpu);

/* For boot/trampoline.asm: the end of each idle task's stack, or 0 if the CPU must not start. */
u64 secondary_stacks[NR_CPUS];
static atomic_t cpu_states[NR_CPUS];
static phys_addr_t trampoline_page, trampoline_tables;

bool __init smp_reserve_trampoline(void)
{
	trampoline_page = memblock_phys_alloc_below(2 * PAGE_SIZE, PAGE_SIZE, TRAMPOLINE_LIMIT);
	trampoline_tables = memblock_phys_alloc_below(TRAMPOLINE_TABLES * PAGE_SIZE, PAGE_SIZE,
						      1UL << 32); /* cr3 is loaded in 32-bit mode */
	return trampoline_page && trampoline_tables;
}

/*
 * Maps the code page (RX) and the data page (RW, NX) at their physical addresses, and the whole
 * kernel half.
 */
static void __init trampoline_map(void)
{
	u64 *tables = __va(trampoline_tables);
	u64 *pgd = tables, *pt = tables + 3 * PTRS_PER_TABLE;

	memset(tables, 0, TRAMPOLINE_TABLES * PAGE_SIZE);
	for (unsigned level = 0; level < TRAMPOLINE_TABLES - 1; level++)
		tables[level * PTRS_PER_TABLE] =
			(trampoline_tables + (level + 1) * PAGE_SIZE) | TABLE_FLAGS;
	pt[table_index(trampoline_page, LEVEL_PTE)] =
		trampoline_page | _PAGE_PRESENT | _PAGE_ACCESSED;
	pt[table_index(trampoline_page + PAGE_SIZE, LEVEL_PTE)] = (trampoline_page + PAGE_SIZE) |
								  _PAGE_PRESENT | _PAGE_RW |
								  _PAGE_ACCESSED | _PAGE_NX;
	memcpy(pgd + PTRS_PER_TABLE / 2, swapper_pg_dir + PTRS_PER_TABLE / 2, PAGE_SIZE / 2);
}

/* Writes the code page, makes it read-only in the direct map, and only then maps it executable. */
static int __init trampoline_install(void)
{
	u8 *code = __va(trampoline_page);
	struct trampoline_data *data = __va(trampoline_page + PAGE_SIZE);
	u32 base = (u32)trampoline_page;
	int error;

	memcpy(code, trampoline_begin, (size_t)(trampoline_end - trampoline_begin));
	*data = (struct trampoline_data){
		.gdt_limit = sizeof(data->gdt) - 1,
		.gdt_base = base + PAGE_SIZE + offsetof(struct trampoline_data, gdt),
		.protected_offset = base + (u32)(trampoline_protected - trampoline_begin),
		.protected_selector = TRAMPOLINE_CODE32,
		.long_offset = base + (u32)(trampoline_long - trampoline_begin),
		.long_selector = TRAMPOLINE_CODE64,
		.cr3 = (u32)trampoline_tables,
		.gdt = { 0, 0x00cf9b000000ffff, 0x00cf93000000ffff, 0x00af9b000000ffff },
	};
	error = set_memory_ro((unsigned long)code, 1);
	if (!error)
		trampoline_map();
	return error;
}

static void __init trampoline_remove(void)
{
	memset(__va(trampoline_tables), 0, TRAMPOLINE_TABLES * PAGE_SIZE);
	WARN_ON(set_memory_rw((unsigned long)__va(trampoline_page), 1));
}

/*
 * The CPU may arrive after it was given up. It then has no descriptors and does not answer the IPI
 * rounds of text patching.
 */
notrace /* a late CPU could execute a site while it is being patched */
void __noreturn start_secondary(unsigned cpu)
{
	if (atomic_cmpxchg(&cpu_states[cpu], CPU_STARTING, CPU_RUNNING) != CPU_STARTING)
		for (;;)
			halt();
	load_descriptors();
	cpu_setup_features();
	local_apic_setup();
	local_apic_timer_setup();
	cpumask_set_cpu(cpu, &cpu_online_mask);
	/*
	 * From here on, TLB flushes include this CPU. This drops the translations that it cached
	 * before.
	 */
	local_flush_tlb_all();
	cpu_startup_entry();
}

static void __init send_to_starting(u32 mode_and_vector)
{
	unsigned cpu;

	for_each_possible_cpu (cpu)
		if (atomic_read(&cpu_states[cpu]) == CPU_STARTING)
			apic_send_ipi(cpu_apic_ids[cpu], mode_and_vector);
}

static unsigned __init prepare_cpus(void)
{
	unsigned cpu, count = 0;

	for_each_possible_cpu (cpu) {
		struct task_struct *idle;

		if (cpu == 0)
			continue;
		idle = alloc_ist_stacks(cpu) == 0 ? fork_idle(cpu) : NULL;
		if (!idle) {
			pr_err("smp: no memory for CPU %u\n", cpu);
			continue;
		}
		secondary_stacks[cpu] = (u64)idle->stack + THREAD_SIZE;
		atomic_set(&cpu_states[cpu], CPU_STARTING);
		count++;
	}
	return count;
}

/*
 * Waits until that many CPUs are online, or none has arrived for STARTUP_TIMEOUT_NS. Returns
 * whether all are online.
 */
static bool __init wait_for_cpus(unsigned wanted)
{
	unsigned online = num_online_cpus();
	struct running_time time;

	running_time_start(&time);
	while (online < wanted && running_time_elapsed(&time) < STARTUP_TIMEOUT_NS) {
		unsigned now = num_online_cpus();

		if (now != online)
			running_time_start(&time);
		online = now;
		cpu_relax();
	}
	return online >= wanted;
}

static bool __init give_up_missing(void)
{
	bool missing = false;
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		if (atomic_cmpxchg(&cpu_states[cpu], CPU_STARTING, CPU_GIVEN_UP) != CPU_STARTING)
			continue;
		pr_err("smp: CPU %u (APIC ID %u) does not answer and is left out\n", cpu,
		       cpu_apic_ids[cpu]);
		missing = true;
	}
	return missing;
}

void __init smp_init(void)
{
	bool missing = false;
	unsigned count;

	if (alloc_ist_stacks(0))
		panic("No memory for the interrupt stacks");
	count = prepare_cpus();
	if (count && trampoline_install() == 0) {
		/* The SDM's delay of 10 ms after INIT is for CPUs older than 64 bits. */
		send_to_starting(APIC_DM_INIT);
		send_to_starting(APIC_DM_STARTUP | (u32)(trampoline_page >> PAGE_SHIFT));
		udelay(STARTUP_DELAY_US);
		send_to_starting(APIC_DM_STARTUP | (u32)(trampoline_page >> PAGE_SHIFT));
		if (!wait_for_cpus(1 + count))
			missing = give_up_missing();
		if (!missing)
			trampoline_remove();
	}
	pr_info("smp: Brought up %u CPU%s\n", num_online_cpus(), num_online_cpus() == 1 ? "" : "s");
}

void smp_send_reschedule(unsigned cpu)
{
	trace_ipi_send_cpu(cpu, _RET_IP_, NULL);
	apic_send_ipi(cpu_apic_ids[cpu], APIC_DM_FIXED | RESCHEDULE_VECTOR);
}

void arch_send_call_function_ipi(unsigned cpu)
{
	apic_send_ipi(cpu_apic_ids[cpu], APIC_DM_FIXED | CALL_FUNCTION_VECTOR);
}

notrace /* tracers call it */
void arch_irq_work_raise(void)
{
	apic_send_self(IRQ_WORK_VECTOR);
}

void arch_send_nmi(unsigned cpu)
{
	apic_send_ipi(cpu_apic_ids[cpu], APIC_DM_NMI);
}
