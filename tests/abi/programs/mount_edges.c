/* mount(2) and umount2(2): errors and rules of bind, move, remount, propagation, MNT_DETACH, UMOUNT_NOFOLLOW. */
#include "abi.h"
#include <sys/mount.h>

#ifndef UMOUNT_NOFOLLOW
#define UMOUNT_NOFOLLOW 8
#endif

static void tmpfs(const char *at)
{
	mkdir(at, 0755);
	report(at, mount("t", at, "tmpfs", 0, NULL));
}

static void bind(void)
{
	show("bind");
	mkdir("a", 0755), mkdir("b", 0755), mkdir("a/sub", 0755);
	close(creat("file", 0644)), close(creat("other", 0644));
	CALL(mount("none", "b", NULL, MS_BIND, NULL));
	CALL(mount(NULL, "b", NULL, MS_BIND, NULL));
	CALL(mount("a", "none", NULL, MS_BIND, NULL));
	CALL(mount("", "b", NULL, MS_BIND, NULL));
	CALL(mount("file", "b", NULL, MS_BIND, NULL));
	CALL(mount("a", "file", NULL, MS_BIND, NULL));
	CALL(mount("file", "other", NULL, MS_BIND, NULL));
	CALL(umount2("other", 0));
	CALL(mount("a", "b", "ignored", MS_BIND, "ignored"));
	CALL(mount("a", "b", NULL, MS_BIND, NULL));
	CALL(access("b/sub", F_OK));
	CALL(umount2("b", 0));
	CALL(umount2("b", 0));
	CALL(umount2("b", 0));
	tmpfs("a/sub");
	mkdir("a/sub/deep", 0755);
	CALL(mount("a", "b", NULL, MS_BIND, NULL));
	CALL(access("b/sub/deep", F_OK));
	CALL(umount2("b", 0));
	CALL(mount("a", "b", NULL, MS_BIND | MS_REC, NULL));
	CALL(access("b/sub/deep", F_OK));
	CALL(umount2("b", 0));
	CALL(umount2("b", MNT_DETACH));
	CALL(access("b/sub", F_OK));
	CALL(mount("a", "b", NULL, MS_BIND | MS_RDONLY, NULL));
	CALL(mkdir("b/new", 0755));
	CALL(mount(NULL, "b", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL));
	CALL(mkdir("b/newer", 0755));
	CALL(mkdir("a/newer", 0755));
	CALL(umount2("b", 0));
	CALL(umount2("a/sub", 0));
}

/* Files that are in no tree: the mount of a pipe, of a memfd, of a directory that was unmounted. */
static void bind_hidden(void)
{
	char path[64];
	int pipes[2], fd = memfd_create("m", 0);

	show("bind what is in no tree");
	pipe(pipes);
	sprintf(path, "/proc/self/fd/%d", pipes[0]);
	report("pipe", mount(path, "file", NULL, MS_BIND, NULL));
	sprintf(path, "/proc/self/fd/%d", fd);
	report("memfd", mount(path, "file", NULL, MS_BIND, NULL));
	report("moved", mount(path, "file", NULL, MS_MOVE, NULL));
	close(fd);
	tmpfs("hidden");
	fd = open("hidden", O_RDONLY);
	CALL(umount2("hidden", MNT_DETACH));
	sprintf(path, "/proc/self/fd/%d", fd);
	report("unmounted", mount(path, "hidden", NULL, MS_BIND, NULL));
	close(fd), close(pipes[0]), close(pipes[1]);
}

static void move(void)
{
	show("move");
	tmpfs("m");
	mkdir("m/in", 0755), mkdir("to", 0755);
	close(creat("plain", 0644));
	CALL(mount("m/in", "to", NULL, MS_MOVE, NULL));
	CALL(mount("to", "m", NULL, MS_MOVE, NULL));
	CALL(mount(NULL, "to", NULL, MS_MOVE, NULL));
	CALL(mount("", "to", NULL, MS_MOVE, NULL));
	CALL(mount("none", "to", NULL, MS_MOVE, NULL));
	CALL(mount("m", "plain", NULL, MS_MOVE, NULL));
	CALL(mount("m", "m/in", NULL, MS_MOVE, NULL));
	CALL(mount("/", "to", NULL, MS_MOVE, NULL));
	CALL(mount("m", "to", NULL, MS_MOVE, NULL));
	CALL(access("to/in", F_OK));
	CALL(access("m/in", F_OK));
	CALL(umount2("m", 0));
	CALL(umount2("to", 0));
}

static void flags(void)
{
	show("flags");
	tmpfs("p");
	mkdir("p/d", 0755);
	CALL(mount(NULL, "p", NULL, MS_PRIVATE, NULL));
	CALL(mount(NULL, "p", NULL, MS_SHARED, NULL));
	CALL(mount(NULL, "p", NULL, MS_SLAVE, NULL));
	CALL(mount(NULL, "p", NULL, MS_UNBINDABLE, NULL));
	CALL(mount("p", "p/d", NULL, MS_BIND, NULL));
	CALL(mount("p/d", "p/d", NULL, MS_BIND, NULL));
	CALL(mount(NULL, "p", NULL, MS_PRIVATE | MS_REC, NULL));
	CALL(mount(NULL, "p", NULL, MS_PRIVATE | MS_SILENT, NULL));
	CALL(mount(NULL, "p", NULL, MS_PRIVATE | MS_SHARED, NULL));
	CALL(mount(NULL, "p", NULL, MS_PRIVATE | MS_RDONLY, NULL));
	CALL(mount(NULL, "p/d", NULL, MS_PRIVATE, NULL));
	CALL(mount("p/d", "p/d", NULL, MS_BIND, NULL));
	CALL(umount2("p/d", 0));
	CALL(mount(NULL, "p/d", NULL, MS_REMOUNT, NULL));
	CALL(mount("x", "p", "nosuchfs", 0, NULL));
	CALL(mount("x", "p", NULL, 0, NULL));
	CALL(mount("x", "p", "", 0, NULL));
	CALL(mount("x", "plain", "tmpfs", 0, NULL));
	CALL(mount("x", "none", "tmpfs", 0, NULL));
	CALL(syscall(SYS_mount, 8, "p", "tmpfs", 0, NULL));
	CALL(syscall(SYS_mount, "x", 8, "tmpfs", 0, NULL));
	CALL(syscall(SYS_mount, "x", "p", 8, 0, NULL));
	CALL(syscall(SYS_mount, "x", "p", "tmpfs", 0, 8));
	CALL(umount2("p", 0));
}

static void unmount(void)
{
	int fd;

	show("unmount");
	tmpfs("u");
	mkdir("u/dir", 0755);
	symlink("u", "link");
	CALL(umount2("link", UMOUNT_NOFOLLOW));
	CALL(umount2("u/dir", 0));
	CALL(umount2("u", 16));
	CALL(umount2("u", MNT_EXPIRE | MNT_DETACH));
	CALL(umount2("u", MNT_EXPIRE | MNT_FORCE));
	CALL(umount2("none", 0));
	CALL(syscall(SYS_umount2, 8, 0));
	fd = open("u/dir", O_RDONLY);
	CALL(umount2("u", 0));
	CALL(umount2("u", MNT_FORCE));
	CALL(umount2("u", MNT_DETACH));
	CALL(umount2("u", 0));
	CALL(openat(fd, ".", O_RDONLY) >= 0);
	CALL(openat(fd, "..", O_RDONLY) >= 0);
	CALL(mkdirat(fd, "made", 0755));
	close(fd);
	tmpfs("u");
	CALL(umount2("link", 0));
	tmpfs("u");
	tmpfs("u/sub");
	CALL(umount2("u", 0));
	CALL(umount2("u", MNT_DETACH | UMOUNT_NOFOLLOW));
	CALL(umount2("/", 0) < 0);
}

/* Nothing can be mounted where there is no place any more. */
static void no_place(void)
{
	int here = open(".", O_RDONLY), fd;

	show("no place");
	tmpfs("d");
	mkdir("d/in", 0755);
	fd = open("d", O_RDONLY);
	CALL(umount2("d", MNT_DETACH));
	fchdir(fd);
	CALL(mount("x", ".", "tmpfs", 0, NULL));
	CALL(mount("x", "in", "tmpfs", 0, NULL));
	CALL(mount("in", ".", NULL, MS_BIND, NULL));
	fchdir(here);
	close(fd);
	mkdir("gone", 0755), mkdir("elsewhere", 0755);
	chdir("gone");
	rmdir("../gone");
	CALL(mount("x", ".", "tmpfs", 0, NULL));
	CALL(mount("../elsewhere", ".", NULL, MS_BIND, NULL));
	fchdir(here);
	close(here);
}

static void nobody(void)
{
	setuid(65534);
	CALL(mount("x", "m", "tmpfs", 0, NULL));
	CALL(mount(NULL, "m", NULL, MS_PRIVATE, NULL));
	CALL(umount2("m", 0));
	CALL(umount2("none", 0));
	CALL(umount2("m", 99));
}

int main(void)
{
	/* Everything in one mount of its own, so that the file system around does not matter. */
	mkdir("here", 0755);
	mount("here", "here", "tmpfs", 0, NULL);
	chdir("here");
	bind();
	bind_hidden();
	move();
	flags();
	unmount();
	no_place();
	CHILD(nobody);
	chdir("..");
	CALL(umount2("here", 0));
	return 0;
}
