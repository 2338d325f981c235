/* The edges of the image, from arch/kernel.ld: addresses only, all page-aligned. */
#pragma once

extern char __boot_begin[], __boot_end[]; /* physical; code before paging, never mapped again */
extern char _stext[], _etext[];           /* RX */
extern char __entry_text_start[], __entry_text_end[]; /* of text: assembly between C functions */
extern char __start_rodata[], __end_rodata[];         /* R */
extern char _sdata[], _edata[];                       /* RW, with the per-CPU section at its end */
extern char __per_cpu_start[], __per_cpu_end[];       /* RW: the master copy */
extern char __init_begin[], __init_text_end[];        /* RX; freed after boot with what follows */
extern char __init_end[];                             /* from __init_text_end: RW */
extern char __bss_start[], __bss_stop[];              /* RW */
extern char _end[];
extern char boot_stack_guard[];             /* not mapped after paging_init(): the page below */
extern char boot_stack[], boot_stack_top[]; /* in the bss: the boot CPU's first stack */
