/* select and pselect6: as poll, with the files in three sets of bits. */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/time/timespec.h"
#include "kernel/signal/signal.h"
#include "kernel/syscalls/syscalls.h"

#define BITS_PER_WORD 64U
#define INLINE_WORDS  (6 * 2) /* for 128 descriptors */

typedef struct fd_set { /* as long as the program says */
	u64 bits[16];
} fd_set;
typedef u64 sigset_t;

/* What each of the sets asks for: to read, to write, exceptional. */
enum { SET_IN, SET_OUT, SET_EX, NR_SETS };
static const unsigned set_events[NR_SETS] = {
	POLLIN | POLLRDNORM | POLLRDBAND | POLLHUP | POLLERR,
	POLLOUT | POLLWRNORM | POLLWRBAND | POLLERR,
	POLLPRI,
};

/* The sets of one call, each of `words` words; a set that the program has not given is empty. */
struct select_sets {
	unsigned nr; /* of descriptors */
	unsigned words;
	u64 *asked[NR_SETS], *found[NR_SETS];
};

static bool is_asked(const struct select_sets *sets, unsigned set, unsigned fd)
{
	return sets->asked[set][fd / BITS_PER_WORD] >> (fd % BITS_PER_WORD) & 1;
}

/* Asks the file of one descriptor. Returns how many bits it sets; -EBADF: it is not open. */
static int ask_fd(struct select_sets *sets, unsigned fd, poll_table *table)
{
	struct fd f = fdget(fd);
	unsigned events;
	int ready = 0;

	if (!f.file)
		return -EBADF;
	events = vfs_poll(f.file, table);
	fdput(f);
	for (unsigned set = 0; set < NR_SETS; set++) {
		if (!(events & set_events[set]) || !is_asked(sets, set, fd))
			continue;
		sets->found[set][fd / BITS_PER_WORD] |= 1UL << (fd % BITS_PER_WORD);
		ready++;
	}
	return ready;
}

/* Asks all files. Returns how many bits are set, or -EBADF. */
static int ask_sets(struct select_sets *sets, poll_table *table)
{
	int ready = 0;

	for (unsigned word = 0; word < sets->words; word++) {
		u64 bits = sets->asked[SET_IN][word] | sets->asked[SET_OUT][word] |
			   sets->asked[SET_EX][word];

		for (; bits; bits &= bits - 1) {
			unsigned fd = word * BITS_PER_WORD + (unsigned)__builtin_ctzl(bits);
			int n;

			if (fd >= sets->nr)
				break;
			n = ask_fd(sets, fd, table);
			if (n < 0)
				return n;
			ready += n;
			if (ready)
				table = NULL; /* it will not sleep */
		}
	}
	return ready;
}

static int do_select(struct select_sets *sets, ktime_t end)
{
	struct poll_wqueues pwq;
	int ready = ask_sets(sets, NULL);

	if (ready || !end)
		return ready;
	poll_initwait(&pwq);
	ready = ask_sets(sets, &pwq.table);
	while (!ready) {
		bool in_time;

		ready = pwq.error ? pwq.error : signal_pending(current) ? -ERESTARTNOHAND : 0;
		if (ready)
			break;
		in_time = poll_schedule(&pwq, end);
		ready = ask_sets(sets, NULL);
		if (!in_time)
			break;
	}
	poll_freewait(&pwq);
	return ready;
}

static long core_select(int n, fd_set __user *const usets[NR_SETS], ktime_t end)
{
	u64 inline_words[INLINE_WORDS], *words = inline_words;
	struct select_sets sets;
	long ret = -EFAULT;
	size_t size;

	if (n < 0)
		return -EINVAL;
	/* Bits of descriptors that the table has no room for are ignored. */
	sets.nr = min((unsigned)n, current->files ? current->files->max_fds : 0);
	sets.words = (sets.nr + BITS_PER_WORD - 1) / BITS_PER_WORD;
	size = sets.words * sizeof(u64);
	if (2 * NR_SETS * sets.words > INLINE_WORDS) {
		words = kmalloc(2 * NR_SETS * size, GFP_KERNEL);
		if (!words)
			return -ENOMEM;
	}
	memset(words, 0, 2 * NR_SETS * size);
	for (unsigned set = 0; set < NR_SETS; set++) {
		sets.asked[set] = words + set * sets.words;
		sets.found[set] = words + (NR_SETS + set) * sets.words;
		if (usets[set] && copy_from_user(sets.asked[set], usets[set], size))
			goto out;
	}
	ret = do_select(&sets, end);
	for (unsigned set = 0; set < NR_SETS && ret >= 0; set++)
		if (usets[set] && copy_to_user(usets[set], sets.found[set], size))
			ret = -EFAULT;
out:
	if (words != inline_words)
		kfree(words);
	return ret;
}

SYSCALL_DEFINE5(select, int, n, fd_set __user *, inp, fd_set __user *, outp, fd_set __user *, exp,
		struct __kernel_old_timeval __user *, tvp)
{
	fd_set __user *const usets[NR_SETS] = { inp, outp, exp };
	struct __kernel_old_timeval tv;
	ktime_t end = KTIME_MAX;
	long ret;

	if (tvp) {
		struct __kernel_timespec ts;

		if (copy_from_user(&tv, tvp, sizeof(tv)))
			return -EFAULT;
		ts.tv_sec = tv.tv_sec + tv.tv_usec / 1000000;
		ts.tv_nsec = tv.tv_usec % 1000000 * 1000;
		if (!timespec_valid(&ts))
			return -EINVAL;
		end = poll_end(timespec_to_ns(&ts));
	}
	ret = core_select(n, usets, end);
	if (!tvp)
		return ret;
	tv.tv_sec = (s64)(poll_time_left(end) / NSEC_PER_SEC);
	tv.tv_usec = (s64)(poll_time_left(end) % NSEC_PER_SEC / NSEC_PER_USEC);
	if (copy_to_user(tvp, &tv, sizeof(tv)) && ret == -ERESTARTNOHAND)
		ret = -EINTR;
	return ret;
}

/* The last argument of pselect6(2). */
struct sigset_argpack {
	const u64 __user *mask;
	size_t size;
};

SYSCALL_DEFINE6(pselect6, int, n, fd_set __user *, inp, fd_set __user *, outp, fd_set __user *, exp,
		struct __kernel_timespec __user *, tsp, void __user *, sig)
{
	fd_set __user *const usets[NR_SETS] = { inp, outp, exp };
	struct sigset_argpack pack = { 0 };
	ktime_t end;
	int err;

	if (sig && copy_from_user(&pack, sig, sizeof(pack)))
		return -EFAULT;
	err = poll_get_timeout(tsp, &end);
	if (!err)
		err = get_user_sigmask(pack.mask, pack.size);
	return err ? err : poll_finish(core_select(n, usets, end), end, tsp);
}
