/* fsync(2), fdatasync(2), syncfs(2) and sync(2): which files can be written out. */
#include "abi.h"

int main(void)
{
	int fd = open("f", O_RDWR | O_CREAT, 0644), dir = open(".", O_RDONLY), p[2];
	int null = open("/dev/null", O_WRONLY), path = open("f", O_PATH), proc = open("/proc/self/stat", O_RDONLY);

	pipe(p);
	CALL(write(fd, "abc", 3));
	CALL(fsync(fd));
	CALL(fdatasync(fd));
	CALL(fsync(dir));
	CALL(fdatasync(dir));
	CALL(fsync(p[0]));
	CALL(fdatasync(p[1]));
	CALL(fsync(null));
	CALL(fsync(proc));
	CALL(fsync(path));
	CALL(fsync(-1));
	CALL(fdatasync(99));
	CALL(syncfs(fd));
	CALL(syncfs(dir));
	CALL(syncfs(p[0]));
	CALL(syncfs(path));
	CALL(syncfs(99));
	close(fd);
	fd = open("f", O_RDONLY);
	CALL(fsync(fd));
	CALL((sync(), 0));
	return 0;
}
