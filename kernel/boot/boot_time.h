/* When the boot got how far: TSC stamps of its stages, shown in /sys/kernel/debug/boot_time. */
#pragma once

#include "kernel/compiler.h"

enum boot_stage {
	BOOT_ENTRY,        /* the first instruction of boot/entry.asm, which stamps it itself */
	BOOT_START_KERNEL, /* start_kernel(): paging is on, boot_info is filled */
	BOOT_MEMORY,       /* kmalloc() works */
	BOOT_FIRST_TASK,   /* PID 1 runs */
	BOOT_CPUS,         /* all CPUs are up */
	BOOT_INITCALLS,    /* file systems and devices are there */
	BOOT_PROMPT,       /* the shell has printed its first prompt */
	BOOT_STAGES
};

/* The TSC at each stage, 0 until it is reached. Written once, by whoever reaches it. */
extern u64 boot_stage_tsc[BOOT_STAGES];

/* The boot is here; only the first call for a stage counts. Any context. */
void boot_stamp(enum boot_stage stage);
