/* utime(2), utimes(2) and futimesat(2): the old calls that set the times of a file. */
#include "abi.h"

#include <utime.h>

static void times_of(const char *path)
{
	struct stat st;

	lstat(path, &st);
	show("%s: %ld.%09ld %ld.%09ld", path, (long)st.st_atim.tv_sec, st.st_atim.tv_nsec, (long)st.st_mtim.tv_sec,
	     st.st_mtim.tv_nsec);
}

static bool recent(const char *path)
{
	struct stat st;

	stat(path, &st);
	return st.st_atime == st.st_mtime && labs((long)(time(NULL) - st.st_mtime)) < 30;
}

static void nobody(void)
{
	struct utimbuf old = { 5, 6 };

	setuid(65534);
	CALL(utime("f", &old));
	CALL(utime("f", NULL));
	CALL(utime("g", &old));
	CALL(utime("g", NULL));
}

int main(void)
{
	struct utimbuf old = { 1000, 2000 };
	struct timeval tv[2] = { { 11, 222222 }, { 33, 999999 } }, bad[2] = { { 1, 1000000 }, { 1, 0 } };
	struct timeval negative[2] = { { -5, 0 }, { -6, 500000 } };

	chmod(".", 0755);
	close(open("f", O_CREAT | O_WRONLY, 0644));
	close(open("g", O_CREAT | O_WRONLY, 0666));
	chmod("g", 0666);
	symlink("f", "l");
	CALL(syscall(SYS_utime, "f", &old));
	times_of("f");
	CALL(syscall(SYS_utimes, "f", tv));
	times_of("f");
	CALL(syscall(SYS_utimes, "f", bad));
	CALL(syscall(SYS_utimes, "f", negative));
	times_of("f");
	CALL(syscall(SYS_futimesat, AT_FDCWD, "l", tv));
	times_of("f");
	CALL(syscall(SYS_futimesat, open("f", O_RDONLY), NULL, NULL));
	TRUTH(recent("f"));
	CALL(syscall(SYS_utime, "l", &old));
	times_of("f");
	CALL(syscall(SYS_utime, "f", NULL));
	TRUTH(recent("f"));
	CALL(syscall(SYS_utime, "missing", NULL));
	CALL(syscall(SYS_utime, "f", 8));
	CALL(syscall(SYS_utimes, "f", 8));
	CALL(syscall(SYS_futimesat, 99, "f", tv));
	CALL(syscall(SYS_futimesat, AT_FDCWD, NULL, tv));
	chown("f", 0, 0);
	CHILD(nobody);
	return 0;
}
