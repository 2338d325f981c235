/*
 * Pipes as splice(2) and its kin use them: to wait for bytes and for room, and to move bytes that
 * leave the pipe only when the other file has taken them.
 */
#include "fs/pipe/pipe.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"

ssize_t pipe_wait_for_bytes(const struct file *file, bool nonblock)
{
	struct pipe_inode_info *pipe = file->private_data;
	ssize_t ret = 1;

	pipe_lock(pipe);
	if (!pipe_is_readable(pipe))
		ret = pipe_wait_readable(pipe, nonblock);
	/* The bytes stay: it may have consumed a wake-up that a reader needs. */
	if (ret > 0)
		wake_up_next_locked(&pipe->rd_wait);
	pipe_unlock(pipe);
	return ret;
}

ssize_t pipe_wait_for_room(const struct file *file, bool nonblock)
{
	struct pipe_inode_info *pipe = file->private_data;
	ssize_t ret = 0;
	bool more;

	pipe_lock(pipe);
	while (!ret) {
		if (!pipe->readers)
			ret = -EPIPE;
		else if (pipe_has_free_page(pipe))
			ret = (ssize_t)pipe_free_bytes(pipe);
		else
			ret = nonblock ? -EAGAIN : pipe_wait_writable(pipe);
	}
	more = pipe_has_free_page(pipe);
	pipe_unlock(pipe);
	if (more) /* the same for a writer */
		pipe_wake_writer(pipe);
	if (ret == -EPIPE)
		send_sig(SIGPIPE);
	return ret;
}

/* P held; the pipe is readable. */
static size_t peek(struct pipe_inode_info *pipe, char *buf, size_t count)
{
	size_t done = 0;

	count = min(count, (size_t)(pipe->head - pipe->tail));
	while (done < count) {
		u32 pos = pipe->tail + (u32)done, offset = pos % PAGE_SIZE;
		size_t n = min(count - done, (size_t)(PAGE_SIZE - offset));

		memcpy(buf + done, (char *)*pipe_slot(pipe, pos) + offset, n);
		done += n;
	}
	return done;
}

ssize_t pipe_peek(const struct file *file, char *buf, size_t count)
{
	struct pipe_inode_info *pipe = file->private_data;
	ssize_t n = -EAGAIN;

	pipe_lock(pipe);
	if (pipe_is_readable(pipe))
		n = (ssize_t)peek(pipe, buf, count);
	pipe_unlock(pipe);
	return n;
}

ssize_t pipe_begin_take(const struct file *file, char *buf, size_t count, bool nonblock)
{
	struct pipe_inode_info *pipe = file->private_data;
	ssize_t ret;

	pipe_lock(pipe);
	ret = pipe_is_readable(pipe) ? 1 : pipe_wait_readable(pipe, nonblock);
	if (ret > 0) {
		ret = (ssize_t)peek(pipe, buf, count);
		pipe->taken = true;
		pipe->fast_page = 0; /* the fast paths do not know of it */
	}
	pipe_unlock(pipe);
	return ret;
}

void pipe_end_take(const struct file *file, size_t count)
{
	struct pipe_inode_info *pipe = file->private_data;
	bool was_full, tell_all;

	pipe_lock(pipe);
	was_full = !pipe_has_free_page(pipe);
	if (count)
		pipe_skip(pipe, count);
	pipe->taken = false;
	was_full &= pipe_room(pipe) >= PIPE_BUF;
	/* All who waited for this task learn of the end; those who poll, of bytes that are there
	 * again. */
	tell_all = pipe_is_readable(pipe) ? pipe->refused : !pipe->writers;
	pipe->refused = false;
	if (pipe_is_readable(pipe))
		wake_up_next_locked(&pipe->rd_wait);
	pipe_unlock(pipe);
	if (tell_all)
		wake_up_all(&pipe->rd_wait);
	if (was_full)
		pipe_wake_writer(pipe);
}
