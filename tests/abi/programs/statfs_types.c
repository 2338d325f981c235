/* statfs(2): what each file system says it is, mount flags, errors. */
#include "abi.h"
#include <sys/statfs.h>

static void fs(const char *name)
{
	struct statfs s;

	if (statfs(name, &s))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: type %lx, block %ld %ld, names %ld, blocks %s, files %s", name, (unsigned long)s.f_type, (long)s.f_bsize,
		     (long)s.f_frsize, (long)s.f_namelen, s.f_blocks ? "yes" : "no", s.f_files ? "yes" : "no");
}

int main(void)
{
	struct statfs s, t;
	int fd = open("f", O_RDWR | O_CREAT, 0644), p[2];
	static char block[1 << 20];

	fs(".");
	fs("f");
	fs("/proc");
	fs("/proc/self/status");
	fs("/sys");
	fs("/dev/pts");
	fs("none");
	fs("f/x");
	fs("");
	CALL(fstatfs(fd, &s));
	TRUTH(s.f_bfree <= s.f_blocks && s.f_bavail <= s.f_bfree);
	write(fd, block, sizeof(block));
	CALL(fstatfs(fd, &t));
	TRUTH(s.f_bfree - t.f_bfree >= 256);
	TRUTH(s.f_ffree <= s.f_files);
	pipe(p);
	CALL(fstatfs(p[0], &s));
	show("type %lx", (unsigned long)s.f_type);
	CALL(fstatfs(open("f", O_PATH), &s));
	CALL(fstatfs(99, &s));
	CALL(syscall(SYS_statfs, "f", (void *)8));
	CALL(syscall(SYS_statfs, (void *)8, &s));
	show("flags of /proc %lx", (unsigned long)(statfs("/proc", &s) ? 0 : s.f_flags & 0xf));
	return 0;
}
