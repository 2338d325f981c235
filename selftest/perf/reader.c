/* For self-tests: an event of perf with a buffer. */
#include "selftest/perf/reader.h"

#include "arch/cpu/linkage.h"
#include "arch/mm/uaccess.h"
#include "kernel/task/task_work.h"
#include "selftest/lib/user_memory.h"

long sys_perf_event_open(unsigned long attr, pid_t pid, int cpu, int group, unsigned long flags)
	SYSCALL_SYMBOL(perf_event_open);
long sys_close(unsigned fd) SYSCALL_SYMBOL(close);
long sys_read(unsigned fd, unsigned long buf, size_t count) SYSCALL_SYMBOL(read);
long sys_mmap(unsigned long addr, unsigned long len, unsigned long prot, unsigned long flags,
	      unsigned long fd, unsigned long offset) SYSCALL_SYMBOL(mmap);

bool perf_reader_begin(struct perf_reader *r, const struct perf_event_attr *attr, int cpu,
		       unsigned long pages)
{
	*r = (struct perf_reader){ .mm = test_mm_begin(), .fd = -1, .size = pages * PAGE_SIZE };
	if (!r->mm)
		return false;
	r->args = test_mmap(0, PAGE_SIZE, 0);
	if (copy_to_user((void __user *)r->args, attr, sizeof(*attr)))
		return false;
	r->fd = sys_perf_event_open(r->args, cpu < 0 ? 0 : -1, cpu, -1, 0);
	if (r->fd < 0)
		return false;
	r->user = (unsigned long)sys_mmap(0, PAGE_SIZE + r->size, PROT_READ | PROT_WRITE,
					  MAP_SHARED, (unsigned long)r->fd, 0);
	return !(r->user & (PAGE_SIZE - 1));
}

/* Copies from the data, whose end is followed by its beginning. */
static bool copy_data(const struct perf_reader *r, void *to, size_t size)
{
	unsigned long at = r->tail & (r->size - 1), data = r->user + PAGE_SIZE;
	size_t first = min(size, r->size - at);

	return !copy_from_user(to, (const void __user *)(data + at), first) &&
	       !copy_from_user((u8 *)to + first, (const void __user *)data, size - first);
}

u16 perf_reader_next(struct perf_reader *r, void *record, size_t room)
{
	u64 *head = (u64 *)(r->user + offsetof(struct perf_event_mmap_page, data_head));
	u64 *tail = (u64 *)(r->user + offsetof(struct perf_event_mmap_page, data_tail));
	struct perf_event_header header;
	u64 end;

	if (copy_from_user(&end, (const void __user *)head, sizeof(end)) || r->tail == end)
		return 0;
	smp_rmb(); /* the records are at least as new as the head */
	if (!copy_data(r, &header, sizeof(header)) ||
	    !copy_data(r, record, min(room, (size_t)header.size)))
		return 0;
	r->tail += header.size;
	smp_mb(); /* the kernel may write there from now on */
	return copy_to_user((void __user *)tail, &r->tail, sizeof(r->tail)) ? 0 : header.size;
}

bool perf_reader_counts(struct perf_reader *r, u64 *values, unsigned n)
{
	size_t size = n * sizeof(*values);

	return sys_read((unsigned)r->fd, r->args, size) == (long)size &&
	       !copy_from_user(values, (const void __user *)r->args, size);
}

long perf_reader_end(struct perf_reader *r)
{
	long error = r->fd < 0 ? 0 : sys_close((unsigned)r->fd);

	task_work_run(); /* a program does it before it goes on */
	if (r->mm)
		test_mm_end(r->mm);
	return error;
}
