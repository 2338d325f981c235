/*
 * RINGBUF: records of all CPUs, in order, for one reader in user space. ring.h explains the ring.
 *
 * User space maps the reader's page, which it may write, then the producer's page and the data
 * twice, which it may only read. A program that has reserved a record knows the record alone: so
 * the header says where its ring is, as a page's number, because the ring has a page for itself.
 *
 * An NMI may use a ring at any instruction of its user. If that user has the lock, bpf_lock() fails
 * in the NMI, and the NMI's program gets no record; else the ring is as it is between two records.
 * A commit takes no lock: it is one exchange of the record's length. To wake readers, an NMI queues
 * an irq_work. selftest/bpf/maps_each_nmi.c tries all instructions.
 */
#include "trace/bpf/maps/ring.h"

#include "fs/file/poll.h"
#include "kernel/errno.h"
#include "kernel/irq/irq_work.h"
#include "kernel/lib/string.h"
#include "kernel/mm/user_page.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/wait.h"
#include "kernel/vm/mm.h"
#include "trace/bpf/helpers/helpers.h"
#include "trace/bpf/maps/types.h"

/* The two pages before the data. */
#define READER_PAGE   0
#define PRODUCER_PAGE 1
#define DATA_PAGE     2

struct bpf_ringbuf {
	struct bpf_map map;
	struct bpf_ring ring;
	u32 lock; /* bpf_lock(): to reserve */
	wait_queue_head_t wait;
	struct irq_work irq_work; /* wakes */
	u32 nr_pages;             /* [C] of the data */
	struct page **pages;      /* [C] DATA_PAGE + nr_pages */
};
BUILD_BUG_ON(sizeof(struct bpf_ringbuf) > PAGE_SIZE);

static struct bpf_ringbuf *to_ringbuf(struct bpf_map *map)
{
	return container_of(map, struct bpf_ringbuf, map);
}

/* ---- making ---- */

static int alloc_check(const union bpf_attr *attr)
{
	u32 size = attr->max_entries;

	if ((attr->map_flags & ~BPF_F_NUMA_NODE) || attr->key_size || attr->value_size ||
	    size < PAGE_SIZE || (size & (size - 1)))
		return -EINVAL;
	return 0;
}

static void wake_readers(struct irq_work *work)
{
	wake_up_all(&container_of(work, struct bpf_ringbuf, irq_work)->wait);
}

static void free_ringbuf(struct bpf_ringbuf *rb)
{
	u64 bytes = (DATA_PAGE + (u64)rb->nr_pages) * sizeof(*rb->pages);

	if (rb->ring.data)
		vunmap(rb->ring.data);
	for (u32 i = 0; rb->pages && i < DATA_PAGE + rb->nr_pages && rb->pages[i]; i++)
		put_page(rb->pages[i]);
	bpf_map_area_free(&rb->map, rb->pages, bytes);
	free_pages(virt_to_page(rb), 0);
}

static bool alloc_pages_of(struct bpf_ringbuf *rb)
{
	u64 nr = DATA_PAGE + (u64)rb->nr_pages;

	if (!bpf_map_enough_memory(nr * PAGE_SIZE))
		return false;
	rb->pages = bpf_map_area_alloc(&rb->map, nr * sizeof(*rb->pages));
	if (!rb->pages)
		return false;
	for (u32 i = 0; i < nr; i++) {
		rb->pages[i] = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_SHMEMPAGES);
		if (!rb->pages[i])
			return false;
	}
	rb->ring.data = vmap_ring(rb->pages + DATA_PAGE, rb->nr_pages);
	atomic64_add((s64)((nr + 1) * PAGE_SIZE), &rb->map.charged);
	return rb->ring.data;
}

static struct bpf_map *alloc(const union bpf_attr *attr)
{
	struct page *page = alloc_pages(GFP_KERNEL | __GFP_ZERO, 0);
	struct bpf_ringbuf *rb;

	if (!page)
		return ERR_PTR(-ENOMEM);
	rb = page_address(page);
	bpf_map_init(&rb->map, bpf_find_map_type(attr->map_type), attr);
	rb->nr_pages = attr->max_entries / PAGE_SIZE;
	if (!alloc_pages_of(rb)) {
		free_ringbuf(rb);
		return ERR_PTR(-ENOMEM);
	}
	rb->ring.mask = attr->max_entries - 1;
	rb->ring.reader = page_address(rb->pages[READER_PAGE]);
	rb->ring.producer = page_address(rb->pages[PRODUCER_PAGE]);
	rb->ring.owner = (u32)(page_to_phys(page) >> PAGE_SHIFT);
	init_waitqueue_head(&rb->wait);
	init_irq_work(&rb->irq_work, wake_readers);
	return &rb->map;
}

static void free_map(struct bpf_map *map)
{
	struct bpf_ringbuf *rb = to_ringbuf(map);

	irq_work_sync(&rb->irq_work);
	free_ringbuf(rb);
}

/* ---- user space ---- */

static int ringbuf_mmap(struct bpf_map *map __unused, struct vm_area_struct *vma)
{
	u64 nr = DATA_PAGE + 2 * (u64)to_ringbuf(map)->nr_pages;

	if ((vma->vm_flags & VM_WRITE) && (vma->vm_pgoff != READER_PAGE || vma_pages(vma) != 1))
		return -EPERM;
	return vma->vm_pgoff < nr && vma_pages(vma) <= nr - vma->vm_pgoff ? 0 : -EINVAL;
}

static struct page *ringbuf_page(struct bpf_map *map, unsigned long pgoff)
{
	const struct bpf_ringbuf *rb = to_ringbuf(map);

	if (pgoff < DATA_PAGE)
		return rb->pages[pgoff];
	pgoff -= DATA_PAGE;
	return pgoff < 2UL * rb->nr_pages ? rb->pages[DATA_PAGE + (pgoff & (rb->nr_pages - 1))]
					  : NULL;
}

static unsigned ringbuf_poll(struct bpf_map *map, struct file *file, struct poll_table_struct *wait)
{
	struct bpf_ringbuf *rb = to_ringbuf(map);

	poll_wait(file, &rb->wait, wait);
	smp_mb(); /* with bpf_ring_commit(): the writer sees this reader, or it the record */
	return bpf_ring_available(&rb->ring) ? POLLIN | POLLRDNORM : 0;
}

static int no_read(struct bpf_map *map __unused, const void *key __unused, void *value __unused,
		   u64 flags __unused)
{
	return -ENOTSUPP;
}

static int no_write(struct bpf_map *map __unused, const void *key __unused,
		    const void *value __unused, u64 flags __unused, struct file *file __unused)
{
	return -ENOTSUPP;
}

static long no_delete(struct bpf_map *map __unused, const void *key __unused)
{
	return -ENOTSUPP;
}

static int no_next_key(struct bpf_map *map __unused, const void *key __unused,
		       void *next_key __unused)
{
	return -ENOTSUPP;
}

static const struct bpf_map_ops ringbuf BPF_MAP_TYPE(ringbuf) = {
	.type = BPF_MAP_TYPE_RINGBUF,
	.name = "ringbuf",
	.alloc_check = alloc_check,
	.alloc = alloc,
	.free = free_map,
	.delete = no_delete,
	.get_next_key = no_next_key,
	.read_user = no_read,
	.write_user = no_write,
	.mmap = ringbuf_mmap,
	.mmap_page = ringbuf_page,
	.poll = ringbuf_poll,
};

/* ---- helpers ---- */

static __always_inline struct bpf_ring_record *reserve(struct bpf_ringbuf *rb, u64 size)
{
	struct bpf_ring_record *record;
	unsigned long flags;

	if (unlikely(size > ~0U / 4) || unlikely(!bpf_lock(&rb->lock, &flags)))
		return NULL;
	record = bpf_ring_reserve(&rb->ring, (u32)size);
	bpf_unlock(&rb->lock, flags);
	return record;
}

/*
 * A reader that waits is in the queue: see ringbuf_poll(). reached: it waits for this record. If
 * nobody is in the queue, there is nothing to do.
 */
static __always_inline void wake(struct bpf_ringbuf *rb, bool reached, u64 flags)
{
	if (unlikely(flags & BPF_RB_FORCE_WAKEUP) || (reached && !(flags & BPF_RB_NO_WAKEUP)))
		if (!list_empty(&rb->wait.head))
			irq_work_queue(&rb->irq_work);
}

/* The general case: a record is reserved, filled and committed. */
static noinline u64 output(struct bpf_ringbuf *rb, const void *data, u64 size, u64 flags)
{
	struct bpf_ring_record *record;

	if (flags & ~(BPF_RB_NO_WAKEUP | BPF_RB_FORCE_WAKEUP))
		return (u64)-EINVAL;
	record = reserve(rb, size);
	if (!record)
		return (u64)-EAGAIN;
	memcpy(record->data, data, size);
	wake(rb, bpf_ring_commit(&rb->ring, record, false), flags);
	return 0;
}

BPF_CALL_4(bpf_ringbuf_output, struct bpf_map *, map, const void *, data, u64, size, u64, flags)
{
	struct bpf_ringbuf *rb = to_ringbuf(map);
	unsigned long irq_flags;
	u64 start;

	if (unlikely(flags))
		return output(rb, data, size, flags);
	if (unlikely(!bpf_lock(&rb->lock, &irq_flags)))
		return (u64)-EAGAIN;
	if (unlikely(!bpf_ring_write(&rb->ring, data, size, &start))) {
		bpf_unlock(&rb->lock, irq_flags);
		return output(rb, data, size, 0);
	}
	bpf_unlock(&rb->lock, irq_flags);
	if (unlikely(bpf_ring_reached(&rb->ring, start)))
		wake(rb, true, 0);
	return 0;
}

BPF_CALL_3(bpf_ringbuf_reserve, struct bpf_map *, map, u64, size, u64, flags)
{
	struct bpf_ring_record *record = flags ? NULL : reserve(to_ringbuf(map), size);

	return record ? (u64)record->data : 0;
}

static __always_inline void commit(void *data, u64 flags, bool discard)
{
	struct bpf_ring_record *record = container_of(data, struct bpf_ring_record, data);
	struct bpf_ringbuf *rb = __va((u64)record->owner << PAGE_SHIFT);

	wake(rb, bpf_ring_commit(&rb->ring, record, discard), flags);
}

BPF_CALL_2(bpf_ringbuf_submit, void *, data, u64, flags)
{
	commit(data, flags, false);
	return 0;
}

BPF_CALL_2(bpf_ringbuf_discard, void *, data, u64, flags)
{
	commit(data, flags, true);
	return 0;
}

/* What flags asks for, from 0 on: bytes to read, the size, the two positions. */
BPF_CALL_2(bpf_ringbuf_query, struct bpf_map *, map, u64, flags)
{
	const struct bpf_ring *ring = &to_ringbuf(map)->ring;

	switch (flags) {
	case 0:
		return bpf_ring_available(ring);
	case 1:
		return ring->mask + 1;
	case 2:
		return smp_load_acquire(ring->reader);
	case 3:
		return smp_load_acquire(ring->producer);
	default:
		return 0;
	}
}
