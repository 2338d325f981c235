/* lseek(2): SEEK_DATA and SEEK_HOLE of a sparse file, and what can and cannot be sought. */
#include "abi.h"
#include <sys/socket.h>

#define K 1024L

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644), p[2], s[2];

	CALL(lseek(fd, 0, SEEK_DATA));
	CALL(lseek(fd, 0, SEEK_HOLE));
	ftruncate(fd, 64 * K);
	CALL(lseek(fd, 0, SEEK_DATA));
	CALL(lseek(fd, 0, SEEK_HOLE));
	pwrite(fd, "x", 1, 16 * K + 5);
	pwrite(fd, "x", 1, 40 * K);
	for (long at = 0; at <= 64 * K; at += 8 * K) {
		long data = lseek(fd, at, SEEK_DATA);
		int error = data < 0 ? errno : 0;
		long hole = lseek(fd, at, SEEK_HOLE);

		show("%ldK: data %ld %s hole %ld", at / K, data, error ? error_name(error) : "-", hole);
	}
	CALL(lseek(fd, 16 * K + 7, SEEK_DATA));
	CALL(lseek(fd, 16 * K + 7, SEEK_HOLE));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 16 * K, 4 * K));
	CALL(lseek(fd, 0, SEEK_DATA));
	ftruncate(fd, 40 * K + 1);
	CALL(lseek(fd, 40 * K, SEEK_HOLE));
	CALL(lseek(fd, 40 * K + 1, SEEK_HOLE));
	CALL(lseek(fd, -1, SEEK_DATA));
	CALL(lseek(fd, -1, SEEK_HOLE));

	CALL(lseek(fd, 100, SEEK_SET));
	CALL(lseek(fd, -101, SEEK_CUR));
	CALL(lseek(fd, 10, SEEK_END));
	CALL(lseek(fd, -50 * K, SEEK_END));
	CALL(lseek(fd, INT64_MAX, SEEK_SET));
	CALL(lseek(fd, 1, SEEK_CUR));
	CALL(lseek(fd, 0, 9));
	CALL(lseek(fd, 0, -1));
	CALL(lseek(99, 0, SEEK_SET));
	pipe(p);
	CALL(lseek(p[0], 0, SEEK_SET));
	socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	CALL(lseek(s[0], 0, SEEK_CUR));
	CALL(lseek(open("/dev/null", O_RDONLY), 5, SEEK_SET));
	CALL(lseek(open("/dev/zero", O_RDONLY), 5, SEEK_END));
	CALL(lseek(open("/dev/zero", O_RDONLY), 5, SEEK_SET));
	CALL(lseek(open("/proc/self/status", O_RDONLY), 5, SEEK_SET));
	CALL(lseek(open("/proc/self/status", O_RDONLY), 0, SEEK_END));
	CALL(lseek(open("f", O_PATH), 0, SEEK_SET));
	CALL(lseek(open(".", O_RDONLY), 0, SEEK_SET));
	return 0;
}
