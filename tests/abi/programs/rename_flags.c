/* renameat2(2): RENAME_NOREPLACE, RENAME_EXCHANGE, and what rename(2) refuses. */
#include "abi.h"
#include <sys/sysmacros.h>

#define RENAME(from, to, flags) \
	report("rename(" #from ", " #to ", " #flags ")", syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, flags))

static void make(const char *name, const char *text)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_TRUNC, 0644);

	write(fd, text, strlen(text));
	close(fd);
}

static void what(const char *name)
{
	char buf[20] = "";
	struct stat st;
	int fd;

	if (lstat(name, &st)) {
		show("  %s: %s", name, error_name(errno));
	} else if (S_ISREG(st.st_mode)) {
		fd = open(name, O_RDONLY);
		read(fd, buf, 19);
		close(fd);
		show("  %s: file \"%s\", links %d", name, buf, (int)st.st_nlink);
	} else {
		show("  %s: mode %o, links %d, device %u", name, st.st_mode, (int)st.st_nlink, (unsigned)st.st_rdev);
	}
}

int main(void)
{
	char longer[300];

	make("a", "A");
	make("b", "B");
	mkdir("d", 0755);
	mkdir("d/sub", 0755);
	mkdir("empty", 0755);
	symlink("a", "link");
	RENAME("a", "b", 1);
	RENAME("a", "new", 1);
	RENAME("new", "a", 1);
	RENAME("link", "a", 1);
	RENAME("a", "b", 2);
	what("a");
	what("b");
	RENAME("a", "d", 2);
	what("a");
	what("d");
	RENAME("d", "a", 2);
	RENAME("a", "none", 2);
	RENAME("none", "a", 2);
	RENAME("a", "a", 2);
	RENAME("d", "d/sub", 2);
	RENAME("d/sub", "d", 2);
	RENAME("a", "d/sub/x", 2);
	RENAME("a", "b", 3);
	RENAME("a", "b", 6);
	RENAME("a", "b", 8);

	/* Plain rename. */
	RENAME("a", "d", 0);
	RENAME("d", "a", 0);
	RENAME("d", "empty", 0);
	what("empty");
	RENAME("empty", "d", 0);
	mkdir("empty", 0755);
	RENAME("empty", "d", 0);
	RENAME("d", "d/sub/x", 0);
	RENAME("d", "d", 0);
	RENAME("d/.", "e", 0);
	RENAME("d/..", "e", 0);
	RENAME("a", "d/..", 0);
	RENAME("a/", "e", 0);
	RENAME("a", "e/", 0);
	RENAME("d/", "e/", 0);
	what("e");
	RENAME("e", "d", 0);
	RENAME("a", "", 0);
	RENAME("", "a", 0);
	RENAME("a/x", "b", 0);
	RENAME("link", "b", 0);
	what("b");
	link("a", "hard");
	RENAME("a", "hard", 0);
	what("a");
	what("hard");
	RENAME("a", "/proc/x", 0);
	RENAME("/proc", "/proc2", 0);
	RENAME("/", "/x", 0);
	memset(longer, 'n', 255);
	longer[255] = '\0';
	RENAME("a", longer, 0);
	RENAME(longer, "a", 0);
	longer[255] = 'n';
	longer[256] = '\0';
	RENAME("a", longer, 0);
	return 0;
}
