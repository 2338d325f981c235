/* Self-tests of epoll: how many items may be in the wait queue of one file. */
#include "fs/fdevents/eventpoll_internal.h"
#include "fs/file/file.h"
#include "fs/file/poll.h"
#include "fs/vfs/syscalls.h"
#include "selftest/selftest.h"

/* Adds file under the numbers from `from` on. Returns how many times, and the error of the last. */
static int add_until_refused(struct eventpoll *ep, struct file *file, int from, long *error)
{
	struct epoll_event event = { .events = POLLIN };
	int n = 0;

	while (n <= EPOLL_MAX_QUEUE) {
		*error = eventpoll_add(ep, file, from + n, &event);
		if (*error)
			break;
		n++;
	}
	return n;
}

/* The number under which epoll knows a file is any number: descriptors by dup() are not needed. */
static void fill(struct selftest *test, struct file *file, struct eventpoll *ep[2])
{
	struct user_struct *other = alloc_uid(54321);
	long error;

	ASSERT(ep[0] && ep[1] && other);
	EXPECT_EQ(add_until_refused(ep[0], file, 0, &error), EPOLL_MAX_QUEUE);
	EXPECT_EQ(error, -ENOSPC);
	/* Neither does another epoll of the same user get more, until an item has gone. */
	EXPECT_EQ(add_until_refused(ep[1], file, 0, &error), 0);
	EXPECT_EQ(error, -ENOSPC);
	EXPECT_EQ(eventpoll_remove(ep[0], file, 7), 0);
	EXPECT_EQ(add_until_refused(ep[1], file, 0, &error), 1);
	/* Another user does. */
	EXPECT_EQ(eventpoll_remove(ep[1], file, 0), 0);
	put_user_struct(ep[1]->user);
	ep[1]->user = other;
	EXPECT_EQ(add_until_refused(ep[1], file, 0, &error), EPOLL_MAX_QUEUE);
}

SELFTEST(epoll, a_user_has_a_limited_number_of_items_in_a_queue)
{
	int epfd[2] = { eventpoll_create(0), eventpoll_create(0) }, pipe[2];
	struct file *files[3];
	struct eventpoll *ep[2];

	ASSERT(epfd[0] >= 0 && epfd[1] >= 0 && sys_pipe(pipe) == 0);
	files[0] = fget((unsigned)epfd[0]);
	files[1] = fget((unsigned)epfd[1]);
	files[2] = fget((unsigned)pipe[0]);
	ASSERT(files[0] && files[1] && files[2]);
	ep[0] = file_eventpoll(files[0]);
	ep[1] = file_eventpoll(files[1]);
	fill(test, files[2], ep);
	for (int i = 0; i < 3; i++)
		fput(files[i]);
	for (int i = 0; i < 2; i++) {
		sys_close(epfd[i]);
		sys_close(pipe[i]);
	}
}
