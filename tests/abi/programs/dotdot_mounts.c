/* "..", where a mount shows a part of a file system, or stands on the root of the task. */
#include "abi.h"

#include <sys/mount.h>

static void lists(const char *what, const char *name)
{
	struct stat st;

	if (stat(name, &st))
		show("%s: %s", what, error_name(errno));
	else
		show("%s: mode %o", what, st.st_mode & 0777);
}

/* A directory leaves the part of the file system that the mount shows: no way leads up from it. */
static void left_the_mount(void)
{
	mkdir("part", 0711);
	mkdir("part/in", 0722);
	mkdir("part/in/deep", 0733);
	mkdir("elsewhere", 0744);
	mkdir("view", 0755);
	chmod("part/in", 0722);
	chmod("part/in/deep", 0733);
	CALL(mount("part", "view", NULL, MS_BIND, NULL));
	CALL(chdir("view/in/deep"));
	lists("..", "..");
	lists("../..", "../..");
	CALL(rename("../../../part/in", "../../../elsewhere/in"));
	lists(". below what has left", ".");
	lists(".. below what has left", "..");
	lists("../.. of what has left", "../..");
	lists("../../.. of what has left", "../../..");
	lists("../../../.. of what has left", "../../../..");
	CALL(open("../../secret", O_CREAT, 0600));
	CALL(open("../..", O_RDONLY));
	CALL(chdir(".."));
	CALL(chdir(".."));
	CALL(chdir("/"));
}

/* Runs in a directory with a root of its own. */
static void covered_root(void)
{
	CALL(chroot("."));
	mkdir("/sub", 0700);
	CALL(mount("none", "/", "tmpfs", 0, "mode=0711"));
	lists("/", "/");
	lists("/..", "/..");
	lists("/sub", "/sub");
	lists("/sub/..", "/sub/..");
	lists("/../..", "/../..");
	lists("/../sub", "/../sub");
	chdir("/..");
	lists(".", ".");
	lists("..", "..");
	mkdir("new", 0722);
	lists("new/..", "new/..");
	lists("/new", "/new");
	CALL(umount2("/..", MNT_DETACH));
}

int main(void)
{
	char here[4096];

	umask(0);
	mkdir("all", 0755);
	CALL(mount("none", "all", "tmpfs", 0, "mode=0755"));
	chdir("all");
	getcwd(here, sizeof(here));
	left_the_mount();
	chdir(here);
	mkdir("root", 0766);
	chdir("root");
	CHILD(covered_root);
	chdir(here);
	CALL(umount2("view", MNT_DETACH));
	chdir("..");
	CALL(umount2("all", MNT_DETACH));
	return 0;
}
