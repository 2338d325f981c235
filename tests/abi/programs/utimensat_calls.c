/* utimensat(2) and its kin: UTIME_NOW, UTIME_OMIT, links, who may, errors. */
#include "abi.h"
#include <utime.h>

static void times_of(const char *name)
{
	struct stat st;

	lstat(name, &st);
	show("%s: access %ld.%09ld, change of content %ld.%09ld", name,
	     st.st_atim.tv_sec > 1000000000 ? -1L : (long)st.st_atim.tv_sec, st.st_atim.tv_sec > 1000000000 ? 0 : st.st_atim.tv_nsec,
	     st.st_mtim.tv_sec > 1000000000 ? -1L : (long)st.st_mtim.tv_sec, st.st_mtim.tv_sec > 1000000000 ? 0 : st.st_mtim.tv_nsec);
}

#define SET(dir, name, times, flags) \
	report("utimensat(" #dir ", " #name ", " #times ", " #flags ")", syscall(SYS_utimensat, dir, name, times, flags))

static struct timespec both[2] = { { 1000, 1 }, { 2000, 999999999 } }, now[2] = { { 5, UTIME_NOW }, { 5, UTIME_NOW } },
		       omit[2] = { { 1, UTIME_OMIT }, { 1, UTIME_OMIT } }, mixed[2] = { { 3000, 0 }, { 1, UTIME_OMIT } },
		       bad[2] = { { 1, 1000000000 }, { 1, 0 } }, negative[2] = { { -5, 0 }, { 7, 0 } };

static void as_user(void)
{
	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	SET(AT_FDCWD, "writable", both, 0);
	SET(AT_FDCWD, "writable", now, 0);
	SET(AT_FDCWD, "writable", NULL, 0);
	SET(AT_FDCWD, "writable", mixed, 0);
	SET(AT_FDCWD, "writable", omit, 0);
	SET(AT_FDCWD, "f", both, 0);
	SET(AT_FDCWD, "f", NULL, 0);
	SET(AT_FDCWD, "f", omit, 0);
	SET(AT_FDCWD, "own", both, 0);
}

int main(void)
{
	struct utimbuf old = { 11, 22 };
	struct timeval tv[2] = { { 33, 5 }, { 44, 6 } }, bad_tv[2] = { { 1, 1000000 }, { 1, 0 } };
	struct stat a, b;
	int fd;

	umask(0);
	close(open("f", O_CREAT, 0644));
	close(open("writable", O_CREAT, 0666));
	close(open("own", O_CREAT, 0400));
	chown("own", 1000, 1000);
	symlink("f", "link");
	SET(AT_FDCWD, "f", both, 0);
	times_of("f");
	SET(AT_FDCWD, "f", omit, 0);
	SET(AT_FDCWD, "f", mixed, 0);
	times_of("f");
	SET(AT_FDCWD, "link", both, AT_SYMLINK_NOFOLLOW);
	times_of("link");
	times_of("f");
	SET(AT_FDCWD, "link", negative, 0);
	times_of("f");
	SET(AT_FDCWD, "f", now, 0);
	times_of("f");
	stat("f", &a);
	TRUTH(a.st_atim.tv_sec == a.st_mtim.tv_sec && a.st_atim.tv_nsec == a.st_mtim.tv_nsec);
	usleep(20000);
	SET(AT_FDCWD, "f", both, 0);
	stat("f", &b);
	TRUTH(b.st_ctim.tv_sec * 1000000000 + b.st_ctim.tv_nsec > a.st_ctim.tv_sec * 1000000000 + a.st_ctim.tv_nsec);
	SET(AT_FDCWD, "f", bad, 0);
	SET(AT_FDCWD, "f", both, 1);
	SET(AT_FDCWD, "none", both, 0);
	SET(AT_FDCWD, "none", omit, 0);
	SET(AT_FDCWD, "", both, 0);
	SET(AT_FDCWD, "f/x", both, 0);
	SET(99, "f", both, 0);
	SET(AT_FDCWD, "f", (void *)8, 0);
	SET(AT_FDCWD, (void *)8, both, 0);

	/* By descriptor: also one that is open for reading only. */
	fd = open("f", O_RDONLY);
	SET(fd, NULL, both, 0);
	SET(fd, NULL, both, AT_SYMLINK_NOFOLLOW);
	SET(fd, "", both, AT_EMPTY_PATH);
	fd = open("f", O_PATH);
	SET(fd, NULL, both, 0);
	SET(fd, "", both, AT_EMPTY_PATH);
	SET(AT_FDCWD, NULL, both, 0);

	CALL(syscall(SYS_utime, "f", &old));
	times_of("f");
	CALL(syscall(SYS_utimes, "f", tv));
	times_of("f");
	CALL(syscall(SYS_utimes, "f", bad_tv));
	CALL(syscall(SYS_futimesat, AT_FDCWD, "f", NULL));
	times_of("f");
	CHILD(as_user);
	times_of("own");
	return 0;
}
