/* O_ASYNC on an inotify instance, and which files have it at all. */
#include "sigio.h"
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>

static void try(const char *name, int fd)
{
	int on = 1;
	long ret = ioctl(fd, FIOASYNC, &on);

	show("FIOASYNC on %s: %s", name, ret ? error_name(errno) : "0");
	ret = fcntl(fd, F_SETFL, O_ASYNC);
	show("O_ASYNC on %s: %s, %x", name, ret ? error_name(errno) : "0", fcntl(fd, F_GETFL) & O_ASYNC);
	close(fd);
}

int main(void)
{
	char buf[4096];
	sigset_t set;
	int fd, file;

	block_signals();
	mkdir("/tmp/sigio_inotify", 0700);
	fd = inotify_init1(IN_NONBLOCK);
	inotify_add_watch(fd, "/tmp/sigio_inotify", IN_CREATE | IN_MODIFY);
	fcntl(fd, F_SETOWN, getpid());
	fcntl(fd, F_SETSIG, SIGRTMIN + 3);
	CALL(fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC));
	pending("on", fd, -1);
	file = open("/tmp/sigio_inotify/a", O_RDWR | O_CREAT, 0600);
	pending("create", fd, -1);
	write(file, "x", 1);
	pending("write", fd, -1);
	write(file, "x", 1);
	pending("the same again", fd, -1);
	read(fd, buf, sizeof(buf));
	pending("read", fd, -1);
	close(file);
	unlink("/tmp/sigio_inotify/a");
	pending("not watched", fd, -1);
	rmdir("/tmp/sigio_inotify");
	pending("the watch ends", fd, -1);
	close(fd);

	sigemptyset(&set);
	try("eventfd", eventfd(0, 0));
	try("timerfd", timerfd_create(CLOCK_MONOTONIC, 0));
	try("signalfd", signalfd(-1, &set, 0));
	try("epoll", epoll_create1(0));
	try("a directory", open("/tmp", O_RDONLY));
	try("/dev/null", open("/dev/null", O_RDWR));
	try("/dev/urandom", open("/dev/urandom", O_RDONLY));
	try("/proc/stat", open("/proc/stat", O_RDONLY));
	return 0;
}
