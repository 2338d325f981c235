/* Counts the memory by its use, and reports failed allocations. */
#include "arch/mm/pgtable.h"
#include "kernel/current.h"
#include "kernel/mm/internal.h"
#include "kernel/printk/printk.h"
#include "kernel/time/ktime.h"

#define WARN_INTERVAL (5 * NSEC_PER_SEC)

static atomic64_t shmem_pages;
atomic64_t vm_committed_as;

void count_shmem_pages(s64 pages)
{
	atomic64_add(pages, &shmem_pages);
}

u64 shmem_bytes(void)
{
	return (u64)atomic64_read(&shmem_pages) * PAGE_SIZE;
}

void si_meminfo(struct meminfo *info)
{
	s64 committed = atomic64_read(&vm_committed_as);

	*info = (struct meminfo){
		.total = total_pages() * PAGE_SIZE,
		.free = nr_free_pages() * PAGE_SIZE,
		.slab = slab_pages() * PAGE_SIZE,
		.vmalloc = vmalloc_pages() * PAGE_SIZE,
		.page_tables = page_table_pages() * PAGE_SIZE,
		.kernel_stack = kernel_stack_pages() * PAGE_SIZE,
		.shmem = shmem_bytes(),
		.committed = committed > 0 ? (u64)committed * PAGE_SIZE : 0,
	};
}

void warn_alloc(gfp_t gfp, unsigned order)
{
	static ktime_t next;
	static unsigned suppressed;
	ktime_t now = ktime_get(), due = READ_ONCE(next);
	struct meminfo info;

	if (now < due || cmpxchg(&next, due, now + WARN_INTERVAL) != due) {
		__atomic_fetch_add(&suppressed, 1, __ATOMIC_RELAXED);
		return;
	}
	si_meminfo(&info);
	pr_warn("%.16s: page allocation failure: order:%u, mode:%#x (%u more not shown)\n",
		current_comm(), order, gfp, xchg(&suppressed, 0));
	pr_warn("Mem-Info: total:%lukB free:%lukB slab:%lukB vmalloc:%lukB pagetables:%lukB "
		"kernel_stack:%lukB\n",
		info.total / 1024, info.free / 1024, info.slab / 1024, info.vmalloc / 1024,
		info.page_tables / 1024, info.kernel_stack / 1024);
}
