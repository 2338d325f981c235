/* debugfs/tracing: which walks mount tracefs on it, with which options, and when it goes again. */
#include "abi.h"
#include <dirent.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

/* The options of the last tracefs that is mounted below this directory, or NULL. */
static const char *mounted_at(const char *place)
{
	static char options[256];
	char line[1024], at[512], type[64], found[256], *cwd = getcwd(NULL, 0);
	FILE *f = fopen("/proc/self/mounts", "r");
	const char *result = NULL;

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %511s %63s %255s", at, type, found) == 3 && !strcmp(type, "tracefs") &&
		    !strncmp(at, cwd, strlen(cwd)) && !strcmp(at + strlen(cwd), place))
			result = strcpy(options, found);
	fclose(f);
	free(cwd);
	return result;
}

static void debugfs(unsigned long flags)
{
	if (mount("none", "d", "debugfs", flags, NULL))
		show("mount of debugfs: %s", error_name(errno));
}

/* Makes one call in a fresh mount of debugfs, and tells whether tracefs has come. */
#define WALK(call)                                                              \
	do {                                                                    \
		debugfs(0);                                                     \
		report(#call, (errno = 0, (long)(call)));                       \
		show("\ttracefs: %s", mounted_at("/d/tracing") ? "yes" : "no"); \
		if (umount("d"))                                                \
			show("umount: %s", error_name(errno));                  \
	} while (0)

static long closed(long fd)
{
	if (fd >= 0)
		close((int)fd);
	return fd < 0 ? fd : 0;
}

static long statx_of(const char *path, unsigned flags)
{
	char st[256];

	return syscall(SYS_statx, AT_FDCWD, path, flags, 0x7ffU, st);
}

static void walks(void)
{
	struct stat st;
	struct statfs sf;
	char buf[8];

	WALK(stat("d/tracing", &st));
	WALK(lstat("d/tracing", &st));
	WALK(stat("d/tracing/", &st));
	WALK(stat("d/tracing/.", &st));
	WALK(stat("d/tracing/..", &st));
	WALK(stat("d/tracing/trace", &st));
	WALK(stat("link", &st));
	WALK(stat("link/", &st));
	WALK(lstat("link", &st));
	WALK(stat("slash", &st));
	WALK(lstat("slash", &st));
	WALK(stat("link/trace", &st));
	WALK(statx_of("d/tracing", 0));
	WALK(statx_of("d/tracing", AT_NO_AUTOMOUNT));
	WALK(statx_of("link", AT_SYMLINK_NOFOLLOW));
	WALK(syscall(SYS_newfstatat, AT_FDCWD, "d/tracing", &st, 0));
	WALK(statfs("d/tracing", &sf));
	WALK(access("d/tracing", R_OK));
	WALK(closed(open("d/tracing", O_RDONLY)));
	WALK(closed(open("d/tracing", O_RDONLY | O_NOFOLLOW)));
	WALK(closed(open("link", O_RDONLY | O_NOFOLLOW)));
	WALK(closed(open("d/tracing", O_PATH)));
	WALK(closed(open("d/tracing", O_PATH | O_DIRECTORY)));
	WALK(closed(open("d/tracing", O_WRONLY)));
	WALK(closed(open("d/tracing", O_RDWR | O_CREAT, 0600)));
	WALK(readlink("d/tracing", buf, sizeof(buf)));
	WALK(mkdir("d/tracing", 0755));
	WALK(mkdir("d/tracing/", 0755));
	WALK(mkdir("d/tracing/x", 0755));
	WALK(rmdir("d/tracing/x"));
	WALK(chmod("d/tracing", 0755));
	WALK(getxattr("d/tracing", "user.x", buf, sizeof(buf)));
	WALK(truncate("d/tracing", 0));
	WALK(umount("d/tracing"));
	WALK(mount("x", "d/tracing", "nosuch", 0, NULL));
	WALK(mount("d/tracing", "none", NULL, MS_MOVE, NULL));
	WALK(mount("d/tracing", "e", NULL, MS_MOVE, NULL));
}

/* Walks that leave something in the directory. */
static void users(void)
{
	int fd, watch = inotify_init();

	show("users");
	debugfs(0);
	OK(inotify_add_watch(watch, "d/tracing", IN_OPEN));
	TRUTH(!mounted_at("/d/tracing"));
	CALL(chdir("d/tracing"));
	CALL(access("current_tracer", R_OK));
	CALL(chdir("../.."));
	TRUTH(mounted_at("/d/tracing"));
	fd = open("d/tracing/current_tracer", O_RDONLY);
	CALL(umount("d"));
	TRUTH(mounted_at("/d/tracing"));
	close(fd);
	CALL(umount("d/tracing"));
	TRUTH(!mounted_at("/d/tracing"));
	CALL(access("d/tracing/current_tracer", R_OK));
	TRUTH(mounted_at("/d/tracing"));
	fd = open("d", O_RDONLY);
	CALL(umount("d"));
	TRUTH(!mounted_at("/d/tracing"));
	CALL(umount2("d", MNT_DETACH));
	CALL(faccessat(fd, "tracing/current_tracer", R_OK, 0));
	CALL(faccessat(fd, "tracing", R_OK, 0));
	close(fd);
	close(watch);
}

/* Another file system that root mounts there itself. */
static void by_hand(void)
{
	show("by hand");
	debugfs(0);
	CALL(mount("x", "d/tracing", "tmpfs", 0, NULL));
	CALL(access("d/tracing/current_tracer", R_OK));
	TRUTH(!mounted_at("/d/tracing"));
	CALL(umount("d"));
	CALL(umount("d/tracing"));
	CALL(umount("d"));
}

static void options_of(unsigned long flags)
{
	const char *options;

	debugfs(flags);
	access("d/tracing/trace", R_OK);
	options = mounted_at("/d/tracing");
	show("flags %#lx: %s", flags, options ? options : "none");
	CALL(umount("d"));
}

static void options(void)
{
	show("options");
	options_of(0);
	options_of(MS_NOSUID | MS_NODEV | MS_NOEXEC);
	options_of(MS_NOATIME);
	debugfs(0);
	CALL(mount("d", "e", NULL, MS_BIND, NULL));
	CALL(mount(NULL, "e", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL));
	CALL(access("e/tracing/trace", R_OK));
	show("bound: %s", mounted_at("/e/tracing"));
	CALL(open("e/tracing/trace", O_WRONLY));
	TRUTH(!mounted_at("/d/tracing"));
	CALL(umount("e"));
	CALL(mount("d/tracing", "e", NULL, MS_BIND, NULL));
	TRUTH(mounted_at("/d/tracing"));
	CALL(access("e/trace", R_OK));
	CALL(umount("d"));
	CALL(umount("e"));
}

/* Several threads walk into a mount while root takes it off again and again. */
static volatile int stop;
static long misses;

static void *walker(void *unused)
{
	while (!stop)
		if (access("d/tracing/current_tracer", R_OK))
			__sync_fetch_and_add(&misses, 1);
	return unused;
}

static void race(void)
{
	pthread_t threads[4];

	show("race");
	debugfs(0);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, walker, NULL);
	for (int i = 0; i < 50; i++)
		umount("d/tracing");
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	TRUTH(misses == 0);
	CALL(umount("d"));
}

int main(void)
{
	mkdir("d", 0755), mkdir("e", 0755);
	symlink("d/tracing", "link");
	symlink("d/tracing/", "slash");
	walks();
	users();
	by_hand();
	options();
	race();
	return 0;
}
