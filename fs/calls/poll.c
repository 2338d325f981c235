/*
 * poll and ppoll, and what all calls that wait for several files share.
 *
 * A call first asks each file. Only if none is ready, and it may wait, it queues itself with each
 * of them, and asks again. A wake-up sets `triggered`, so that one that comes between the question
 * and the sleep is not lost. So poll operations may sleep.
 */
#include "fs/file/poll.h"

#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/pipe/pipe.h"
#include "kernel/mm/slab.h"
#include "kernel/posix_time/clock.h"
#include "kernel/task/signal_struct.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

#define POLL_INLINE_FDS 16
#define POLL_ALWAYS     (POLLERR | POLLHUP)

/* ---- waiting ---- */

/* A page of entries. */
struct poll_block {
	struct poll_block *next;
	unsigned used;
	struct poll_table_entry entries[];
};
#define BLOCK_ENTRIES ((PAGE_SIZE - sizeof(struct poll_block)) / sizeof(struct poll_table_entry))

static struct poll_table_entry *new_entry(struct poll_wqueues *pwq)
{
	struct poll_block *block = pwq->blocks;

	if (pwq->used < POLL_INLINE_ENTRIES)
		return &pwq->inline_entries[pwq->used++];
	if (!block || block->used == BLOCK_ENTRIES) {
		block = kmalloc(PAGE_SIZE, GFP_KERNEL);
		if (!block)
			return NULL;
		block->next = pwq->blocks;
		block->used = 0;
		pwq->blocks = block;
	}
	return &block->entries[block->used++];
}

static bool poll_wake(struct wait_queue_entry *wait, unsigned events)
{
	struct poll_wqueues *pwq = container_of(wait, struct poll_table_entry, wait)->owner;

	(void)events;
	WRITE_ONCE(pwq->triggered, true);
	return wake_up_state(pwq->task, TASK_NORMAL);
}

/* A wake-up calls each entry, so a program may not fill a queue with entries of one task. */
static void queue_poller(struct file *file, wait_queue_head_t *queue, poll_table *table)
{
	struct poll_wqueues *pwq = container_of(table, struct poll_wqueues, table);
	struct rb_node **link = &pwq->queues.rb_node, *parent = NULL;
	struct poll_table_entry *entry;

	while (*link) {
		parent = *link;
		entry = rb_entry(parent, struct poll_table_entry, node);
		if (entry->queue == queue)
			return;
		link = queue < entry->queue ? &parent->rb_left : &parent->rb_right;
	}
	entry = new_entry(pwq);
	if (!entry) {
		pwq->error = -ENOMEM;
		return;
	}
	entry->wait.func = poll_wake;
	entry->wait.flags = WQ_FLAG_CALLBACK;
	INIT_LIST_HEAD(&entry->wait.entry);
	entry->queue = queue;
	entry->owner = pwq;
	entry->file = get_file(file);
	rb_link_node(&entry->node, parent, link);
	rb_insert_color(&entry->node, &pwq->queues);
	add_wait_queue(queue, &entry->wait);
}

void poll_initwait(struct poll_wqueues *pwq)
{
	pwq->table.queue = queue_poller;
	pwq->task = current;
	pwq->triggered = false;
	pwq->error = 0;
	pwq->used = 0;
	pwq->blocks = NULL;
	pwq->queues = RB_ROOT;
}

static void free_entries(struct poll_table_entry *entries, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		remove_wait_queue(entries[i].queue, &entries[i].wait);
		fput(entries[i].file);
	}
}

void poll_freewait(struct poll_wqueues *pwq)
{
	struct poll_block *block, *next;

	free_entries(pwq->inline_entries, pwq->used);
	for (block = pwq->blocks; block; block = next) {
		next = block->next;
		free_entries(block->entries, block->used);
		kfree(block);
	}
}

bool poll_schedule(struct poll_wqueues *pwq, ktime_t end)
{
	bool late = false;

	if (end != KTIME_MAX && ktime_get() >= end)
		return false;
	set_current_state(TASK_INTERRUPTIBLE);
	if (!READ_ONCE(pwq->triggered))
		late = schedule_until(monotonic_deadline(end));
	__set_current_state(TASK_RUNNING);
	/* Before the files are asked again: a later wake-up sets it again. */
	(void)xchg(&pwq->triggered, false);
	return !late;
}

/* ---- times ---- */

ktime_t poll_end(u64 ns)
{
	ktime_t now;

	if (!ns)
		return 0;
	now = ktime_get();
	return ns < KTIME_MAX - 1 - now ? now + ns : KTIME_MAX - 1;
}

int poll_get_timeout(const struct __kernel_timespec __user *uts, ktime_t *end)
{
	u64 ns;
	int err;

	*end = KTIME_MAX;
	if (!uts)
		return 0;
	err = get_timespec(&ns, uts);
	if (!err)
		*end = poll_end(ns);
	return err;
}

u64 poll_time_left(ktime_t end)
{
	ktime_t now = ktime_get();

	return end != KTIME_MAX && end > now ? end - now : 0;
}

long poll_finish(long ret, ktime_t end, struct __kernel_timespec __user *uts)
{
	restore_saved_sigmask_unless(ret == -ERESTARTNOHAND);
	/* A call that begins again would wait too long if the time cannot be told. */
	if (uts && end != KTIME_MAX && put_timespec(poll_time_left(end), uts) &&
	    ret == -ERESTARTNOHAND)
		ret = -EINTR;
	return ret;
}

/* ---- poll ---- */

/* What the file at a descriptor is ready for, of events. */
static unsigned ask_fd(int fd, unsigned events, poll_table *table)
{
	unsigned found = POLLNVAL;
	struct fd f;

	if (fd < 0)
		return 0;
	f = fdget((unsigned)fd);
	if (likely(f.file)) {
		found = vfs_poll(f.file, table) & (events | POLL_ALWAYS);
		fdput(f);
	}
	return found;
}

/* Calls the poll operation of each file. Returns the number of files that are ready. */
static int ask_files(struct pollfd *fds, unsigned nfds, poll_table *table)
{
	int ready = 0;

	for (unsigned i = 0; i < nfds; i++) {
		fds[i].revents = (short)ask_fd(fds[i].fd, (unsigned short)fds[i].events, table);
		if (fds[i].revents) {
			ready++;
			table = NULL; /* it will not sleep */
		}
	}
	return ready;
}

/*
 * The first look, which most calls end with: straight from and to the memory of the program. A pipe
 * is asked without a call. The number of files that are ready, or -EFAULT.
 */
static long ask_directly(struct pollfd __user *ufds, unsigned nfds)
{
	const struct files_struct *files = current->files;
	/* While this task is its only user, the table stays as it is. */
	unsigned light = files ? files->light_max : 0;
	struct file **table = light ? files->fd : NULL;
	long ready = 0;

	user_access_begin();
	for (struct pollfd __user *end = ufds + nfds; ufds != end; ufds++) {
		const struct file *file;
		unsigned found;
		u64 pfd;

		unsafe_get_u64(pfd, (const u64 __user *)ufds, fault);
		if (unlikely((u32)pfd >= light))
			goto any;
		file = table[(u32)pfd];
		if (unlikely(!file || file->f_op != &pipe_fops ||
			     !pipe_events_lockless(file->private_data, file, &found)))
			goto any;
		found &= (unsigned)(pfd >> 32) | POLL_ALWAYS;
		goto put;
any:
		user_access_end();
		found = ask_fd((int)pfd, (u16)(pfd >> 32), NULL);
		user_access_begin();
put:
		unsafe_put_u16(found, &ufds->revents, fault);
		ready += found != 0;
	}
	user_access_end();
	return ready;
fault:
	user_access_end();
	return -EFAULT;
}

/* Polls until files are ready (their number), the time is over (0) or a signal comes. */
static noinline int wait_for_files(struct pollfd *fds, unsigned nfds, ktime_t end)
{
	struct poll_wqueues pwq;
	int ready;

	poll_initwait(&pwq);
	ready = ask_files(fds, nfds, &pwq.table);
	while (!ready) {
		bool in_time;

		ready = pwq.error ? pwq.error : signal_pending(current) ? -ERESTARTNOHAND : 0;
		if (ready)
			break;
		in_time = poll_schedule(&pwq, end);
		ready = ask_files(fds, nfds, NULL);
		if (!in_time)
			break;
	}
	poll_freewait(&pwq);
	return ready;
}

/* None was ready in ask_directly(): waits. */
static noinline long poll_and_wait(struct pollfd __user *ufds, unsigned nfds, ktime_t end)
{
	struct pollfd inline_fds[POLL_INLINE_FDS], *fds = inline_fds;
	long ready = -EFAULT;

	if (nfds > POLL_INLINE_FDS) {
		fds = kmalloc(nfds * sizeof(*fds), GFP_KERNEL);
		if (!fds)
			return -ENOMEM;
	}
	if (copy_from_user(fds, ufds, nfds * sizeof(*fds)))
		goto out;
	ready = wait_for_files(fds, nfds, end);
	for (unsigned i = 0; i < nfds && ready >= 0; i++)
		if (put_user(fds[i].revents, &ufds[i].revents))
			ready = -EFAULT;
out:
	if (fds != inline_fds)
		kfree(fds);
	return ready;
}

static long do_sys_poll(struct pollfd __user *ufds, unsigned nfds, ktime_t end)
{
	long ready;

	if (nfds > rlimit(RLIMIT_NOFILE))
		return -EINVAL;
	if (!access_ok(ufds, nfds * sizeof(*ufds)))
		return -EFAULT;
	ready = ask_directly(ufds, nfds);
	return ready || !end ? ready : poll_and_wait(ufds, nfds, end);
}

/* restart_block: time is the end, args the array and its size. */
static long poll_restart(struct restart_block *restart)
{
	long ret = do_sys_poll((struct pollfd __user *)restart->args[0], (unsigned)restart->args[1],
			       restart->time);

	return ret == -ERESTARTNOHAND ? -ERESTART_RESTARTBLOCK : ret;
}

SYSCALL_DEFINE3(poll, struct pollfd __user *, ufds, unsigned int, nfds, int, timeout_msecs)
{
	ktime_t end = timeout_msecs < 0 ? KTIME_MAX : poll_end((u64)timeout_msecs * NSEC_PER_MSEC);
	long ret = do_sys_poll(ufds, nfds, end);

	if (likely(ret != -ERESTARTNOHAND))
		return ret;
	if (!current->mm)
		return -EINTR;
	current->restart_block = (struct restart_block){
		.fn = poll_restart,
		.time = end,
		.args = { (unsigned long)ufds, nfds },
	};
	return -ERESTART_RESTARTBLOCK;
}

typedef u64 sigset_t;

SYSCALL_DEFINE5(ppoll, struct pollfd __user *, ufds, unsigned int, nfds, struct __kernel_timespec *,
		tsp, const sigset_t *, sigmask, size_t, sigsetsize)
{
	ktime_t end;
	int err = poll_get_timeout(tsp, &end);

	if (!err)
		err = get_user_sigmask(sigmask, sigsetsize);
	return err ? err : poll_finish(do_sys_poll(ufds, nfds, end), end, tsp);
}
