/* Reading events: small buffers, FIONREAD, poll, a reader that sleeps, an open file without a name. */
#include "inotify.h"

int main(void)
{
	int in = inotify_init(), n = -1, fd, status;
	char buf[256];
	struct pollfd p = { in, POLLIN, 0 };
	pid_t pid;

	mkdir("d", 0755);
	inotify_add_watch(in, "d", IN_CREATE | IN_DELETE);
	CALL(ioctl(in, FIONREAD, &n));
	show("waiting %d", n);
	CALL(poll(&p, 1, 0));
	mkdir("d/a", 0755);
	mkdir("d/a-name-of-more-than-16-bytes", 0755);
	CALL(ioctl(in, FIONREAD, &n));
	show("waiting %d", n);
	CALL(poll(&p, 1, 0));
	CALL(read(in, buf, 16));
	CALL(read(in, buf, 31));
	CALL(read(in, buf, 40));
	CALL(read(in, buf, 256));
	CALL(write(in, buf, 4));
	CALL(lseek(in, 0, SEEK_SET));
	pid = fork();
	if (!pid) {
		usleep(50000);
		rmdir("d/a");
		_exit(0);
	}
	CALL(read(in, buf, 256));
	waitpid(pid, &status, 0);
	fcntl(in, F_SETFL, O_NONBLOCK);
	fd = open("f", O_CREAT | O_RDWR, 0644);
	CALL(inotify_add_watch(in, "f", IN_ALL_EVENTS));
	unlink("f");
	events("the file is open", in);
	write(fd, "x", 1);
	close(fd);
	events("closed", in);
	return 0;
}
