/*
 * kmemleak: finds allocated objects to which no pointer is left.
 *
 *      kmalloc, kmem_cache_alloc, kfree, kmem_cache_free
 *         |  their tracepoints, which have probes while kmemleak is on
 *         v
 *      objects.c: a tree of all objects, by address, with the caller's stack of each
 *         |
 *         v
 *      scan.c: marks from the roots what is reachable, as a garbage collector does. What is left
 *              is a leak. Nothing is freed.
 *
 * Roots are the data of the image and of modules, the stacks of all tasks, vmalloc memory, the
 * per-CPU data, the page structs, and slab objects from before kmemleak was switched on. Pages of
 * programs are none. As on Linux, pages from alloc_pages() are neither tracked nor roots
 * (Documentation/dev-tools/kmemleak.rst describes commands and output).
 */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/lib/rbtree.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/sched.h"

#define KMEMLEAK_STACK 16

/* [L] kmemleak_lock; [C] constant between an allocation and the free. */
struct kmemleak_object {
	struct rb_node node;   /* [L] in the tree, or unused in the pool */
	struct list_head gray; /* [L] reached, not yet scanned; in the pool: its list */
	unsigned long start;   /* [L] */
	u32 size;              /* [L] of the request */
	pid_t pid;             /* [C] */
	char comm[TASK_COMM_LEN];
	u64 time;                            /* [C] ktime of the allocation */
	u32 reached;                         /* [L] the last pass that has found a pointer to it */
	bool free;                           /* [L] the slot is free: nothing in it is a pointer */
	bool leak;                           /* [L] the last scan has found none */
	bool cleared;                        /* [L] the user does not want to see it */
	u8 depth;                            /* [C] */
	unsigned long stack[KMEMLEAK_STACK]; /* [C] */
};

extern spinlock_t kmemleak_lock; /* innermost; interrupts off */

/* ---- objects.c ---- */

/* Forgets all objects, and begins to track. 0 or -errno. kmemleak_mutex held. */
int kmemleak_track(void);
void kmemleak_untrack(void);
/* Gives all objects back. Not tracking. */
void kmemleak_forget(void);
/* The object that contains addr, or the first one behind it; or NULL. kmemleak_lock held. */
struct kmemleak_object *kmemleak_find(unsigned long addr);

/* ---- scan.c ---- */

/* Finds leaks. Returns how many are new. kmemleak_mutex held. Task context. */
unsigned kmemleak_scan(bool stacks);
