/*
 * Virtually contiguous memory with guard pages, device mappings, and kernel stacks.
 *
 * They share the addresses from VMALLOC_START on (docs/memory.md): 1 GiB of slots for kernel
 * stacks, the rest for vmalloc() and ioremap(). Every area has an unmapped page behind it.
 */
#pragma once

#include "kernel/mm/page_alloc.h"

/*
 * Page-aligned memory. Only vzalloc() zeroes it. NULL: memory is short, or size is 0. Task context.
 */
void *vmalloc(size_t size);
void *vzalloc(size_t size);
/*
 * Unmaps the memory, flushes the TLBs of all CPUs, and frees the pages. NULL is fine. Task context,
 * interrupts on.
 */
void vfree(const void *addr);
/* The same for count addresses, with one flush. */
void vfree_many(const void *const *addrs, size_t count);
/* kzalloc() for up to a page, else vzalloc(). NULL: memory is short. Task context. */
void *kvzalloc(size_t size, gfp_t gfp);
void kvfree(const void *addr); /* as vfree() */
/*
 * Maps count pages twice, the second copy directly behind the first, RW NX: what begins in the
 * first copy and is at most as long is in one piece. The caller keeps the pages until after
 * vunmap(). Returns the address; NULL: failure. Task context.
 */
void *vmap_ring(struct page *const *pages, size_t count);
/* The same, once. */
void *vmap(struct page *const *pages, size_t count);
/* Unmaps what vmap() or vmap_ring() has mapped, and flushes the TLBs of all CPUs. As vfree(). */
void vunmap(const void *addr);
/*
 * Maps device registers uncached, RW NX. Returns the address for phys; NULL: failure. Task context.
 */
void *ioremap(phys_addr_t phys, size_t size);
void iounmap(void *addr);
bool is_vmalloc_addr(const void *addr);

/*
 * Allocates a stack of THREAD_SIZE bytes, with unmapped guard pages on both sides. Its contents are
 * undefined. Returns the lowest byte. NULL: memory is short, or all 32,768 slots are taken. Task
 * context, or boot.
 */
void *alloc_thread_stack(void);
/*
 * Frees a stack on which nothing runs: keeps it for reuse, or lets a kworker unmap it. Any context
 * but NMI.
 */
void free_thread_stack(void *stack);
/* True if addr lies in the guard pages around a kernel stack. Any context. */
bool is_stack_guard(const void *addr);
