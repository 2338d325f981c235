/* F_GETPIPE_SZ and F_SETPIPE_SZ of fcntl(2): a pipe may get a ring with another number of pages. */
#include "fs/file.h"
#include "fs/pipe.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/process/cred.h"

#define PIPE_MAX_SIZE (1U << 20) /* for programs without CAP_SYS_RESOURCE */
#define PIPE_MOST     65536U     /* pages; more fail as an allocation would */

/*
 * Moves the pages that hold bytes to the beginning of the other ring. If bytes have come around
 * into the page that is being read, they move to *spare. P held. Returns false if they do not fit.
 */
static bool move_pages(struct pipe_inode_info *pipe, void **pages, u16 *ends, u32 count,
		       void **spare)
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
		ends[i] = pipe->ends[(first + i) % old];
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
	u16 *ends = kcalloc(count, sizeof(*ends), GFP_KERNEL), *old_ends;
	void *spare = get_free_page(GFP_KERNEL);
	bool fits;

	if (!pages || !ends || !spare) {
		kfree(pages);
		kfree(ends);
		free_page(spare);
		return -ENOMEM;
	}
	pipe_lock(pipe);
	old = pipe->pages;
	old_ends = pipe->ends;
	fits = move_pages(pipe, pages, ends, count, &spare);
	if (fits) {
		pipe->pages = pages;
		pipe->ends = ends;
		pipe->size = count * (u32)PAGE_SIZE;
	}
	pipe_unlock(pipe);
	free_page(spare);
	if (!fits) {
		kfree(pages);
		kfree(ends);
		return -EBUSY;
	}
	if (old != pipe->first_pages) {
		kfree(old);
		kfree(old_ends);
	}
	/* There may be room now. */
	wake_up_all(&pipe->wr_wait);
	return (long)(count * PAGE_SIZE);
}

long pipe_fcntl(struct file *file, bool set, unsigned long arg)
{
	struct pipe_inode_info *pipe = file->private_data;
	struct inode *inode = file->f_inode;
	u32 size = (u32)arg, count = 1;
	long ret;

	if (file->f_op != &pipe_fops)
		return -EBADF;
	if (!set)
		return READ_ONCE(pipe->size);
	if (size > 1U << 31)
		return -EINVAL;
	while (count * PAGE_SIZE < size)
		count *= 2;
	/* One at a time: i_mutex keeps the old ring until it is known which one is free. */
	mutex_lock(&inode->i_mutex);
	if (count * PAGE_SIZE == pipe->size)
		ret = pipe->size;
	else if (count * PAGE_SIZE > max(pipe->size, PIPE_MAX_SIZE) && !capable(CAP_SYS_RESOURCE))
		ret = -EPERM;
	else
		ret = count > PIPE_MOST ? -ENOMEM : set_size(pipe, count);
	mutex_unlock(&inode->i_mutex);
	return ret;
}
