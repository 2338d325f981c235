/* Time stamps of the stages of the boot. /sys/kernel/debug/boot_time shows them. */
#pragma once

#include "kernel/compiler.h"

enum boot_stage {
	BOOT_ENTRY,        /* the first instruction of boot/entry.asm, which stores this stamp */
	BOOT_START_KERNEL, /* start_kernel(): paging is on, boot_info is filled */
	BOOT_MEMORY,       /* kmalloc() works */
	BOOT_FIRST_TASK,   /* PID 1 runs */
	BOOT_CPUS,         /* all CPUs are up */
	BOOT_INITCALLS,    /* file systems and devices work */
	BOOT_PROMPT,       /* the shell has printed its prompt, and waits for the terminal */
	BOOT_STAGES
};

/* The TSC at each stage; 0: not reached yet. Written once. */
extern u64 boot_stage_tsc[BOOT_STAGES];

/*
 * Records that the boot has reached a stage. Only the first call for a stage counts. Any context.
 */
void boot_stamp(enum boot_stage stage);
