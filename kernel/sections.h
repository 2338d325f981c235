/*
 * The limits of the sections, from linker.ld: only addresses, all page-aligned. And two sections of
 * functions that probes treat in their own way.
 */
#pragma once

#include "kernel/compiler.h"

extern char __boot_begin[], __boot_end[]; /* physical; code that runs before paging */
extern char _stext[], _etext[];           /* RX */
extern char __entry_text_start[],
	__entry_text_end[]; /* in the text: assembly between C functions */
extern char __kprobes_text_start[],
	__kprobes_text_end[]; /* in the text: functions without probes */
extern char __calls_callbacks_start[],
	__calls_callbacks_end[]; /* in the text: between a probed place and a callback */
extern char __start_rodata[], __end_rodata[];               /* R */
extern char __start_ro_after_init[], __end_ro_after_init[]; /* in the data: R after the boot */
extern char _sdata[], _edata[];                 /* RW; the per-CPU section is at the end */
extern char __per_cpu_start[], __per_cpu_end[]; /* RW: the master copy */
extern char __per_cpu_reserve[];                /* to __per_cpu_end: for modules */
extern char __init_begin[], __init_text_end[];  /* RX; freed after the boot */
extern char __init_end[];                       /* from __init_text_end: RW; freed after the boot */
extern char __bss_start[], __bss_stop[];        /* RW */
extern char _end[];
extern char boot_stack_guard[]; /* the page below the stack; unmapped by paging_init() */
extern char boot_stack[], boot_stack_top[]; /* in the bss: the first stack of the boot CPU */

/*
 * A function that the breakpoint handler calls: no probe can be in it, and it cannot be traced. A
 * comment says why.
 */
#define __kprobes __section(".kprobes.text") notrace

/*
 * A function between a traced place and a callback. An oops in a callback does not name it, and the
 * stacks of probes' events do not show it.
 */
#define __calls_callbacks __section(".calls_callbacks.text")

static inline bool in_kprobes_text(unsigned long ip)
{
	return ip >= (unsigned long)__kprobes_text_start && ip < (unsigned long)__kprobes_text_end;
}

/* True in the functions through which ftrace, fgraph and probes call callbacks. Any context. */
static inline bool in_calls_callbacks_text(unsigned long ip)
{
	return in_kprobes_text(ip) || (ip >= (unsigned long)__calls_callbacks_start &&
				       ip < (unsigned long)__calls_callbacks_end);
}
