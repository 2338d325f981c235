/* Attacks on files: what the user may change only while a file is its own, and directories that a walk must not leave. */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

/* ---- chmod and utimes race with root's chown ---- */

static void make_file(void)
{
	int fd = open("file", O_WRONLY | O_CREAT, 0755);

	fchown(fd, HOSTILE, HOSTILE);
	close(fd);
}

static bool same_time(const struct stat *a, const struct stat *b)
{
	return a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* When chown() has returned, the last owner can change nothing any more. */
static void take_file_over(void)
{
	struct stat first, second;

	if (chown("file", 0, 0) || stat("file", &first))
		return;
	usleep(100);
	stat("file", &second);
	if ((first.st_mode | second.st_mode) & 06000)
		won(first.st_mode);
	if (first.st_mode != second.st_mode || !same_time(&first, &second))
		won(1);
	chown("file", HOSTILE, HOSTILE);
}

static void change_file(void)
{
	for (unsigned n = 0; n < 500; n++) {
		chmod("file", n & 1 ? 04755 : 0755);
		utimes("file", (struct timeval[]){ { n, 0 }, { n, 0 } });
	}
}

/* ---- openat2(RESOLVE_BENEATH) beside renames ---- */

#define BENEATH 0x08
#define IN_ROOT 0x10

static void make_tree(void)
{
	static const char *const names[] = { "top", "top/start", "top/start/c", "top/start/c/d", "top/side" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		mkdir(names[i], 0755);
		chown(names[i], HOSTILE, HOSTILE);
	}
}

static void rename_again_and_again(void)
{
	for (;;) {
		rename("top/start/c", "top/side/c");
		rename("top/side/c", "top/start/c");
	}
}

/* returns: a path that leaves start and comes back must not be found, either. */
static void escape_once(int start, ino_t inside, const char *path, bool returns, uint64_t flags)
{
	uint64_t how[3] = { O_PATH | O_CLOEXEC, 0, flags };
	int fd = (int)syscall(SYS_openat2, start, path, how, sizeof(how));
	struct stat st;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && (returns || st.st_ino != inside))
		won((long)flags);
	close(fd);
}

static void escape(void)
{
	char path[1000] = "c", back[1000];
	struct stat st;
	int start = open("top/start", O_PATH | O_DIRECTORY | O_CLOEXEC);
	pid_t pid = fork_child();

	if (!pid)
		rename_again_and_again();
	for (int i = 0; i < 100; i++)
		strcat(path, "/d/..");
	strcat(path, "/..");
	strcat(strcpy(back, path), "/../start");
	fstat(start, &st);
	for (int i = 0; i < 100; i++)
		escape_once(start, st.st_ino, i & 2 ? back : path, i & 2, i & 1 ? BENEATH : IN_ROOT);
	close(start);
	if (pid > 0)
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

const struct attack file_attacks[] = {
	{ "chown_chmod", "the last owner has changed a file of root", make_file, take_file_over, change_file, false },
	{ "beneath", "openat2() has left its directory", make_tree, NULL, escape, false },
	{ 0 },
};
