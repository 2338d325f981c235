/* Modes, owners and times; access. */
#include "abi.h"

#include <sys/stat.h>
#include <sys/syscall.h>

int main(void)
{
	struct stat st;
	int fd;

	OK(fd = open("f", O_RDWR | O_CREAT, 0644));
	OK(symlink("f", "s"));
	CALL(chmod("f", 07777));
	CALL(stat("f", &st));
	show("mode %o", st.st_mode);
	CALL(write(fd, "a", 1));
	CALL(stat("f", &st));
	show("mode %o", st.st_mode);
	CALL(chown("f", 5, 6));
	CALL(stat("f", &st));
	show("mode %o %d %d", st.st_mode, st.st_uid, st.st_gid);
	CALL(chown("nope", 1, 1));
	CALL(fchmod(99, 1));
	CALL(fchownat(-100, "s", 7, 8, AT_SYMLINK_NOFOLLOW));
	CALL(lstat("s", &st));
	show("%d", st.st_uid);
	CALL(fchmodat(-100, "nope", 1, 0));
	{
		struct timespec ts[2] = { { 1, 2 }, { 3, 4 } };
		CALL(utimensat(-100, "f", ts, 0));
		CALL(stat("f", &st));
		show("%ld.%ld %ld.%ld", (long)st.st_atim.tv_sec, st.st_atim.tv_nsec,
		     (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
		ts[0].tv_nsec = 2000000000;
		CALL(utimensat(-100, "f", ts, 0));
		ts[0].tv_nsec = UTIME_OMIT;
		ts[1].tv_nsec = UTIME_OMIT;
		CALL(utimensat(-100, "nope", ts, 0));
		CALL(futimens(fd, NULL));
	}
	CALL(access("f", R_OK | W_OK | X_OK));
	CALL(access("nope", F_OK));
	CALL(access("f", 99));
	CALL(syscall(439, -100, "f", 0, 0x9999));
	/* All tasks share it: nobody changes it. */
	CALL(chmod("/proc/self/ns/mnt", 0600));
	CALL(chown("/proc/self/ns/mnt", 1, 1));
	CALL(utimensat(-100, "/proc/self/ns/mnt", NULL, 0));
	CALL(open("/proc/self/ns/mnt", O_RDWR));
	return 0;
}
