/*
 * The page cache: the pages of a file, by their place in the file. read, write, mmap and exec use
 * the same pages.
 *
 * Lock order: i_mutex, mmap_lock, fault_lock, i_mmap.lock, tree_lock (a spinlock, and a leaf).
 * Context: task.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "kernel/locking/spinlock.h"
#include "kernel/mm/user_page.h"
#include "kernel/task/vm_mapping.h"
#include "kernel/sched/rwsem.h"

/* Legend: [T] tree_lock. */
struct address_space {
	struct inode *host; /* constant */
	spinlock_t tree_lock;
	void *root;      /* [T] a struct page, or a table of pointers, or NULL */
	unsigned height; /* [T] levels of tables */
	u64 nr_pages;    /* [T] */
	u64 nr_tables;   /* [T] */
	/* The tables of all files of the file system. */
	atomic64_t *all_tables;
	/* Held by a fault while it finds its page, and for writing while pages go away. */
	struct rw_semaphore fault_lock;
	struct vm_mapping i_mmap; /* the areas of programs that show the file */
};

#define PAGE_CACHE_MAX_PAGES (1UL << 27) /* 512 GiB in one file */

void address_space_init(struct address_space *mapping, struct inode *host, atomic64_t *all_tables);
/* The page with a reference, or NULL: a hole. Never sleeps. */
struct page *find_get_page(struct address_space *mapping, u64 index);
/*
 * Adds a page, and takes a reference of its own. 0; -EEXIST: another task has added one; -ENOMEM;
 * -EFBIG.
 */
int add_to_page_cache(struct address_space *mapping, struct page *page, u64 index);
/*
 * Removes the pages from first to last from the cache and from the memory of all programs;
 * even_cows: also the private copies that programs have. Returns how many they were. The caller has
 * made sure that faults and writes do not add them again: it holds fault_lock for writing, and
 * i_mutex. Pages that other code uses are freed later.
 */
u64 remove_from_page_cache(struct address_space *mapping, u64 first, u64 last, bool even_cows);
/* Frees everything at the end of the inode, when nothing uses it any more. Returns the number. */
u64 free_page_cache(struct address_space *mapping);
/* The first index from `index` on that has a page, or ~0. */
u64 page_cache_next(struct address_space *mapping, u64 index);
/* The first index from `index` on that has none. */
u64 page_cache_next_hole(struct address_space *mapping, u64 index);
