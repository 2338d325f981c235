/* IN_EXCL_UNLINK: a watched directory is not told of files that have left it. */
#include "inotify.h"

static void watch(const char *name, uint32_t flags)
{
	int in = inotify_init1(IN_NONBLOCK), fd, dir;

	show("%s:", name);
	mkdir("d", 0755);
	mkdir("d/sub", 0755);
	fd = open("d/file", O_RDWR | O_CREAT, 0644);
	dir = open("d/sub", O_RDONLY | O_DIRECTORY);
	inotify_add_watch(in, "d", IN_ALL_EVENTS | flags);
	write(fd, "x", 1);
	events("  written", in);
	unlink("d/file");
	events("  removed", in);
	write(fd, "y", 1);
	pread(fd, (char[1]){ 0 }, 1, 0);
	fchmod(fd, 0600);
	events("  used when removed", in);
	close(fd);
	events("  closed", in);
	rmdir("d/sub");
	events("  directory removed", in);
	close(dir);
	events("  directory closed", in);

	fd = open("d/one", O_RDWR | O_CREAT, 0644);
	link("d/one", "d/two");
	events("  linked", in);
	unlink("d/one");
	events("  one name removed", in);
	write(fd, "z", 1);
	close(fd);
	events("  used", in);
	fd = open("d/two", O_RDWR);
	rename("d/two", "elsewhere");
	events("  moved away", in);
	write(fd, "z", 1);
	close(fd);
	events("  used elsewhere", in);
	close(in);
	unlink("elsewhere");
	rmdir("d");
}

int main(void)
{
	watch("without", 0);
	watch("with IN_EXCL_UNLINK", IN_EXCL_UNLINK);
	return 0;
}
