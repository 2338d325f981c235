/* Virtually contiguous memory with guard pages, device mappings, and kernel stacks. */
#pragma once

#include "kernel/mm/page_alloc.h"

/* Zeroed only by vzalloc. NULL when memory is short. Task context (takes a sleeping lock). */
void *vmalloc(size_t size);
void *vzalloc(size_t size);
/* Unmaps, shoots down other CPUs' TLBs, frees the pages. */
void vfree(const void *addr);
/* Device registers, uncached, RW NX. NULL on failure. */
void *ioremap(phys_addr_t phys, size_t size);
void iounmap(void *addr);
bool is_vmalloc_addr(const void *addr);
/* THREAD_SIZE bytes with an unmapped guard page on both sides; cached for reuse. */
void *alloc_thread_stack(void);
void free_thread_stack(void *stack);
/* True if addr lies in a stack's guard page (below its lowest byte). Any context. */
bool is_stack_guard(const void *addr);
