/* lseek(2): SEEK_DATA and SEEK_HOLE in a sparse file, and positions that do not exist. */
#include "abi.h"

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644), p[2], dir = open(".", O_RDONLY);

	pipe(p);
	pwrite(fd, "a", 1, 8192);
	pwrite(fd, "b", 1, 40960);
	ftruncate(fd, 100000);
	CALL(lseek(fd, 0, SEEK_DATA));
	CALL(lseek(fd, 0, SEEK_HOLE));
	CALL(lseek(fd, 8192, SEEK_HOLE));
	CALL(lseek(fd, 8200, SEEK_DATA));
	CALL(lseek(fd, 12288, SEEK_DATA));
	CALL(lseek(fd, 40960, SEEK_HOLE));
	CALL(lseek(fd, 45056, SEEK_DATA));
	CALL(lseek(fd, 99999, SEEK_HOLE));
	CALL(lseek(fd, 100000, SEEK_HOLE));
	CALL(lseek(fd, -1, SEEK_DATA));
	CALL(lseek(fd, 0, 5));
	CALL(lseek(fd, -1, SEEK_SET));
	CALL(lseek(fd, -100001, SEEK_END));
	CALL(lseek(fd, 5, SEEK_END));
	CALL(lseek(fd, -100006, SEEK_CUR));
	CALL(lseek(fd, INT64_MAX, SEEK_SET) == INT64_MAX);
	CALL(lseek(fd, 1, SEEK_CUR));
	CALL(lseek(p[0], 0, SEEK_SET));
	CALL(lseek(99, 0, SEEK_SET));
	CALL(lseek(open("/dev/null", O_RDONLY), 100, SEEK_SET));
	CALL(lseek(dir, 0, SEEK_SET));
	CALL(lseek(open("f", O_PATH), 0, SEEK_SET));
	return 0;
}
