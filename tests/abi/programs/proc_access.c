/* Who may look into a process: each file of /proc/PID, process_vm_readv(2) and others, by user 1000 and by a user with two ids. */
#include "abi.h"

#include <dirent.h>
#include <grp.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/uio.h>

static char outcomes[64][256], names[64][1024];
static int nr_outcomes;

/* Files with the same outcome stand in one line. */
static void add(const char *name, const char *outcome)
{
	int i = 0;

	while (i < nr_outcomes && strcmp(outcomes[i], outcome))
		i++;
	if (i == nr_outcomes) {
		snprintf(outcomes[i], sizeof(outcomes[i]), "%s", outcome);
		names[i][0] = 0;
		nr_outcomes++;
	}
	strcat(strcat(names[i], " "), name);
}

static void show_outcomes(void)
{
	for (int i = 0; i < nr_outcomes; i++)
		show("  %s:%s", outcomes[i], names[i]);
	nr_outcomes = 0;
}

static const char *mode_of(int dir, const char *name, char *text)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW))
		sprintf(text, "stat %s", error_name(errno));
	else
		sprintf(text, "mode %03o owner %d:%d", st.st_mode & 07777, (int)st.st_uid, (int)st.st_gid);
	return text;
}

static void look_at_file(int dir, const char *name)
{
	char outcome[256], mode[64], text[4096];
	int fd = openat(dir, name, O_RDONLY);
	const char *result;
	ssize_t n;

	if (fd < 0) {
		snprintf(outcome, sizeof(outcome), "%s, open %s", mode_of(dir, name, mode), error_name(errno));
		add(name, outcome);
		return;
	}
	n = read(fd, text, sizeof(text));
	result = n < 0 ? error_name(errno) : n ? "text" : "empty";
	snprintf(outcome, sizeof(outcome), "%s, read %s", mode_of(dir, name, mode), result);
	add(name, outcome);
	close(fd);
}

static void look_at_link(int dir, const char *name)
{
	char outcome[256], text[512], mode[64];
	struct stat st;
	ssize_t n = readlinkat(dir, name, text, sizeof(text));
	int error = n < 0 ? errno : 0, followed = fstatat(dir, name, &st, 0) ? errno : 0;

	mode_of(dir, name, mode);
	snprintf(outcome, sizeof(outcome), "%s, readlink %s", mode, error ? error_name(error) : "ok");
	snprintf(outcome + strlen(outcome), 64, ", stat %s", followed ? error_name(followed) : "ok");
	add(name, outcome);
}

static void look_at_dir(int dir, const char *name)
{
	char outcome[256], mode[64];
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY), entries = 0;
	DIR *list;

	mode_of(dir, name, mode);
	if (fd < 0) {
		snprintf(outcome, sizeof(outcome), "%s, open %s", mode, error_name(errno));
		add(name, outcome);
		return;
	}
	list = fdopendir(fd);
	while (readdir(list))
		entries++;
	snprintf(outcome, sizeof(outcome), "%s, %s", mode, entries > 2 ? "entries" : "no entries");
	add(name, outcome);
	closedir(list);
}

/* The numbers of stat(5) that only some may know. */
static void look_at_stat(int dir)
{
	static const int fields[] = { 26, 27, 28, 29, 30, 35, 45, 46, 47, 48, 49, 50, 51, 52 };
	char text[1024] = "", line[256] = "", *at;
	int fd = openat(dir, "stat", O_RDONLY), field = 2;

	read(fd, text, sizeof(text) - 1);
	close(fd);
	at = strrchr(text, ')');
	for (unsigned i = 0; at && i < sizeof(fields) / sizeof(fields[0]); i++) {
		while (at && field < fields[i]) {
			at = strchr(at + 1, ' ');
			field++;
		}
		if (at) {
			unsigned long value = strtoul(at, NULL, 10);

			sprintf(line + strlen(line), " %s", value > 1 ? "n" : value ? "1" : "0");
		}
	}
	show("  stat:%s", line);
	fd = openat(dir, "wchan", O_RDONLY);
	memset(text, 0, sizeof(text));
	read(fd, text, sizeof(text) - 1);
	close(fd);
	show("  wchan: %s", strcmp(text, "0") ? "a function" : "0");
}

static void look_at(const char *what, pid_t pid)
{
	static const char *const files[] = { "auxv", "cmdline", "comm", "environ", "io", "limits", "maps", "mem",
					     "mountinfo", "mounts", "oom_score", "oom_score_adj", "pagemap", "patch_state",
					     "personality", "smaps", "smaps_rollup", "stack", "stat",
					     "statm", "status", "syscall", "timerslack_ns" };
	char path[64], byte;
	struct iovec local = { &byte, 1 }, remote = { (void *)1, 1 };
	struct rlimit limit;
	void *head;
	size_t size;
	int dir;

	snprintf(path, sizeof(path), "/proc/%d", pid);
	dir = open(path, O_RDONLY | O_DIRECTORY);
	show("%s", what);
	for (unsigned i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		look_at_file(dir, files[i]);
	if (pid != 2 && state_of(pid, pid) != 'Z')
		look_at_file(dir, "fdinfo/0");
	show_outcomes();
	look_at_link(dir, "cwd");
	look_at_link(dir, "exe");
	look_at_link(dir, "root");
	if (pid != 2 && state_of(pid, pid) != 'Z')
		look_at_link(dir, "fd/0");
	show_outcomes();
	look_at_dir(dir, ".");
	look_at_dir(dir, "fd");
	look_at_dir(dir, "fdinfo");
	look_at_dir(dir, "task");
	show_outcomes();
	look_at_stat(dir);
	show("  process_vm_readv: %s", process_vm_readv(pid, &local, 1, &remote, 1, 0) < 0 ? error_name(errno) : "ok");
	show("  process_vm_writev: %s", process_vm_writev(pid, &local, 1, &remote, 1, 0) < 0 ? error_name(errno) : "ok");
	show("  get_robust_list: %s", syscall(SYS_get_robust_list, pid, &head, &size) ? error_name(errno) : "ok");
	show("  prlimit: %s", prlimit(pid, RLIMIT_NOFILE, NULL, &limit) ? error_name(errno) : "ok");
	close(dir);
}

static void copy_self(const char *to, uid_t uid, gid_t gid, mode_t mode)
{
	char buffer[65536];
	ssize_t n;
	int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		write(out, buffer, (size_t)n);
	fchown(out, uid, gid);
	fchmod(out, mode);
	close(in);
	close(out);
}

static void become(uid_t uid, gid_t gid)
{
	setresgid(gid, gid, gid);
	setresuid(uid, uid, uid);
}

/* A process that runs the program with that argument, and is ready. */
static pid_t start(const char *program, const char *argument, uid_t uid, gid_t gid)
{
	int ready[2];
	char byte;
	pid_t pid;

	pipe(ready);
	pid = fork();
	if (!pid) {
		become(uid, gid);
		dup2(ready[1], 3);
		execl(program, program, argument, NULL);
		_exit(1);
	}
	close(ready[1]);
	read(ready[0], &byte, 1);
	close(ready[0]);
	if (strcmp(argument, "end"))
		until_asleep(pid, pid);
	else
		while (state_of(pid, pid) != 'Z')
			usleep(1000);
	return pid;
}

/* User 1000 with all capabilities. */
static pid_t start_capable(void)
{
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_KEEPCAPS, 1);
		become(1000, 1000);
		prctl(PR_SET_DUMPABLE, 1);
		for (;;)
			pause();
	}
	until_asleep(pid, pid);
	return pid;
}

static int target(const char *how)
{
	if (!strcmp(how, "secret"))
		prctl(PR_SET_DUMPABLE, 0);
	write(3, "", 1);
	while (strcmp(how, "end"))
		pause();
	return 0;
}

struct {
	const char *what;
	pid_t pid;
} targets[16];
static int nr_targets;

static void add_target(const char *what, pid_t pid)
{
	targets[nr_targets].what = what;
	targets[nr_targets++].pid = pid;
}

static void look_at_all(const char *who)
{
	for (int i = 0; i < nr_targets; i++) {
		show("%s looks at:", who);
		look_at(targets[i].what, targets[i].pid);
	}
	show("%s looks at:", who);
	look_at("itself", getpid());
}

static void as_user(void)
{
	become(1000, 1000);
	prctl(PR_SET_DUMPABLE, 1);
	look_at_all("user 1000");
	prctl(PR_SET_DUMPABLE, 0);
	show("user 1000 looks at:");
	look_at("itself, not dumpable", getpid());
}

/* Files count with the file-system ids, system calls with the real ones. */
static void as_two_users(void)
{
	setresgid(1000, 1000, 1001);
	setfsgid(1001);
	setresuid(1000, 1000, 1001);
	setfsuid(1001);
	nr_targets = 3;
	for (int i = 1; i < nr_targets; i++) {
		show("user 1000, 1001 for files, looks at:");
		look_at(targets[i].what, targets[i].pid);
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return target(argv[1]);
	chmod(".", 0755);
	setgroups(0, NULL);
	copy_self("plain", 0, 0, 0755);
	copy_self("setuid", 0, 0, 04755);
	copy_self("setgid", 0, 1002, 02755);
	copy_self("unreadable", 0, 0, 0711);
	add_target("a process of root", start("./plain", "stay", 0, 0));
	add_target("a process of user 1001", start("./plain", "stay", 1001, 1001));
	add_target("a process of its own", start("./plain", "stay", 1000, 1000));
	add_target("one that is not dumpable", start("./plain", "secret", 1000, 1000));
	add_target("a set-user-ID program", start("./setuid", "stay", 1000, 1000));
	add_target("a set-group-ID program", start("./setgid", "stay", 1000, 1000));
	add_target("a program that it may not read", start("./unreadable", "stay", 1000, 1000));
	add_target("one with another group", start("./plain", "stay", 1000, 1001));
	add_target("one with capabilities", start_capable());
	add_target("a kernel thread", 2);
	add_target("a zombie", start("./plain", "end", 1000, 1000));
	CHILD(as_user);
	CHILD(as_two_users);
	for (int i = 0; i < nr_targets; i++)
		if (targets[i].pid != 2)
			kill(targets[i].pid, SIGKILL);
	return 0;
}
