/* What counts as an inode and as a block of a tmpfs: names, files without one, symbolic links. ENOSPC when they are used up. */
#include "abi.h"

#include <sys/mount.h>
#include <sys/vfs.h>

static void left(const char *what)
{
	struct statfs fs;

	statfs("m", &fs);
	show("%s: %ld inodes, %ld blocks left", what, (long)fs.f_ffree, (long)fs.f_bfree);
}

static int new_file(const char *name)
{
	return close(open(name, O_CREAT | O_EXCL | O_WRONLY, 0644));
}

static void names(void)
{
	CALL(new_file("m/a"));
	left("a file");
	CALL(link("m/a", "m/b"));
	CALL(link("m/a", "m/c"));
	left("two more names");
	CALL(link("m/a", "m/c"));
	CALL(link("m/a", "m/none/c"));
	left("none more");
	CALL(unlink("m/a"));
	left("the first is gone");
	CALL(rename("m/b", "m/c"));
	left("two names of one file stay");
	CALL(rename("m/b", "m/d"));
	left("another name");
	CALL(new_file("m/e"));
	CALL(rename("m/e", "m/d"));
	left("a file over a name");
	CALL(rename("m/c", "m/d"));
	left("the last name over a file");
	CALL(unlink("m/d"));
	left("all gone");
}

static void renames(void)
{
	CALL(new_file("m/a"));
	CALL(link("m/a", "m/b"));
	CALL(mkdir("m/dir", 0755));
	CALL(mkdir("m/empty", 0755));
	left("a file with two names, two directories");
	CALL(syscall(SYS_renameat2, AT_FDCWD, "m/a", AT_FDCWD, "m/dir", 2L));
	left("exchanged");
	CALL(rename("m/a", "m/empty"));
	left("a directory over another");
	CALL(syscall(SYS_renameat2, AT_FDCWD, "m/b", AT_FDCWD, "m/dir", 4L));
	left("two names of one file");
	CALL(syscall(SYS_renameat2, AT_FDCWD, "m/b", AT_FDCWD, "m/x", 4L));
	left("a whiteout");
	CALL(rename("m/b", "m/x"));
	left("it over a name");
	CALL(unlink("m/x"));
	CALL(unlink("m/dir"));
	CALL(rmdir("m/empty"));
	left("all gone");
}

static void without_a_name(void)
{
	int fd = open("m", O_TMPFILE | O_RDWR, 0644);
	char name[40];

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	left("a file without a name");
	CALL(linkat(AT_FDCWD, name, AT_FDCWD, "m/first", AT_SYMLINK_FOLLOW));
	left("its first name");
	CALL(linkat(AT_FDCWD, name, AT_FDCWD, "m/second", AT_SYMLINK_FOLLOW));
	left("its second name");
	CALL(unlink("m/first"));
	CALL(unlink("m/second"));
	left("without one again");
	close(fd);
	left("closed");
}

/* A symbolic link with so long a text. */
static void long_link(size_t length)
{
	char text[4096] = "";
	struct stat st;

	memset(text, 'x', length);
	show("a text of %ld: %ld", (long)length, (long)symlink(text, "m/link"));
	if (!lstat("m/link", &st))
		show("size %ld, blocks %ld", (long)st.st_size, (long)st.st_blocks);
	left("with it");
	unlink("m/link");
}

static void used_up(void)
{
	char name[20];
	int made = 0, fd;

	CALL(new_file("m/a"));
	do
		snprintf(name, sizeof(name), "m/%d", made);
	while (made < 100 && !link("m/a", name) && ++made);
	show("%d names, then %s", made, error_name(errno));
	left("full");
	CALL(link("m/a", "m/more"));
	CALL(symlink("m/a", "m/more"));
	CALL(mkdir("m/more", 0755));
	CALL(open("m", O_TMPFILE | O_RDWR, 0644));
	CALL(rename("m/a", "m/more"));
	CALL(rename("m/more", "m/1"));
	CALL(unlink("m/0"));
	OK(fd = open("m", O_TMPFILE | O_RDWR, 0644));
	CALL(link("m/1", "m/other"));
	left("full again");
	close(fd);
}

/* Files and links share the blocks. */
static void blocks(void)
{
	int fd;

	long_link(127);
	long_link(128);
	long_link(4095);
	fd = open("m/a", O_CREAT | O_RDWR, 0644);
	CALL(pwrite(fd, "x", 1, 0));
	CALL(pwrite(fd, "x", 1, 4096));
	long_link(127);
	long_link(128);
	close(fd);
	CALL(unlink("m/a"));
}

int main(void)
{
	mkdir("m", 0755);
	CALL(mount("none", "m", "tmpfs", 0, "nr_inodes=10,nr_blocks=2"));
	left("empty");
	names();
	renames();
	without_a_name();
	blocks();
	left("empty");
	used_up();
	CALL(umount2("m", 0));
	return 0;
}
