/*
 * The environment of the VFS on the host: pages from an arena, and what needs no work with one
 * task.
 */
#pragma once

#include "fs/vfs/page_cache.h"
#include "host_kmalloc.h"
#include "kernel/sched/sched.h"
#include "kernel/task/program.h"
#include "test.h"

/* Pages of the page cache: an arena with a struct page for each. Tables come from kmalloc(). */
#define ARENA_PAGES 4096U
static struct page page_structs[ARENA_PAGES];
static bool page_used[ARENA_PAGES];
struct page *mem_map = page_structs;
unsigned long host_page_offset;

void count_shmem_pages(s64 pages)
{
	host_objects += pages;
}

struct page *alloc_pages(gfp_t gfp, unsigned order)
{
	(void)gfp, (void)order;
	for (unsigned i = 0; i < ARENA_PAGES; i++) {
		if (page_used[i])
			continue;
		page_used[i] = true;
		host_objects++;
		memset(page_address(&page_structs[i]), 0, PAGE_SIZE);
		return &page_structs[i];
	}
	return NULL;
}

void free_pages(struct page *page, unsigned order)
{
	(void)order;
	assert_true(page_used[page - page_structs]);
	page_used[page - page_structs] = false;
	host_objects--;
}

void *get_free_pages(gfp_t gfp, unsigned order)
{
	return kmalloc(PAGE_SIZE << order, gfp);
}

void free_pages_addr(void *addr, unsigned order)
{
	(void)order;
	kfree(addr);
}

/* Nothing maps a file here. */
int vm_mapping_deny_shared(struct vm_mapping *mapping)
{
	return list_empty(&mapping->areas) ? 0 : -EBUSY;
}

/* Nothing watches a file here: the key of the watches is never changed. */
int inotify_max_queued_events;

int static_key_dec(struct static_key *key)
{
	(void)key;
	fail();
	return 0;
}

void __init_rwsem(struct rw_semaphore *sem)
{
	(void)sem;
}

void down_read(struct rw_semaphore *sem)
{
	(void)sem;
}

void up_read(struct rw_semaphore *sem)
{
	(void)sem;
}

void down_write(struct rw_semaphore *sem)
{
	(void)sem;
}

void up_write(struct rw_semaphore *sem)
{
	(void)sem;
}

void __cond_resched(void)
{
}

void send_sig(int sig)
{
	(void)sig;
}
struct program_ops program_ops = { .send_sig = send_sig };
