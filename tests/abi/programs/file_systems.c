/* statfs(2) and fstatfs(2): the types of the file systems, and errors. */
#include "abi.h"

#include <sys/statfs.h>

static void about(const char *path)
{
	struct statfs s;

	memset(&s, 0x55, sizeof(s));
	if (statfs(path, &s)) {
		show("%s: %s", path, error_name(errno));
		return;
	}
	show("%s: type %lx, block %ld, fragment %ld, name %ld, blocks %s, free %s, files %s", path, (long)s.f_type,
	     (long)s.f_bsize, (long)s.f_frsize, (long)s.f_namelen, s.f_blocks ? "yes" : "no",
	     s.f_bfree ? "yes" : "no", s.f_files ? "yes" : "no");
	show("%s: consistent %d", path, s.f_bavail <= s.f_bfree && s.f_bfree <= s.f_blocks && s.f_ffree <= s.f_files);
}

int main(void)
{
	struct statfs s, t;
	int fd, p[2];

	about("/tmp");
	about(".");
	about("/proc");
	about("/proc/self/stat");
	about("/sys");
	about("/dev/pts");
	about("missing");
	about("");
	about("/dev/null/x");
	fd = open("f", O_RDWR | O_CREAT, 0644);
	CALL(fstatfs(fd, &s));
	statfs(".", &t);
	TRUTH(s.f_type == t.f_type && s.f_bsize == t.f_bsize && s.f_blocks == t.f_blocks);
	CALL(ftruncate(fd, 1 << 20));
	fstatfs(fd, &t);
	TRUTH(t.f_bfree == s.f_bfree);
	static char data[1 << 20];
	CALL(write(fd, data, sizeof(data)));
	fstatfs(fd, &t);
	show("blocks %ld files %ld", (long)(s.f_bfree - t.f_bfree), (long)(s.f_ffree - t.f_ffree));
	pipe(p);
	CALL(fstatfs(p[0], &s));
	show("type %lx", (long)s.f_type);
	CALL(fstatfs(99, &s));
	CALL(fstatfs(open("f", O_PATH), &s));
	CALL(syscall(SYS_statfs, ".", 8));
	CALL(syscall(SYS_fstatfs, fd, 8));
	return 0;
}
