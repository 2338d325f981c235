/*
 * Pipes with O_DIRECT: each write is a packet (pipe(2)).
 *
 * A packet has a page of its own. ends[] tells for each page of the ring where its bytes end, and
 * whether they are a packet; 0: the page is as in any pipe. The head is behind the page of the last
 * packet, so head - tail counts whole pages. Plain bytes and packets can be in the same pipe,
 * because each write chooses by the flags of its file.
 */
#include "fs/file/fasync.h"
#include "fs/pipe/pipe.h"
#include "fs/file/uio.h"
#include "kernel/lib/string.h"
#include "kernel/sched/sched.h"

#define PACKET 0x8000U /* in ends[] */

static inline u32 slot_of(const struct pipe_inode_info *pipe, u32 pos)
{
	return (pos & (pipe->size - 1)) / (u32)PAGE_SIZE;
}

static inline u32 next_page(u32 pos)
{
	return ALIGN(pos + 1, (u32)PAGE_SIZE);
}

u32 pipe_packet_room(const struct pipe_inode_info *pipe)
{
	u32 free_bytes = pipe_free_bytes(pipe);

	return free_bytes > pipe->size
		       ? 0
		       : free_bytes + ALIGN(pipe->head, (u32)PAGE_SIZE) - pipe->head;
}

/* How many bytes are at the tail, in one page. P held; the pipe is not empty. */
static u32 bytes_at(const struct pipe_inode_info *pipe, u32 pos)
{
	u32 end = pipe->ends[slot_of(pipe, pos)];

	if (end)
		return (end & ~PACKET) - pos % (u32)PAGE_SIZE;
	return min(pipe->head - pos, (u32)PAGE_SIZE - pos % (u32)PAGE_SIZE);
}

u32 pipe_packet_bytes(const struct pipe_inode_info *pipe)
{
	u32 total = 0;

	for (u32 pos = pipe->tail; pos != pipe->head;
	     pos = pipe->head - pos > next_page(pos) - pos ? next_page(pos) : pipe->head)
		total += bytes_at(pipe, pos);
	return total;
}

int pipe_get_packet(struct pipe_inode_info *pipe, struct iov_iter *to, bool *stop)
{
	u32 tail = pipe->tail, slot = slot_of(pipe, tail), there = bytes_at(pipe, tail);
	bool packet = pipe->ends[slot] & PACKET, ended = pipe->ends[slot] != 0;
	u32 wanted = (u32)min(to->count, (size_t)there);
	u32 n = (u32)copy_to_iter_nofault((char *)pipe->pages[slot] + tail % PAGE_SIZE, wanted, to);

	if (!n && wanted)
		return -EFAULT;
	tail += n;
	if (n == wanted && (packet || (ended && n == there))) {
		*stop = packet;
		tail = next_page(pipe->tail); /* what did not fit is gone */
		pipe->ends[slot] = 0;
	}
	pipe_advance(pipe, tail, slot);
	return (int)n;
}

size_t pipe_peek_packet(const struct pipe_inode_info *pipe, char *buf, size_t count)
{
	size_t n = min(count, (size_t)bytes_at(pipe, pipe->tail));

	memcpy(buf, (char *)pipe->pages[slot_of(pipe, pipe->tail)] + pipe->tail % PAGE_SIZE, n);
	return n;
}

void pipe_skip(struct pipe_inode_info *pipe, size_t count)
{
	do {
		u32 tail = pipe->tail, slot = slot_of(pipe, tail), there = bytes_at(pipe, tail);
		u32 n = (u32)min(count, (size_t)there);

		count -= n;
		tail += n;
		if (pipe->ends[slot] && n == there) {
			tail = next_page(pipe->tail);
			pipe->ends[slot] = 0;
		}
		pipe_advance(pipe, tail, slot);
	} while (count);
}

/*
 * Linux appends a short write to plain bytes that are in the last page, also with O_DIRECT. P held.
 */
static bool append(struct pipe_inode_info *pipe, const void *bytes, u32 n)
{
	u32 at = pipe->head % PAGE_SIZE, slot = slot_of(pipe, pipe->head);

	if (!at || n == PAGE_SIZE || at + n > PAGE_SIZE || pipe_packet_room(pipe) < n)
		return false;
	memcpy((char *)pipe->pages[slot] + at, bytes, n);
	pipe->head += n;
	return true;
}

/* Puts the page with a packet into the ring. True: the pipe has taken the page. P held. */
static bool insert(struct pipe_inode_info *pipe, void *page, u32 n)
{
	u32 slot;

	pipe->packets = true;
	if (append(pipe, page, n))
		return false;
	if (pipe->head % PAGE_SIZE) {
		pipe->ends[slot_of(pipe, pipe->head)] = (u16)(pipe->head % PAGE_SIZE);
		pipe->head = ALIGN(pipe->head, (u32)PAGE_SIZE);
	}
	slot = slot_of(pipe, pipe->head);
	if (pipe->pages[slot]) /* an empty pipe keeps its page */
		free_page(pipe->pages[slot]);
	pipe->pages[slot] = page;
	pipe->ends[slot] = (u16)(n | PACKET);
	pipe->head += (u32)PAGE_SIZE;
	return true;
}

/* Waits for a free page, and puts the packet there. 0 or a negative errno; then page is freed. */
static int write_packet(struct pipe_inode_info *pipe, const struct file *file, void *page, u32 n)
{
	bool taken = false, more;
	int err = 0;

	pipe_lock(pipe);
	while (!err) {
		if (!pipe->readers) {
			err = -EPIPE;
		} else if (pipe_has_free_page(pipe)) {
			taken = insert(pipe, page, n);
			break;
		} else if (file->f_flags & O_NONBLOCK) {
			err = -EAGAIN;
		} else {
			err = pipe_wait_writable(pipe);
		}
	}
	if (!err && !list_empty(&pipe->rd_wait.head))
		wake_up_locked(&pipe->rd_wait);
	/* It may have consumed a wake-up that another writer needs. */
	more = pipe_has_free_page(pipe);
	pipe_unlock(pipe);
	if (more)
		pipe_wake_writer(pipe);
	if (!taken)
		free_page(page);
	kill_fasync(&pipe->fasync_readers, SIGIO, POLL_IN);
	return err;
}

ssize_t pipe_write_packets(struct pipe_inode_info *pipe, const struct file *file,
			   struct iov_iter *from)
{
	ssize_t done = 0;
	int err = 0;

	while (from->count && !err) {
		size_t n = min(from->count, (size_t)PAGE_SIZE);
		void *page = get_free_page(GFP_KERNEL);

		if (!page) {
			err = -ENOMEM;
		} else if (copy_from_iter(page, n, from) != n) {
			/* Linux has put the packet into the pipe by then. It stays, empty. */
			err = write_packet(pipe, file, page, 0);
			err = err ? err : -EFAULT;
		} else {
			err = write_packet(pipe, file, page, (u32)n);
		}
		done += err ? 0 : (ssize_t)n;
	}
	if (done)
		return done;
	if (err == -EPIPE)
		send_sig(SIGPIPE);
	return err;
}
