/* /proc/PID/ns: links, the files that they lead to, their ioctls; setns(2) into the namespaces in which the task is. */
#include "abi.h"
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

/* <linux/nsfs.h>, which musl does not have. */
#define NS_GET_USERNS    0xb701
#define NS_GET_PARENT    0xb702
#define NS_GET_NSTYPE    0xb703
#define NS_GET_OWNER_UID 0xb704

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

static const char *const names[] = { "cgroup", "ipc", "mnt", "net", "pid", "pid_for_children", "time", "time_for_children",
				     "user", "uts" };
#define NAMES (sizeof(names) / sizeof(names[0]))

static int open_ns(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	return open(path, O_RDONLY);
}

static void look(const char *name)
{
	char path[64], text[64] = { 0 };
	struct stat st, link;
	int fd = open_ns(name);

	snprintf(path, sizeof(path), "/proc/self/ns/%s", name);
	readlink(path, text, sizeof(text) - 1);
	lstat(path, &link);
	fstat(fd, &st);
	/* The kernel that recorded this may have been built with its namespaces in another order. */
	show("%s: %.*s mode %o, link %o size %ld", name, (int)strcspn(text, "["), text, st.st_mode, link.st_mode,
	     (long)link.st_size);
	TRUTH(strtoul(text + strcspn(text, "[") + 1, NULL, 10) == st.st_ino && st.st_size == 0 && st.st_nlink == 1);
	close(fd);
}

static void ioctls(const char *name)
{
	int fd = open_ns(name), user = open_ns("user"), related;
	struct stat a, b;
	unsigned uid = 99;

	show("# ioctls of %s", name);
	show("type %#x", ioctl(fd, NS_GET_NSTYPE));
	related = ioctl(fd, NS_GET_USERNS);
	if (related < 0) {
		show("user namespace: %s", error_name(errno));
	} else {
		fstat(user, &a);
		fstat(related, &b);
		show("user namespace: %s, flags %x %x", a.st_ino == b.st_ino ? "the same" : "another",
		     fcntl(related, F_GETFD), fcntl(related, F_GETFL) & O_ACCMODE);
		close(related);
	}
	CALL(ioctl(fd, NS_GET_PARENT));
	CALL(ioctl(fd, NS_GET_OWNER_UID, &uid));
	show("owner %u", uid);
	CALL(ioctl(fd, 0xb705));
	close(fd);
	close(user);
}

static void enter(const char *name)
{
	int fd = open_ns(name);

	show("# setns of %s", name);
	CALL(setns(fd, 0));
	CALL(setns(fd, CLONE_NEWUTS));
	CALL(setns(fd, CLONE_NEWNS));
	CALL(setns(fd, CLONE_NEWTIME));
	CALL(setns(fd, CLONE_FS));
	close(fd);
}

static void *in_thread(void *arg)
{
	for (unsigned i = 0; i < NAMES; i++) {
		int fd = open_ns(names[i]);

		show("%s in a thread: %s", names[i], setns(fd, 0) < 0 ? error_name(errno) : "0");
		close(fd);
	}
	return arg;
}

static void by_pidfd(int pidfd)
{
	char cwd[256];

	CALL(setns(pidfd, 0));
	CALL(setns(pidfd, CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET));
	CALL(setns(pidfd, CLONE_NEWUTS | CLONE_FS));
	CALL(setns(pidfd, CLONE_NEWUSER));
	chdir("/proc");
	CALL(setns(pidfd, CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWCGROUP));
	show("now in %s", getcwd(cwd, sizeof(cwd)));
}

static void as_user(void)
{
	char text[64];
	int pidfd = syscall(SYS_pidfd_open, 1, 0);

	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	for (unsigned i = 0; i < NAMES; i++) {
		int fd = open_ns(names[i]);

		show("%s as a user: %s", names[i], setns(fd, 0) < 0 ? error_name(errno) : "0");
		close(fd);
	}
	CALL(readlink("/proc/1/ns/net", text, sizeof(text)));
	CALL(open("/proc/1/ns/net", O_RDONLY));
	CALL(access("/proc/1/ns", R_OK));
	CALL(setns(pidfd, CLONE_NEWUTS));
}

static void of_dead_process(void)
{
	pid_t child = fork();
	int pidfd;

	if (!child)
		_exit(0);
	pidfd = syscall(SYS_pidfd_open, child, 0);
	waitpid(child, NULL, 0);
	CALL(setns(pidfd, CLONE_NEWUTS));
}

static void with_root(void)
{
	int mnt = open_ns("mnt");
	char cwd[256];

	mkdir("inside", 0755);
	chroot("inside");
	chdir("/");
	CALL(access("/proc/self", F_OK));
	CALL(setns(mnt, CLONE_NEWNS));
	show("root: %s", getcwd(cwd, sizeof(cwd)));
	CALL(access("/proc/self", F_OK));
}

int main(void)
{
	char c;
	pthread_t thread;
	struct stat st;
	struct statfs fs;
	struct dirent *entry;
	int fd, pidfd = syscall(SYS_pidfd_open, getpid(), 0);
	DIR *dir = opendir("/proc/self/ns");

	stat("/proc/self/ns", &st);
	show("mode %o", st.st_mode);
	while ((entry = readdir(dir)))
		show("%s %d", entry->d_name, entry->d_type);
	for (unsigned i = 0; i < NAMES; i++)
		look(names[i]);
	fd = open_ns("net");
	fstatfs(fd, &fs);
	show("type %lx", (long)fs.f_type);
	CALL(read(fd, &c, 1));
	CALL(write(fd, &c, 1));
	CALL(lseek(fd, 0, SEEK_SET));
	CALL(ftruncate(fd, 0));
	CALL(open("/proc/self/ns/net", O_RDONLY | O_DIRECTORY));
	CALL(open("/proc/self/ns/net", O_RDONLY | O_NOFOLLOW));
	CALL(open("/proc/self/ns/absent", O_RDONLY));
	for (unsigned i = 0; i < NAMES; i++)
		ioctls(names[i]);
	for (unsigned i = 0; i < NAMES; i++)
		enter(names[i]);
	show("# in a thread");
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	show("# by pidfd");
	by_pidfd(pidfd);
	chdir("/tmp/abi");
	in_child("in another root", with_root);
	in_child("as a user", as_user);
	of_dead_process();
	return 0;
}
