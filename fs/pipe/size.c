/*
 * The size of pipes, and who pays for their pages (pipe(7)).
 *
 * The pages of a pipe belong to no process. So the user who makes it is charged at once for its
 * full size, and a write never fails for lack of a charge. F_SETPIPE_SZ of fcntl(2) gives a pipe a
 * ring with another number of pages.
 */
#include "fs/file/file.h"
#include "fs/pipe/pipe.h"
#include "fs/proc/proc_fs.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"

#define PIPE_MOST      65536U /* pages; more fail as an allocation would */
#define PIPE_MIN_PAGES 2U     /* of a new pipe past pipe-user-pages-soft */

/* Sysctls. Read and written without a lock. */
static u32 pipe_max_size = 1U << 20; /* bytes, for programs without CAP_SYS_RESOURCE */
static unsigned long pipe_user_pages_soft = 1024 * PIPE_PAGES, pipe_user_pages_hard; /* 0: none */

/* ---- charges ---- */

/* Changes the charge of the pipe. Returns the pages of all pipes of the user. */
static unsigned long account(struct pipe_inode_info *pipe, u32 pages)
{
	s64 more = (s64)pages - (s64)pipe->nr_accounted;

	pipe->nr_accounted = pages;
	return (unsigned long)atomic64_add_return(more, &pipe->user->pipe_bufs);
}

static bool is_past(unsigned long pages, const unsigned long *limit)
{
	unsigned long most = READ_ONCE(*limit);

	return unlikely(most && pages > most);
}

static bool is_unprivileged(void)
{
	return !capable(CAP_SYS_RESOURCE) && !capable(CAP_SYS_ADMIN);
}

bool pipe_charge(struct pipe_inode_info *pipe)
{
	u32 max_size = READ_ONCE(pipe_max_size), pages = PIPE_PAGES;
	unsigned long all;

	if (unlikely(max_size < PIPE_SIZE) && !capable(CAP_SYS_RESOURCE))
		pages = max_size / (u32)PAGE_SIZE;
	pipe->user = get_current_user();
	all = account(pipe, pages);
	if (is_past(all, &pipe_user_pages_soft) && is_unprivileged())
		all = account(pipe, PIPE_MIN_PAGES);
	if (is_past(all, &pipe_user_pages_hard) && is_unprivileged()) {
		pipe_uncharge(pipe);
		return false;
	}
	return true;
}

void pipe_uncharge(struct pipe_inode_info *pipe)
{
	account(pipe, 0);
	put_user_struct(pipe->user);
}

/* ---- another size ---- */

/*
 * Moves the pages that hold bytes to the beginning of the other ring. If bytes have come around
 * into the page that is being read, they move to *spare. P held. Returns false if they do not fit.
 */
static bool move_pages(struct pipe_inode_info *pipe, void **pages, u32 count, void **spare)
{
	u32 first = pipe->tail / PAGE_SIZE, used = pipe->head - pipe->tail;
	u32 offset = pipe->tail % PAGE_SIZE, old = pipe->size / PAGE_SIZE;
	u32 held = used ? (offset + used - 1) / (u32)PAGE_SIZE + 1 : 0;

	if (held > count)
		return false;
	if (held > old) {
		memcpy(*spare, *pipe_slot(pipe, pipe->tail), offset);
		pages[old] = *spare;
		*spare = NULL;
	}
	for (u32 i = 0; i < min(held, old); i++) {
		void **slot = &pipe->pages[(first + i) % old];

		pages[i] = *slot;
		*slot = NULL;
	}
	/* An empty pipe, and one whose last page is full, may have a page more. */
	for (u32 i = 0; i < old; i++)
		if (pipe->pages[i])
			free_page(pipe->pages[i]);
	pipe->tail = used ? offset : 0;
	pipe->head = pipe->tail + used;
	return true;
}

static long set_size(struct pipe_inode_info *pipe, u32 count)
{
	void **pages = kcalloc(count, sizeof(*pages), GFP_KERNEL), **old;
	void *spare = get_free_page(GFP_KERNEL);
	bool fits;

	if (!pages || !spare) {
		kfree(pages);
		free_page(spare);
		return -ENOMEM;
	}
	pipe_lock(pipe);
	old = pipe->pages;
	fits = move_pages(pipe, pages, count, &spare);
	if (fits) {
		pipe->pages = pages;
		pipe->size = count * (u32)PAGE_SIZE;
	}
	pipe_unlock(pipe);
	free_page(spare);
	if (!fits) {
		kfree(pages);
		return -EBUSY;
	}
	if (old != pipe->first_pages)
		kfree(old);
	/* There may be room now. */
	wake_up_all(&pipe->wr_wait);
	return (long)(count * PAGE_SIZE);
}

/* How many pages a pipe of that size has: a power of 2. */
static u32 round_pipe_pages(u32 size)
{
	u32 count = 1;

	while (count * PAGE_SIZE < size)
		count *= 2;
	return count;
}

/* Only a pipe that grows is checked. i_mutex held. */
static long charge_and_resize(struct pipe_inode_info *pipe, u32 count)
{
	u32 old = pipe->nr_accounted;
	unsigned long all;
	long ret;

	if (count * PAGE_SIZE > max(pipe->size, READ_ONCE(pipe_max_size)) &&
	    !capable(CAP_SYS_RESOURCE))
		return -EPERM;
	if (count > PIPE_MOST)
		return -ENOMEM;
	all = account(pipe, count);
	if (count > old &&
	    (is_past(all, &pipe_user_pages_hard) || is_past(all, &pipe_user_pages_soft)) &&
	    is_unprivileged())
		ret = -EPERM;
	else
		ret = set_size(pipe, count);
	if (ret < 0)
		account(pipe, old);
	return ret;
}

long pipe_fcntl(struct file *file, bool set, unsigned long arg)
{
	struct pipe_inode_info *pipe = file->private_data;
	struct inode *inode = file->f_inode;
	u32 size = (u32)arg, count;
	long ret;

	if (file->f_op != &pipe_fops)
		return -EBADF;
	if (!set)
		return READ_ONCE(pipe->size);
	if (size > 1U << 31)
		return -EINVAL;
	count = round_pipe_pages(size);
	/* One at a time: i_mutex keeps the old ring until it is known which one is free. */
	mutex_lock(&inode->i_mutex);
	if (count * PAGE_SIZE == pipe->size)
		ret = pipe->size;
	else
		ret = charge_and_resize(pipe, count);
	mutex_unlock(&inode->i_mutex);
	return ret;
}

/* A write is rounded up to what a pipe can have. */
static int proc_pipe_max_size(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	unsigned long value = READ_ONCE(pipe_max_size);
	struct ctl_table local = { .data = &value };
	int err = proc_doulongvec(&local, write, buf, size);

	(void)table;
	if (err || !write)
		return err;
	if (value > 1UL << 31)
		return -EINVAL;
	WRITE_ONCE(pipe_max_size, round_pipe_pages((u32)value) * (u32)PAGE_SIZE);
	return 0;
}

SYSCTL(pipe_max_size, "fs", "pipe-max-size", 0644, proc_pipe_max_size);
SYSCTL(pipe_user_pages_hard, "fs", "pipe-user-pages-hard", 0644, proc_doulongvec,
       .data = &pipe_user_pages_hard);
SYSCTL(pipe_user_pages_soft, "fs", "pipe-user-pages-soft", 0644, proc_doulongvec,
       .data = &pipe_user_pages_soft);
