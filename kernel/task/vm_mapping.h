/* struct vm_mapping: which memory of programs shows a file. Each file of tmpfs has one. */
#pragma once

#include "kernel/lib/list.h"
#include "kernel/lib/rbtree.h"
#include "kernel/sched/mutex.h"

/*
 * The areas that map one file (or one object of shared memory), whatever their address space. Part
 * of the file system's struct address_space.
 */
struct vm_mapping {
	struct mutex lock;      /* inside mmap_lock; outside page_table_lock */
	struct list_head areas; /* [lock] */
	bool deny_shared;       /* [lock] no shared area that may write is added */
	/*
	 * [lock to write] unmap_mapping_range(), set with the first area; NULL: no area yet. So a
	 * file system needs nothing of kernel/vm/ while no program shows its files. Read after the
	 * writer's turn of the file's fault_lock: a fault in the area held it for reading.
	 */
	void (*unmap)(struct vm_mapping *mapping, unsigned long first, unsigned long last,
		      bool even_cows);
	/*
	 * Counts calls of unmap_mapping_range(). A fault that has found its page before the call
	 * does not install the page after it.
	 */
	unsigned long unmap_seq; /* [lock] to write; read by faults */
	struct rb_root patches;  /* [lock] of struct vm_patch (patch.h), by offset */
	unsigned nr_patches;     /* [lock] to write; read by faults */
};

static inline void vm_mapping_init(struct vm_mapping *mapping)
{
	mutex_init(&mapping->lock);
	INIT_LIST_HEAD(&mapping->areas);
	mapping->deny_shared = false;
	mapping->unmap = NULL;
	mapping->unmap_seq = 0;
	mapping->patches = RB_ROOT;
	mapping->nr_patches = 0;
}
