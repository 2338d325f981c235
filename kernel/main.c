/*
 * The boot, from the first machine-independent function to the first program. Read it as a table of
 * contents. docs/boot.md describes the steps before it (boot/, arch/boot/head64.c).
 */
#include "arch/boot/setup.h"
#include "kernel/boot/boot_info.h"
#include "kernel/boot/boot_time.h"
#include "kernel/init.h"
#include "kernel/initcall_events.h"
#include "kernel/irq/softirq.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/kallsyms.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/kthread.h"
#include "kernel/smp.h"
#include "kernel/time/ktime.h"
#include "kernel/time/timer.h"
#include "kernel/boot/version.h"

void (*first_program)(void);

DEFINE_LINKER_TABLE(init, initcall_t, early_initcalls);
DEFINE_LINKER_TABLE(init, initcall_t, core_initcalls);
DEFINE_LINKER_TABLE(init, initcall_t, fs_initcalls);
DEFINE_LINKER_TABLE(init, initcall_t, device_initcalls);
DEFINE_LINKER_TABLE(init, initcall_t, late_initcalls);
DEFINE_LINKER_TABLE(init, initcall_t, memory_initcalls);

static void __init do_initcalls(const char *level, const initcall_t *call, const initcall_t *end)
{
	trace_initcall_level(level);
	for (; call < end; call++) {
		int error;

		trace_initcall_start(*call);
		error = (*call)();
		trace_initcall_finish(*call, error);
		if (error)
			pr_err("initcall %ps failed: %d\n", (void *)*call, error);
	}
}
#define do_initcall_level(level)                                                                   \
	do_initcalls(#level, linker_table_start(level##_initcalls),                                \
		     linker_table_end(level##_initcalls))

/* The part of the boot that needs all CPUs, and a task that may sleep. */
static void __init kernel_init_freeable(void)
{
	boot_stamp(BOOT_FIRST_TASK);
	workqueue_init();
	smp_init();
	boot_stamp(BOOT_CPUS);
	do_initcall_level(core);
	do_initcall_level(fs);
	do_initcall_level(device);
	do_initcall_level(late);
	boot_stamp(BOOT_INITCALLS);
}

/* PID 1. Not __init itself, because it still runs when the init sections are freed. */
static int kernel_init(void *unused __unused)
{
	kernel_init_freeable();
	free_initmem();
	first_program();
	return 0; /* to the program */
}

static void __init rest_init(void)
{
	start_init_task(kernel_init);
}

/*
 * Boots the kernel on the boot CPU and never returns. boot_info is filled. Interrupts are off, the
 * stack is the boot stack. The page tables are those of boot/entry.asm: text, rodata and data have
 * their final permissions, and the first 4 GiB of physical memory are readable at __va(). This
 * context becomes the boot CPU's idle task.
 */
void __init start_kernel(void)
{
	boot_stamp(BOOT_START_KERNEL);
	arch_cpu_init();
	parse_kernel_params(boot_info.cmdline);
	printk(KERN_NOTICE "%s", linux_proc_banner);
	printk(KERN_NOTICE "Command line: %s\n", boot_info.cmdline);
	if (boot_info.problem)
		pr_warn("boot: %s\n", boot_info.problem);

	memblock_init();
	do_initcall_level(memory);
	arch_paging_init();
	arch_firmware_init();
	setup_per_cpu_areas();
	mem_init();
	boot_stamp(BOOT_MEMORY);

	time_init();
	/* ftrace= on the command line traces the boot from here on. */
	do_initcall_level(early);
	sched_init();
	softirq_init();
	timers_init();
	arch_irq_init();
	local_irq_enable();

	rest_init();
	cpu_startup_entry();
}
