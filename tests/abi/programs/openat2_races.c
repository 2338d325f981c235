/*
 * openat2(2) beside renames and mounts that move: RESOLVE_BENEATH and RESOLVE_IN_ROOT hold. A directory leaves for another one while the walk is in it;
 * a ".." behind it must not lead out of the start of the walk: such a call ends with EAGAIN.
 */
#include "abi.h"

#include <sys/mount.h>

#define ROUNDS  rounds(1000)
#define BENEATH 0x08
#define IN_ROOT 0x10

static int start;
static ino_t inside;         /* the inode of the start */
static char many_dots[3000]; /* names the start, unless something moves */

static int resolve(const char *name, uint64_t flags)
{
	uint64_t how[3] = { O_PATH | O_CLOEXEC, 0, flags };

	return (int)syscall(437, start, name, how, sizeof(how));
}

/* A walk that begins while the directory is elsewhere does not count. */
static void look(const char *what, uint64_t flags, int times, bool moving)
{
	int escapes = 0, other = 0, found = 0;

	for (int i = 0; i < times;) {
		int fd = resolve(many_dots, flags);
		struct stat st;

		i += fd >= 0 || errno != ENOENT;
		if (fd < 0) {
			other += errno != EAGAIN && errno != ENOENT && errno != EXDEV;
			continue;
		}
		fstat(fd, &st);
		if (st.st_ino == inside)
			found++;
		else
			escapes++;
		close(fd);
	}
	if (moving)
		show("%s: escapes: %d, other errors: %d", what, escapes, other);
	else
		show("%s: escapes: %d, found: %d", what, escapes, found);
}

static void rename_again_and_again(void)
{
	for (;;) {
		rename("top/start/c", "top/side/c");
		rename("top/side/c", "top/start/c");
	}
}

/* The root of the mount in c is the directory that moves. */
static void move_again_and_again(void)
{
	for (;;) {
		mount("top/start/c", "top/side/c", NULL, MS_MOVE, NULL);
		mount("top/side/c", "top/start/c", NULL, MS_MOVE, NULL);
	}
}

static void beside(const char *what, void (*attack)(void))
{
	char text[80];
	pid_t pid = fork();

	if (!pid)
		attack();
	snprintf(text, sizeof(text), "%s, beneath", what);
	look(text, BENEATH, ROUNDS, true);
	snprintf(text, sizeof(text), "%s, in root", what);
	look(text, IN_ROOT, ROUNDS, true);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	struct stat st;

	mkdir("top", 0755);
	mkdir("top/start", 0755);
	mkdir("top/start/c", 0755);
	mkdir("top/start/c/d", 0755);
	mkdir("top/side", 0755);
	start = open("top/start", O_PATH | O_DIRECTORY);
	fstat(start, &st);
	inside = st.st_ino;

	/* A long walk within c, then out of it. */
	strcpy(many_dots, "c");
	for (int i = 0; i < 300; i++)
		strcat(many_dots, "/d/..");
	strcat(many_dots, "/..");
	look("nothing moves, beneath", BENEATH, 10, false);
	look("nothing moves, in root", IN_ROOT, 10, false);
	beside("renames", rename_again_and_again);

	rename("top/side/c", "top/start/c");
	mkdir("top/side/c", 0755);
	mkdir("top/side/c/d", 0755);
	mount("none", "top/start/c", "tmpfs", 0, NULL);
	mkdir("top/start/c/d", 0755);
	beside("moves of a mount", move_again_and_again);
	umount2("top/start/c", MNT_DETACH);
	umount2("top/side/c", MNT_DETACH);
	return 0;
}
