/* truncate(2), ftruncate(2), lseek(2) with SEEK_DATA and SEEK_HOLE, holes, fallocate(2), RLIMIT_FSIZE. */
#include "abi.h"

static void size(int fd)
{
	struct stat st;

	fstat(fd, &st);
	show("size %ld blocks %ld", (long)st.st_size, (long)st.st_blocks);
}

static void limited(void)
{
	struct rlimit limit = { 8192, 8192 };
	char buf[5000] = "";
	int fd = open("limited", O_RDWR | O_CREAT, 0600);

	signal(SIGXFSZ, SIG_IGN);
	CALL(setrlimit(RLIMIT_FSIZE, &limit));
	CALL(write(fd, buf, 5000));
	CALL(write(fd, buf, 5000));
	CALL(write(fd, buf, 5000));
	CALL(ftruncate(fd, 8193));
	CALL(ftruncate(fd, 8192));
	signal(SIGXFSZ, SIG_DFL);
	write(fd, buf, 1);
}

int main(void)
{
	char buf[8192];
	int fd;

	CALL(fd = open("f", O_RDWR | O_CREAT, 0600));
	CALL(ftruncate(fd, 100000));
	size(fd);
	CALL(pread(fd, buf, 10, 50000));
	TRUTH(buf[0] == 0 && buf[9] == 0);
	CALL(pread(fd, buf, 100, 99990));
	CALL(pread(fd, buf, 100, 100000));
	CALL(pread(fd, buf, 100, 1L << 40));
	CALL(pwrite(fd, "data", 4, 40960));
	size(fd);
	CALL(lseek(fd, 0, SEEK_DATA));
	CALL(lseek(fd, 41000, SEEK_DATA));
	CALL(lseek(fd, 40960, SEEK_HOLE));
	CALL(lseek(fd, 0, SEEK_HOLE));
	CALL(lseek(fd, 50000, SEEK_DATA));
	CALL(lseek(fd, 100000, SEEK_HOLE));
	CALL(lseek(fd, 100000, SEEK_DATA));
	CALL(lseek(fd, -1, SEEK_SET));
	CALL(lseek(fd, 10, SEEK_END));
	CALL(write(fd, "end", 3));
	size(fd);
	CALL(lseek(fd, -200000, SEEK_CUR));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, 0, 99));
	CALL(lseek(99, 0, SEEK_SET));
	CALL(lseek(fd, 0x7fffffffffffffff, SEEK_SET));
	CALL(lseek(fd, 1, SEEK_CUR));
	CALL(pwrite(fd, "x", 1, -1));
	CALL(pread(fd, buf, 1, -1));
	CALL(ftruncate(fd, 40961));
	size(fd);
	CALL(ftruncate(fd, 50000));
	CALL(pread(fd, buf, 4, 40960));
	show("%d %d %d", buf[0], buf[1], buf[3]);
	CALL(ftruncate(fd, -1));
	CALL(truncate("f", 5));
	size(fd);
	CALL(truncate("absent", 5));
	CALL(truncate(".", 5));
	CALL(truncate("f", -1));
	CALL(close(fd));
	CALL(fd = open("f", O_RDONLY));
	CALL(ftruncate(fd, 0));
	CALL(close(fd));
	CALL(ftruncate(99, 0));

	CALL(fd = open("f", O_RDWR));
	CALL(fallocate(fd, 0, 0, 20000));
	size(fd);
	CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 20000, 20000));
	TRUTH(lseek(fd, 0, SEEK_END) == 20000);
	memset(buf, 'x', sizeof(buf));
	CALL(pwrite(fd, buf, 8192, 0));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 100, 5000));
	CALL(pread(fd, buf, 8192, 0));
	show("%d %d %d %d", buf[99], buf[100], buf[5099], buf[5100]);
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE, 0, 100));
	CALL(fallocate(fd, 0, 0, 0));
	CALL(fallocate(fd, 0, -1, 10));
	CHILD(limited);
	return 0;
}
