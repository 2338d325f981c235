/*
 * Buffers: mapping them, who pays, and which event writes into which one.
 *
 * A buffer lives while an area maps it (mmap_count). An event writes into it from perf_mmap() or
 * perf_set_output() until it is closed, gets another buffer, or the last area goes. All of this is
 * under M. So an event in buffer->attached exists, and the buffer of an event is mapped.
 * Hits find the buffer under RCU, so an RCU callback frees it.
 *
 * Its pages are paid for at once, and given back with the last area. The memory itself is free a
 * grace period later.
 */
#include "trace/perf/internal.h"

#include "arch/time/clock.h"
#include "fs/proc/proc_fs.h"
#include "fs/vfs/fs.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/user_page.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/vm/mm.h"
#include "trace/perf/wakeup.h"

/* ---- who pays ---- */

/* Pages that a user may have in buffers, whatever its limits are. */
static int mlock_kb = 516; /* Linux's: 512, and the first page */

SYSCTL(perf_mlock, "kernel", "perf_event_mlock_kb", 0644, proc_dointvec_positive, .data = &mlock_kb,
       .maxlen = sizeof(int));

static unsigned long free_pages_of_user(void)
{
	return ((unsigned long)READ_ONCE(mlock_kb) >> (PAGE_SHIFT - 10)) * num_online_cpus();
}

static void uncharge(struct perf_buffer *buffer)
{
	atomic64_sub((s64)buffer->user_pages, &buffer->user->locked_vm);
	atomic64_sub((s64)buffer->mm_pages, &buffer->mm->pinned_vm);
}

/* 0 or -EPERM. M held: no two buffers take the same last page. */
static int charge(struct perf_buffer *buffer, unsigned long pages)
{
	unsigned long limit = free_pages_of_user(), locked, pinned;

	locked = (unsigned long)atomic64_add_return((s64)pages, &buffer->user->locked_vm);
	if (locked > limit)
		buffer->mm_pages = min(locked - limit, pages);
	buffer->user_pages = pages;
	pinned = (unsigned long)atomic64_add_return((s64)buffer->mm_pages, &buffer->mm->pinned_vm);
	if (!buffer->mm_pages || pinned <= rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT ||
	    perf_paranoia() <= -1 || capable(CAP_IPC_LOCK))
		return 0;
	uncharge(buffer);
	return -EPERM;
}

/* ---- making and freeing ---- */

static void free_buffer_pages(struct perf_buffer *buffer)
{
	for (unsigned i = 0; i <= buffer->nr_pages && buffer->pages[i]; i++)
		put_page(buffer->pages[i]);
	mmdrop(buffer->mm);
	put_user_struct(buffer->user);
	kvfree(buffer);
}

/* RCU callback: no hit writes any more. */
static void free_buffer(struct rcu_head *rcu)
{
	struct perf_buffer *buffer = container_of(rcu, struct perf_buffer, rcu);

	irq_work_sync(&buffer->irq_work);
	vunmap(buffer->ring.data);
	free_buffer_pages(buffer);
}

static bool alloc_buffer_pages(struct perf_buffer *buffer)
{
	for (unsigned i = 0; i <= buffer->nr_pages; i++) {
		buffer->pages[i] = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_SHMEMPAGES);
		if (!buffer->pages[i])
			return false;
	}
	buffer->ring.user = page_address(buffer->pages[0]);
	if (!buffer->nr_pages)
		return true;
	buffer->ring.data = vmap_ring(buffer->pages + 1, buffer->nr_pages);
	return buffer->ring.data;
}

static void init_user_page(struct perf_buffer *buffer)
{
	struct perf_event_mmap_page *user = buffer->ring.user;

	user->size = PERF_USER_PAGE_SIZE;
	user->cap_bit0_is_deprecated = 1;
	user->cap_user_time = 1;
	user->cap_user_time_zero = 1;
	tsc_conversion(&user->time_mult, &user->time_shift, &user->time_zero);
	user->data_offset = PAGE_SIZE;
	user->data_size = buffer->ring.size;
}

static void init_buffer(struct perf_buffer *buffer, const struct perf_event *event, bool overwrite)
{
	const struct perf_event_attr *attr = event->attr;
	struct perf_ring *ring = &buffer->ring;

	ring->size = (u64)buffer->nr_pages << PAGE_SHIFT;
	ring->overwrite = overwrite;
	ring->backward = attr->write_backward;
	ring->paused = !ring->size;
	ring->watermark = attr->watermark ? min((u64)attr->wakeup_watermark, ring->size) : 0;
	if (!ring->watermark)
		ring->watermark = max(ring->size / 2, (u64)1);
	spin_lock_init(&buffer->lock);
	INIT_LIST_HEAD(&buffer->attached);
	buffer->cpu = event->cpu;
	init_irq_work(&buffer->irq_work, perf_buffer_wake_func);
	init_user_page(buffer);
}

/* A buffer that the current task pays for. M held. */
static struct perf_buffer *make_buffer(const struct perf_event *event, unsigned nr_pages,
				       bool overwrite)
{
	size_t size = sizeof(struct perf_buffer) + (nr_pages + 1UL) * sizeof(struct page *);
	struct perf_buffer *buffer = kvzalloc(size, GFP_KERNEL);
	int error;

	if (!buffer)
		return ERR_PTR(-ENOMEM);
	buffer->nr_pages = nr_pages;
	buffer->user = current_cred()->user;
	atomic_inc(&buffer->user->count);
	buffer->mm = current->mm;
	mmgrab(buffer->mm);
	error = charge(buffer, nr_pages + 1UL);
	if (error)
		goto free;
	error = -ENOMEM;
	if (!alloc_buffer_pages(buffer)) {
		uncharge(buffer);
		goto free;
	}
	init_buffer(buffer, event, overwrite);
	return buffer;
free:
	free_buffer_pages(buffer);
	return ERR_PTR(error);
}

/* ---- attaching ---- */

static void attach(struct perf_event *event, struct perf_buffer *buffer)
{
	unsigned long flags;

	spin_lock_irqsave(&buffer->lock, flags);
	list_add_tail(&event->buffer_node, &buffer->attached);
	spin_unlock_irqrestore(&buffer->lock, flags);
	rcu_assign_pointer(event->buffer, buffer);
}

void perf_detach_buffer(struct perf_event *event)
{
	struct perf_buffer *buffer = event->buffer;
	unsigned long flags;

	if (!buffer)
		return;
	rcu_assign_pointer(event->buffer, NULL);
	spin_lock_irqsave(&buffer->lock, flags);
	list_del(&event->buffer_node);
	spin_unlock_irqrestore(&buffer->lock, flags);
}

int perf_set_output(struct perf_event *event, struct perf_event *to)
{
	if (event->mmap_count)
		return -EINVAL;
	if (to) {
		if (event == to || event->cpu != to->cpu || !perf_same_clock(event, to) ||
		    event->attr->write_backward != to->attr->write_backward)
			return -EINVAL;
		if (to->cpu == -1 && event->ctx != to->ctx)
			return -EINVAL;
		if (!to->buffer)
			return -EINVAL;
	}
	perf_detach_buffer(event);
	if (to)
		attach(event, to->buffer);
	return 0;
}

/* ---- areas ---- */

static void perf_mmap_open(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data;
	struct perf_buffer *buffer = vma->vm_private_data;

	mutex_lock(&perf_mutex);
	event->mmap_count++;
	buffer->mmap_count++;
	mutex_unlock(&perf_mutex);
}

static void perf_mmap_close(struct vm_area_struct *vma)
{
	struct perf_event *event = vma->vm_file->private_data, *other, *next;
	struct perf_buffer *buffer = vma->vm_private_data;

	mutex_lock(&perf_mutex);
	if (!--event->mmap_count)
		perf_detach_buffer(event);
	if (!--buffer->mmap_count) {
		list_for_each_entry_safe (other, next, &buffer->attached, buffer_node)
			perf_detach_buffer(other);
		uncharge(buffer);
		call_rcu(&buffer->rcu, free_buffer);
	}
	mutex_unlock(&perf_mutex);
}

static unsigned perf_mmap_fault(struct vm_fault *vmf)
{
	struct perf_buffer *buffer = vmf->vma->vm_private_data;

	if (vmf->pgoff > buffer->nr_pages)
		return VM_FAULT_SIGBUS;
	vmf->page = buffer->pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

/* Only data_tail is the program's. */
static unsigned perf_mmap_mkwrite(struct vm_fault *vmf)
{
	return vmf->pgoff ? VM_FAULT_SIGBUS : 0;
}

static const char *perf_mmap_name(struct vm_area_struct *vma __unused)
{
	return "anon_inode:[perf_event]";
}

static const struct vm_operations_struct perf_mmap_ops = {
	.whole = true,
	.open = perf_mmap_open,
	.close = perf_mmap_close,
	.fault = perf_mmap_fault,
	.page_mkwrite = perf_mmap_mkwrite,
	.name = perf_mmap_name,
};

/* The buffer of the event, made if it has none. M held. */
static struct perf_buffer *get_buffer(struct perf_event *event, unsigned nr_pages, bool overwrite)
{
	struct perf_buffer *buffer = event->buffer;

	if (buffer)
		return buffer->nr_pages == nr_pages ? buffer : ERR_PTR(-EINVAL);
	buffer = make_buffer(event, nr_pages, overwrite);
	if (!IS_ERR(buffer))
		attach(event, buffer);
	return buffer;
}

int perf_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct perf_event *event = file->private_data;
	unsigned long data_pages = vma_pages(vma) - 1;
	struct perf_buffer *buffer;

	if ((event->attr->inherit && event->cpu == -1) || !(vma->vm_flags & VM_SHARED) ||
	    vma->vm_pgoff || (data_pages & (data_pages - 1)))
		return -EINVAL;
	if (data_pages > (1UL << 20)) /* 4 GiB */
		return -ENOMEM;
	mutex_lock(&perf_mutex);
	buffer = get_buffer(event, (unsigned)data_pages, !(vma->vm_flags & VM_WRITE));
	if (!IS_ERR(buffer)) {
		event->mmap_count++;
		buffer->mmap_count++;
		vma->vm_flags |= VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP;
		vma->vm_ops = &perf_mmap_ops;
		vma->vm_private_data = buffer;
		perf_update_user_page(event);
	}
	mutex_unlock(&perf_mutex);
	return IS_ERR(buffer) ? (int)PTR_ERR(buffer) : 0;
}

/* The protocol of perf_event_mmap_page.lock. A program that writes to lock harms itself only. */
void perf_update_user_page(struct perf_event *event)
{
	struct perf_event_mmap_page *user;
	struct perf_values values;

	user = event->buffer->ring.user;
	perf_event_read(event, true, &values);
	WRITE_ONCE(user->lock, user->lock + 1);
	smp_wmb();
	user->index = 0;
	user->offset = (s64)values.count;
	user->time_enabled = values.enabled;
	user->time_running = values.running;
	smp_wmb();
	WRITE_ONCE(user->lock, user->lock + 1);
}
