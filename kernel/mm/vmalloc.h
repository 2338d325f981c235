/*
 * Virtually contiguous memory with guard pages, device mappings, and kernel stacks.
 *
 * The area from VMALLOC_START on (docs/memory.md): 1 GiB of slots for kernel stacks, the rest for
 * vmalloc() and ioremap(). Whatever lies there has an unmapped page behind it.
 */
#pragma once

#include "kernel/mm/page_alloc.h"

/* Page-aligned. Zeroed only by vzalloc. NULL when memory is short or size is 0. Task context. */
void *vmalloc(size_t size);
void *vzalloc(size_t size);
/* Unmaps, flushes all CPUs' TLBs, frees the pages. NULL is fine. Task context, interrupts on. */
void vfree(const void *addr);
/* kzalloc() for up to a page, else vzalloc(). NULL when memory is short. Task context. */
void *kvzalloc(size_t size, gfp_t gfp);
void kvfree(const void *addr); /* as vfree() */
/* Device registers, uncached, RW NX. The address of phys itself; NULL on failure. Task context. */
void *ioremap(phys_addr_t phys, size_t size);
void iounmap(void *addr);
bool is_vmalloc_addr(const void *addr);

/*
 * The lowest byte of THREAD_SIZE bytes with unmapped guard pages on both sides, contents undefined;
 * NULL when memory is short or all 32,768 slots are taken. Task context, or boot.
 */
void *alloc_thread_stack(void);
/* Kept for reuse, or left to a kworker to unmap. Nothing runs on it. Any context but NMI. */
void free_thread_stack(void *stack);
/* True if addr lies in the guard pages around a kernel stack. Any context. */
bool is_stack_guard(const void *addr);
