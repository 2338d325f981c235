/*
 * poll: wait for several files at once.
 *
 * The task's state is set to sleep before the poll operations are called. So if a wake-up comes
 * between a poll operation and schedule(), schedule() returns at once. For the same reason, poll
 * operations must not sleep.
 */
#include "arch/uaccess.h"
#include "fs/file.h"
#include "fs/internal.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"

#define POLL_INLINE_ENTRIES 8
#define POLL_ALWAYS         (POLLERR | POLLHUP)

void poll_wait(struct file *file, wait_queue_head_t *queue, poll_table *table)
{
	struct poll_table_entry *entry;

	(void)file;
	if (!table || !table->entries || table->count == table->max)
		return;
	entry = &table->entries[table->count++];
	entry->queue = queue;
	entry->wait = (struct wait_queue_entry){ .task = current };
	INIT_LIST_HEAD(&entry->wait.entry);
	add_wait_queue(queue, &entry->wait);
}

static void poll_freewait(poll_table *table)
{
	for (unsigned i = 0; i < table->count; i++)
		remove_wait_queue(table->entries[i].queue, &table->entries[i].wait);
	table->count = 0;
}

static unsigned vfs_poll(struct file *file, struct poll_table_struct *wait)
{
	if (!file->f_op->poll)
		return POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM;
	return file->f_op->poll(file, wait);
}

/* Calls the poll operation of each file. Returns the number of files that are ready. */
static int do_pollfds(struct pollfd *fds, unsigned nfds, poll_table *table)
{
	int ready = 0;

	for (unsigned i = 0; i < nfds; i++) {
		struct pollfd *pfd = &fds[i];
		struct fd f = fdget((unsigned)pfd->fd);
		unsigned events = (unsigned short)pfd->events | POLL_ALWAYS;

		if (pfd->fd < 0)
			pfd->revents = 0;
		else if (!f.file)
			pfd->revents = POLLNVAL;
		else
			pfd->revents = (short)(vfs_poll(f.file, table) & events);
		if (f.file)
			fdput(f);
		ready += pfd->revents != 0;
	}
	return ready;
}

/* Polls until files are ready (their number), the time is over (0) or a signal comes (-EINTR). */
static int do_poll(struct pollfd *fds, unsigned nfds, poll_table *table, u64 timeout_ns)
{
	int ready;

	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		ready = do_pollfds(fds, nfds, table);
		if (ready || !timeout_ns)
			break;
		if (signal_pending(current)) {
			ready = -EINTR;
			break;
		}
		timeout_ns = schedule_timeout(timeout_ns);
		/* Queue all entries again, because a wake-up may have unlinked some of them. */
		poll_freewait(table);
	}
	__set_current_state(TASK_RUNNING);
	poll_freewait(table);
	return ready;
}

SYSCALL_DEFINE3(poll, struct pollfd __user *, ufds, unsigned int, nfds, int, timeout_msecs)
{
	struct poll_table_entry inline_entries[POLL_INLINE_ENTRIES];
	poll_table table = { .entries = inline_entries, .max = POLL_INLINE_ENTRIES };
	struct pollfd inline_fds[POLL_INLINE_ENTRIES], *fds = inline_fds;
	u64 timeout_ns =
		timeout_msecs < 0 ? MAX_SCHEDULE_TIMEOUT : (u64)timeout_msecs * NSEC_PER_MSEC;
	int ready = -ENOMEM;

	if (nfds > NR_OPEN_MAX)
		return -EINVAL;
	if (nfds > POLL_INLINE_ENTRIES)
		fds = kmalloc(nfds * sizeof(*fds), GFP_KERNEL);
	if (!fds)
		return -ENOMEM;
	if (nfds * POLL_QUEUES_PER_FILE > POLL_INLINE_ENTRIES) {
		table.max = nfds * POLL_QUEUES_PER_FILE;
		table.entries = kcalloc(table.max, sizeof(*table.entries), GFP_KERNEL);
		if (!table.entries)
			goto out;
	}
	ready = -EFAULT;
	if (copy_from_user(fds, ufds, nfds * sizeof(*fds)))
		goto out;
	ready = do_poll(fds, nfds, &table, timeout_ns);
	for (unsigned i = 0; i < nfds && ready >= 0; i++)
		if (put_user(fds[i].revents, &ufds[i].revents))
			ready = -EFAULT;
out:
	if (table.entries != inline_entries)
		kfree(table.entries);
	if (fds != inline_fds)
		kfree(fds);
	return ready;
}
