/* posix_fadvise(2), readahead(2) and sync_file_range(2): which files and values they take. */
#include "abi.h"

#define advise(fd, offset, len, how) syscall(SYS_fadvise64, fd, offset, len, how)
#define ahead(fd, offset, len)       syscall(SYS_readahead, fd, offset, len)
#define range(fd, offset, n, flags)  syscall(SYS_sync_file_range, fd, offset, n, flags)

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644), p[2], dir = open(".", O_RDONLY);
	char data[5000] = "abc";

	pipe(p);
	write(fd, data, sizeof(data));
	for (int how = -1; how <= 6; how++)
		show("advice %d: %ld", how, advise(fd, 0L, 0L, how));
	CALL(advise(fd, 100L, 100L, POSIX_FADV_DONTNEED));
	CALL(advise(fd, 0L, -1L, POSIX_FADV_WILLNEED));
	CALL(advise(fd, 1L << 40, 10L, POSIX_FADV_WILLNEED));
	CALL(advise(p[0], 0L, 0L, POSIX_FADV_NORMAL));
	CALL(advise(99, 0L, 0L, POSIX_FADV_NORMAL));
	CALL(advise(dir, 0L, 0L, POSIX_FADV_NORMAL));
	CALL(ahead(p[0], 0L, 100L));
	CALL(ahead(99, 0L, 100L));
	CALL(ahead(p[1], 0L, 100L));
	CALL(range(fd, 0L, 0L, 7));
	CALL(range(fd, 0L, 0L, 8));
	CALL(range(fd, -1L, 0L, 1));
	CALL(range(fd, 0L, -1L, 1));
	CALL(range(fd, 1L, INT64_MAX, 1));
	CALL(range(p[0], 0L, 0L, 1));
	CALL(range(99, 0L, 0L, 1));
	memset(data, 0, sizeof(data));
	CALL(pread(fd, data, 4, 0));
	show("%s", data);
	return 0;
}
