/*
 * mmap(2) of trace_pipe_raw: a program reads the sub-buffers of a CPU in its own memory
 * (trace/ring_buffer/map.c). docs/ring-buffer-map.md is the user's page.
 *
 * Who may: who may open the file for reading. The area is shared, and never writable or
 * executable, also later: VM_MAYWRITE and VM_MAYEXEC go. It is not inherited, does not grow, and
 * cannot be split.
 *
 * What lives how long: an area holds the open file, so the trace_array stays. It counts in the
 * ring, so the ring keeps its pages, and in snapshot_users, so that it stays the one that writers
 * use. Entries of page tables count pages. So nothing here depends on the order of unmapping and
 * freeing.
 */
#include "kernel/init.h"
#include "kernel/mm/user_page.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/vm/mm.h"
#include "trace/core/files.h"
#include "trace/core/snapshot.h"
#include "trace/ring_buffer/map.h"

static struct trace_array *tr_of(struct vm_area_struct *vma)
{
	return trace_file_tr(vma->vm_file);
}

static void release_buffer(struct trace_array *tr)
{
	__atomic_fetch_add(&tr->snapshot_users, 1, __ATOMIC_SEQ_CST);
}

/* Keeps the buffer that writers use from becoming the snapshot, and returns it. NULL: busy. */
static struct trace_buffer *hold_buffer(struct trace_array *tr)
{
	if (!tracing_add_snapshot_user(tr, -1))
		return NULL;
	/* Who takes snapshots has stopped doing so before it gave this up. */
	return READ_ONCE(tr->buffer);
}

/* A child that asks for it by madvise(MADV_DOFORK), or mremap(2), which moves the area. */
static void buffer_open(struct vm_area_struct *vma)
{
	/* Cannot fail: the area that is copied counts, so nobody takes snapshots. */
	tracing_add_snapshot_user(tr_of(vma), -1);
	ring_buffer_map_dup(vma->vm_private_data);
}

static void buffer_close(struct vm_area_struct *vma)
{
	ring_buffer_unmap(vma->vm_private_data);
	release_buffer(tr_of(vma));
}

/* The area counts in the ring, so no lock is needed. */
static unsigned buffer_fault(struct vm_fault *vmf)
{
	vmf->page = virt_to_page(ring_buffer_mapped_page(vmf->vma->vm_private_data, vmf->pgoff));
	get_page(vmf->page);
	return 0;
}

static const struct vm_operations_struct buffer_vm_ops = {
	.whole = true,
	.open = buffer_open,
	.close = buffer_close,
	.fault = buffer_fault,
};

static int buffer_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct trace_cpu *where = trace_file_cpu(file);
	struct ring_buffer_per_cpu *cb;
	struct trace_buffer *buffer;

	if ((vma->vm_flags & (VM_WRITE | VM_EXEC)) || !(vma->vm_flags & VM_SHARED))
		return -EPERM;
	/* A copy of the last boot's buffer. As in Linux. */
	if (where->tr->persistent && is_vmalloc_addr(where->tr->persistent->area))
		return -ENODEV;
	buffer = hold_buffer(where->tr);
	if (!buffer)
		return -EBUSY;
	cb = ring_buffer_map(buffer, (unsigned)where->cpu, vma->vm_pgoff, vma_pages(vma));
	if (IS_ERR(cb)) {
		release_buffer(where->tr);
		return (int)PTR_ERR(cb);
	}
	vma->vm_flags &= ~(VM_MAYWRITE | VM_MAYEXEC);
	vma->vm_flags |= VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP;
	vma->vm_ops = &buffer_vm_ops;
	vma->vm_private_data = cb;
	return 0;
}

/* No event will follow those in the buffer. */
static bool buffer_ended(void *tr)
{
	return !tracing_is_on_tr(tr);
}

static long buffer_ioctl(struct file *file, unsigned cmd, unsigned long arg __unused)
{
	struct trace_cpu *where = trace_file_cpu(file);
	struct trace_buffer *buffer = READ_ONCE(where->tr->buffer);
	int error = 0;

	if (cmd != TRACE_MMAP_IOCTL_GET_READER)
		return -ENOTTY;
	if (!(file->f_flags & O_NONBLOCK))
		error = ring_buffer_wait(buffer, where->cpu, &where->tr->buffer_percent,
					 buffer_ended, where->tr);
	return error ? error : ring_buffer_map_get_reader(buffer, (unsigned)where->cpu);
}

static int __init buffer_mmap_init(void)
{
	tracing_buffers_fops.mmap = buffer_mmap;
	tracing_buffers_fops.ioctl = buffer_ioctl;
	return 0;
}
core_initcall(buffer_mmap_init);
