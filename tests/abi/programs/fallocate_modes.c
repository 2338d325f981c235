/* fallocate(2): sizes, holes, what tmpfs cannot do, and errors. */
#include "abi.h"

#include <sys/mount.h>
#include <sys/vfs.h>

static void state(int fd)
{
	struct stat st;

	fstat(fd, &st);
	show("size %ld blocks %ld", (long)st.st_size, (long)st.st_blocks);
}

/* A request for which there is not enough room takes none of it. */
static void too_little_room(void)
{
	int some, more;
	char byte = 0;
	struct statfs fs;

	mkdir("small", 0755);
	CALL(mount("none", "small", "tmpfs", 0, "size=32k"));
	some = open("small/some", O_RDWR | O_CREAT, 0644);
	more = open("small/more", O_RDWR | O_CREAT, 0644);
	CALL(fallocate(some, 0, 0, 4 * 4096));
	pwrite(more, "x", 1, 4096);
	CALL(fallocate(more, 0, 0, 6 * 4096));
	state(more);
	fstatfs(more, &fs);
	show("free: %ld", (long)fs.f_bfree);
	CALL(pread(more, &byte, 1, 4096));
	show("%c", byte);
	CALL(fallocate(more, 0, 0, 4 * 4096));
	state(more);
	CALL(fallocate(more, 0, 0, 9 * 4096));
	state(more);
	CALL(fallocate(more, 0, 4096, 5 * 4096));
	state(more);
	close(some);
	close(more);
	CALL(umount2("small", 0));
}

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644), p[2];
	char b[2] = { 0 };

	pipe(p);
	CALL(fallocate(fd, 0, 0, 10000));
	state(fd);
	CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 8192, 8192));
	state(fd);
	CALL(pwrite(fd, "xy", 2, 4096));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 4096, 4096));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096));
	state(fd);
	CALL(pread(fd, b, 2, 4096));
	show("%d %d", b[0], b[1]);
	CALL(pwrite(fd, "abcd", 4, 0));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 1, 2));
	CALL(pread(fd, b, 2, 0));
	show("%d %d", b[0], b[1]);
	CALL(fallocate(fd, 8, 0, 4096));
	CALL(fallocate(fd, 0x10, 0, 4096));
	CALL(fallocate(fd, 0x20, 0, 4096));
	CALL(fallocate(fd, 0x100, 0, 4096));
	CALL(fallocate(fd, 0, -1, 10));
	CALL(fallocate(fd, 0, 0, 0));
	CALL(fallocate(fd, 0, 0, -1));
	CALL(fallocate(fd, 0, INT64_MAX, 1));
	CALL(fallocate(p[1], 0, 0, 1));
	CALL(fallocate(open("f", O_RDONLY), 0, 0, 1));
	CALL(fallocate(open(".", O_RDONLY), 0, 0, 1));
	CALL(fallocate(open("/dev/null", O_WRONLY), 0, 0, 1));
	CALL(fallocate(99, 0, 0, 1));
	too_little_room();
	return 0;
}
