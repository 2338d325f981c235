/* The addresses of kernel stacks. kernel/mm/vmalloc.h has the functions for other code. */
#pragma once

#include "arch/mm/pgtable.h"
#include "kernel/mm/thread_size.h"

/* A slot has the stack in the middle, and a guard before and behind it. */
#define STACK_SLOT_SIZE  (2UL * THREAD_SIZE)
#define STACK_GUARD_SIZE ((STACK_SLOT_SIZE - THREAD_SIZE) / 2)
#define STACK_SLOTS      32768UL /* the number of PIDs */
#define STACK_AREA_START VMALLOC_START
#define STACK_AREA_END   (STACK_AREA_START + STACK_SLOTS * STACK_SLOT_SIZE)

/* Unmaps the stacks that the shared list holds beyond its limit. Task context, interrupts on. */
void unmap_spare_stacks(void);
/*
 * Hook of the workqueue room: the shared list is over its limit, so unmap_spare_stacks() should run
 * soon. NULL early in the boot: then the stacks stay mapped until the next call. Any context but
 * NMI.
 */
extern void (*spare_stacks_hook)(void);
