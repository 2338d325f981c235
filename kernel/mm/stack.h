/* Where kernel stacks lie; kernel/mm/vmalloc.h has what others call. */
#pragma once

#include "arch/pgtable.h"
#include "kernel/sched/task.h"

/* A slot is a guard, the stack in the middle, a guard. */
#define STACK_SLOT_SIZE  (2UL * THREAD_SIZE)
#define STACK_GUARD_SIZE ((STACK_SLOT_SIZE - THREAD_SIZE) / 2)
#define STACK_SLOTS      32768UL /* as many as PIDs */
#define STACK_AREA_START VMALLOC_START
#define STACK_AREA_END   (STACK_AREA_START + STACK_SLOTS * STACK_SLOT_SIZE)
