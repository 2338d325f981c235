/* rename(2) and renameat2(2): directories into themselves, full directories, exchange, no replacement. */
#include "abi.h"

#define rename2(from, to, flags) syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags)

static void kind(const char *name)
{
	struct stat st;

	if (lstat(name, &st))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %o, links %ld, size %ld", name, st.st_mode >> 12, (long)st.st_nlink, S_ISDIR(st.st_mode) ? 0L : (long)st.st_size);
}

int main(void)
{
	int fd = open("f", O_CREAT | O_WRONLY, 0644);

	write(fd, "abc", 3);
	mkdir("d", 0755);
	mkdir("d/sub", 0755);
	mkdir("empty", 0755);
	symlink("f", "l");
	link("f", "hard");
	CALL(rename("d", "d/sub/new"));
	CALL(rename("d", "d"));
	CALL(rename("d/sub", "d"));
	CALL(rename("empty", "d"));
	CALL(rename("d", "empty"));
	kind("empty");
	kind("empty/sub");
	CALL(rename("f", "empty"));
	CALL(rename("empty", "f"));
	CALL(rename("f", "hard"));
	kind("f");
	kind("hard");
	CALL(rename("l", "l2"));
	kind("l2");
	CALL(rename("f", "l2"));
	kind("l2");
	CALL(rename("missing", "x"));
	CALL(rename("hard", "no/x"));
	CALL(rename("hard", "l2/x"));
	CALL(rename("hard", "x/"));
	CALL(rename("empty", "dir/"));
	CALL(rename("dir/.", "x"));
	CALL(rename("dir", "dir/.."));
	CALL(rename2("hard", "l2", 1));
	CALL(rename2("hard", "fresh", 1));
	CALL(rename2("fresh", "dir", 2));
	kind("fresh");
	kind("dir");
	CALL(rename2("fresh", "missing", 2));
	CALL(rename2("fresh", "fresh/sub", 2));
	CALL(rename2("fresh", "x", 2 | 1));
	CALL(rename2("fresh", "x", 8));
	return 0;
}
