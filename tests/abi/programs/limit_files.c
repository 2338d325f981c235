/* fs.file-max: no more files for a user, in each call that makes one; a task with CAP_SYS_ADMIN gets one all the same. */
#include "user_limits.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>

static int listener, client;

static void no_more(void)
{
	int p[2];
	sigset_t set;

	sigemptyset(&set);
	CALL(open("/", O_RDONLY));
	CALL(open("/", O_PATH));
	CALL(open("new", O_CREAT | O_RDWR, 0600));
	CALL(access("new", F_OK));
	CALL(pipe(p));
	CALL(socket(AF_UNIX, SOCK_STREAM, 0));
	CALL(socketpair(AF_UNIX, SOCK_STREAM, 0, p));
	CALL(accept(listener, NULL, NULL));
	CALL(epoll_create1(0));
	CALL(eventfd(0, 0));
	CALL(timerfd_create(CLOCK_MONOTONIC, 0));
	CALL(signalfd(-1, &set, 0));
	CALL(inotify_init());
	CALL(syscall(SYS_memfd_create, "m", 0));
	CALL(dup(0));
	CALL(close(3));
	CALL(chdir("/"));
}

static void one(void)
{
	OK(open("/", O_RDONLY));
}

int main(void)
{
	long most = sysctl_get("fs/file-max");
	struct { short family; char name[8]; } name = { AF_UNIX, "s" };

	chmod(".", 0777);
	TRUTH(most >= 8192);
	listener = socket(AF_UNIX, SOCK_STREAM, 0);
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	bind(listener, (void *)&name, sizeof(name));
	listen(listener, 5);
	connect(client, (void *)&name, sizeof(name));
	open("/", O_RDONLY);
	CALL(sysctl_set("fs/file-max", 0));
	as_user(1000, no_more);
	show("root");
	one();
	CALL(sysctl_get("fs/file-max"));
	CALL(sysctl_set("fs/file-max", most));
	as_user(1000, one);
	return 0;
}
