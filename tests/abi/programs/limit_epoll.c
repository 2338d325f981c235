/* fs.epoll.max_user_watches: the files that all epoll instances of a user watch (epoll(7)). */
#include "user_limits.h"

#include <sys/epoll.h>

static int ep[2], p[4][2], inherited;

static long add(int instance, int fd)
{
	struct epoll_event event = { .events = EPOLLIN };

	return epoll_ctl(instance, EPOLL_CTL_ADD, fd, &event);
}

static void watches(void)
{
	ep[0] = epoll_create1(0);
	ep[1] = epoll_create1(0);
	CALL(add(ep[0], p[0][0]));
	CALL(add(ep[0], p[1][0]));
	CALL(add(ep[1], p[0][0]));
	CALL(add(ep[1], p[1][0]));
	CALL(add(ep[0], p[2][0]));
	CALL(add(ep[0], p[0][0]));
	CALL(epoll_ctl(ep[0], EPOLL_CTL_DEL, p[0][0], NULL));
	CALL(add(ep[1], p[1][0]));
	CALL(add(ep[1], p[2][0]));
	close(ep[0]);
	CALL(add(ep[1], p[2][0]));
	CALL(add(ep[1], p[3][0]));
}

static void closed(void)
{
	int q[2];

	ep[0] = epoll_create1(0);
	pipe(q);
	CALL(add(ep[0], p[0][0]));
	CALL(add(ep[0], q[0]));
	CALL(add(ep[0], q[1]));
	CALL(add(ep[0], p[1][0]));
	close(q[0]);
	CALL(add(ep[0], p[1][0]));
	CALL(add(ep[0], p[2][0]));
}

/* The maker of an instance pays, whoever adds. */
static void of_root(void)
{
	ep[0] = epoll_create1(0);
	for (int i = 0; i < 3; i++)
		CALL(add(ep[0], p[i][0]));
	CALL(add(inherited, p[0][0]));
	CALL(add(inherited, p[1][0]));
	CALL(add(ep[0], p[3][0]));
}

int main(void)
{
	long most = sysctl_get("fs/epoll/max_user_watches");

	for (int i = 0; i < 4; i++)
		pipe(p[i]);
	TRUTH(most > 1000);
	CALL(sysctl_set("fs/epoll/max_user_watches", 3));
	as_user(1000, watches);
	show("closed");
	as_user(1000, closed);
	show("another user");
	inherited = epoll_create1(0);
	as_user(1000, of_root);
	show("root");
	CALL(add(inherited, p[2][0]));
	CALL(add(inherited, p[3][0]));
	close(inherited);
	CALL(sysctl_set("fs/epoll/max_user_watches", most));
	as_user(1000, closed);
	return 0;
}
