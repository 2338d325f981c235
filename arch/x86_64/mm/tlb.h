/* IPIs that flush the TLBs or synchronize the instruction streams of all CPUs. */
#pragma once

#include "kernel/compiler.h"

/* Flushes the TLB of this CPU, global pages included. Any context. */
void local_flush_tlb_all(void);
/* Flushes the TLBs of all CPUs, global pages included. Task context when other CPUs run. */
void flush_tlb_all(void);
/*
 * Makes every CPU execute a serializing instruction before it returns. From then on all CPUs
 * execute code that was written before the call (Intel SDM 3A 9.1.3). Task context when other CPUs
 * run.
 */
void text_sync_all(void);
/* Handle the two vectors. Interrupts off. */
void tlb_flush_interrupt(void);
void text_sync_interrupt(void);
