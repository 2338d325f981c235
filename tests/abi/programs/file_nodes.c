/* mknod, and the lengths of files: truncate and fallocate. */
#include "abi.h"

#include <sys/stat.h>

int main(void)
{
	char b[100] = { 0 };
	struct stat st;
	int fd;

	OK(close(open("f", O_RDWR | O_CREAT, 0644)));
	CALL(mknod("fifo", S_IFIFO | 0644, 0));
	CALL(open("fifo", O_WRONLY | O_NONBLOCK));
	CALL(fd = open("fifo", O_RDONLY | O_NONBLOCK));
	CALL(read(fd, b, 1));
	CALL(lseek(fd, 0, 0));
	CALL(close(fd));
	CALL(mknod("sock", S_IFSOCK | 0644, 0));
	CALL(open("sock", O_RDONLY));
	CALL(mknod("blk", S_IFBLK | 0644, 0x7f7));
	CALL(mknod("dir", S_IFDIR, 0));
	CALL(mknod("reg", S_IFREG | 0600, 0));
	CALL(mknod("bad", 0170000, 0));
	CALL(truncate("f", -1));
	CALL(truncate("f", 5000));
	CALL(truncate("nope", 1));
	CALL(truncate(".", 1));
	CALL(truncate("fifo", 1));
	CALL(stat("f", &st));
	show("size %ld", (long)st.st_size);
	CALL(fd = open("f", O_RDONLY));
	CALL(ftruncate(fd, 1));
	CALL(write(fd, b, 1));
	CALL(fallocate(fd, 0, 0, 10));
	CALL(close(fd));
	CALL(fd = open("f", O_RDWR));
	CALL(fallocate(fd, 0, -1, 10));
	CALL(fallocate(fd, 0, 0, 0));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 10));
	CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 8000, 10));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 8192));
	CALL(fallocate(fd, 0x40, 0, 10));
	return 0;
}
