/*
 * Which address space a CPU has loaded, and the flushes of user translations.
 *
 * A CPU that switches from a program to a kernel task keeps the program's page tables loaded: the
 * kernel half is the same in all, and often the same program runs next. The CPU is then lazy. It
 * holds a reference (mm_count) until it loads another root table, and flushes do not interrupt it.
 *
 * Each flush of an address space increments context.tlb_gen, after the page tables have changed. A
 * CPU records the generation up to which its TLB is flushed. When a lazy CPU returns to the address
 * space, it compares the two, and flushes if it has missed one. The full barriers on both sides
 * order this: the flusher increments tlb_gen and then reads which CPUs are lazy; the CPU stops
 * being lazy and then reads tlb_gen.
 *
 * Before page tables are freed, lazy CPUs are interrupted, too, because a CPU may walk the tables
 * at any time, even for an address that no instruction uses. A lazy CPU then loads the kernel's own
 * root table. So a root table is in no CPU when the last reference to the address space is dropped.
 */
#pragma once

#include "kernel/compiler.h"

struct mm_struct;

void init_new_context(struct mm_struct *mm);
/*
 * Loads the page tables of next. NULL: a kernel task comes, and the CPU becomes lazy. Interrupts
 * off; R may be held.
 */
void switch_mm_irqs_off(struct mm_struct *next);
/*
 * Makes every CPU that has loaded mm leave it. mm has no user left, so that no CPU loads it again.
 * Task context, interrupts on.
 */
void leave_mm_all_cpus(struct mm_struct *mm);
/*
 * Discards the translations of [start, end) of mm on all CPUs that use it. tables: page tables will
 * be freed. The page tables have changed before the call. Task context, interrupts on; spinlocks
 * may be held, if no code takes them with interrupts off.
 */
void flush_tlb_mm_range(struct mm_struct *mm, unsigned long start, unsigned long end, bool tables);
/*
 * The address space that this CPU has loaded, or NULL. Preemption off. For NMI handlers and tests.
 */
struct mm_struct *loaded_mm(void);
