/* Events of a directory that is watched: names come, go and change; files are used. */
#include "inotify.h"

int main(void)
{
	int in = OK(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), fd;
	char buf[8];

	mkdir("d", 0755);
	CALL(inotify_add_watch(in, "d", IN_ALL_EVENTS));
	events("nothing", in);
	fd = open("d/f", O_CREAT | O_RDWR, 0644);
	write(fd, "12345", 5);
	events("create, write", in);
	write(fd, "1", 1);
	write(fd, "2", 1);
	lseek(fd, 0, SEEK_SET);
	read(fd, buf, 1);
	read(fd, buf, 0);
	ftruncate(fd, 2);
	fchmod(fd, 0600);
	close(fd);
	events("use", in);
	close(open("d/f", O_RDONLY));
	chmod("d/f", 0644);
	chown("d/f", 1, 1);
	utimensat(AT_FDCWD, "d/f", NULL, 0);
	truncate("d/f", 1);
	events("by name", in);
	mkdir("d/sub", 0755);
	symlink("x", "d/link");
	mknod("d/fifo", S_IFIFO | 0644, 0);
	link("d/f", "d/hard");
	events("other kinds", in);
	unlink("d/hard");
	unlink("d/link");
	unlink("d/fifo");
	rmdir("d/sub");
	unlink("d/f");
	events("removal", in);
	chmod("d", 0700);
	rmdir("d");
	events("the directory itself", in);
	return 0;
}
