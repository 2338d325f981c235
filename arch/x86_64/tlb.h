/* Translation caches and instruction streams of all CPUs, brought up to date by IPI. */
#pragma once

#include "kernel/compiler.h"

/* This CPU only. Any context. */
void local_flush_tlb_all(void);
/* All CPUs, everything, global pages too. Task context once other CPUs run. */
void flush_tlb_all(void);
/*
 * Every CPU executes a serializing instruction between call and return: code that was written
 * before is what they all execute after (Intel SDM 3A 9.1.3). Task context once other CPUs run.
 */
void text_sync_all(void);
/* The handlers of the two vectors. Interrupts off. */
void tlb_flush_interrupt(void);
void text_sync_interrupt(void);
