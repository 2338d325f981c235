/* mkdirat, mknodat, symlinkat, renameat, linkat, unlinkat: directories by descriptor, and errors. */
#include "abi.h"

static void there(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: %o links %ld", name, st.st_mode, (long)st.st_nlink);
}

int main(void)
{
	int a, b, file;

	mkdir("a", 0755);
	mkdir("b", 0755);
	a = open("a", O_RDONLY);
	b = open("b", O_PATH);
	file = open("file", O_CREAT | O_RDWR, 0644);
	CALL(mkdirat(a, "dir", 0777));
	there(a, "dir");
	CALL(mkdirat(b, "dir", 01777));
	there(b, "dir");
	CALL(mkdirat(file, "dir", 0777));
	CALL(mkdirat(99, "dir", 0777));
	CALL(mkdirat(99, "/tmp", 0777));
	CALL(mkdirat(a, "", 0777));
	CALL(mkdirat(a, "dir/", 0777));
	CALL(mkdirat(a, "new/", 0777));
	CALL(mkdirat(a, "no/new", 0777));
	CALL(mknodat(a, "reg", S_IFREG | 0666, 0));
	there(a, "reg");
	CALL(mknodat(a, "plain", 0600, 0));
	there(a, "plain");
	CALL(mknodat(a, "fifo", S_IFIFO | 0666, 0));
	there(a, "fifo");
	CALL(mknodat(a, "sock", S_IFSOCK | 0666, 0));
	there(a, "sock");
	CALL(mknodat(a, "dir2", S_IFDIR | 0777, 0));
	CALL(mknodat(a, "odd", 0150000, 0));
	CALL(mknodat(a, "reg", S_IFREG | 0666, 0));
	CALL(symlinkat("reg", a, "link"));
	there(a, "link");
	CALL(symlinkat("", a, "empty"));
	CALL(symlinkat("reg", a, "link"));
	CALL(symlinkat("reg", file, "link"));
	CALL(linkat(a, "reg", b, "hard", 0));
	there(b, "hard");
	CALL(linkat(a, "link", b, "soft", 0));
	there(b, "soft");
	CALL(linkat(a, "link", b, "followed", AT_SYMLINK_FOLLOW));
	there(b, "followed");
	CALL(linkat(a, "reg", b, "x", 1));
	CALL(linkat(a, "dir", b, "x", 0));
	CALL(linkat(a, "reg", b, "hard", 0));
	CALL(renameat(a, "reg", b, "renamed"));
	there(a, "reg");
	there(b, "renamed");
	CALL(renameat(a, "dir", b, "renamed"));
	CALL(renameat(b, "renamed", a, "dir"));
	CALL(renameat(b, "hard", b, "renamed"));
	there(b, "hard");
	CALL(unlinkat(a, "dir", 0));
	CALL(unlinkat(a, "dir", AT_REMOVEDIR));
	CALL(unlinkat(b, "hard", AT_REMOVEDIR));
	CALL(unlinkat(b, "hard", 1));
	CALL(unlinkat(b, "hard", 0));
	CALL(unlinkat(b, "hard", 0));
	CALL(unlinkat(a, ".", AT_REMOVEDIR));
	CALL(unlinkat(a, "..", AT_REMOVEDIR));
	return 0;
}
