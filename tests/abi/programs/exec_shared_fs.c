/* A set-user-ID program gets no privileges while another process shares its root and its current directory: CLONE_FS. */
#include "abi.h"

#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

static char stack[65536];

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

static int show_ids(const char *what)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;

	getresuid(&r, &e, &s);
	getresgid(&rg, &eg, &sg);
	show("%s: user %d %d %d group %d %d %d secure %lu dumpable %d", what, (int)r, (int)e, (int)s, (int)rg, (int)eg, (int)sg,
	     getauxval(AT_SECURE), prctl(PR_GET_DUMPABLE));
	return 0;
}

static void become(uid_t uid)
{
	setresgid(uid, uid, uid);
	setresuid(uid, uid, uid);
}

static int stay(void *unused)
{
	while (pause())
		;
	return 0;
}

static pid_t share(int flags)
{
	return clone(stay, stack + sizeof(stack), flags | SIGCHLD, NULL);
}

static void shared(void)
{
	become(1000);
	share(CLONE_FS);
	execl("./setuid", "./setuid", "shared", NULL);
}

static void shared_group(void)
{
	become(1000);
	share(CLONE_FS);
	execl("./setgid", "./setgid", "shared, set-group-ID", NULL);
}

static void shared_by_root(void)
{
	share(CLONE_FS);
	execl("./setuid", "./setuid", "shared, by root", NULL);
}

static void files_shared(void)
{
	become(1000);
	share(CLONE_FILES | CLONE_VM);
	execl("./setuid", "./setuid", "descriptors and memory shared", NULL);
}

static void shared_until_end(void)
{
	pid_t pid;

	become(1000);
	pid = share(CLONE_FS);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	execl("./setuid", "./setuid", "no longer shared", NULL);
}

static void *thread(void *unused)
{
	while (pause())
		;
	return NULL;
}

/* The threads end with the exec, so they do not count. */
static void with_threads(void)
{
	pthread_t t;

	become(1000);
	pthread_create(&t, NULL, thread, NULL);
	pthread_create(&t, NULL, thread, NULL);
	execl("./setuid", "./setuid", "threads", NULL);
}

static void with_threads_and_shared(void)
{
	pthread_t t;

	become(1000);
	pthread_create(&t, NULL, thread, NULL);
	share(CLONE_FS);
	execl("./setuid", "./setuid", "threads and another process", NULL);
}

/* After a failed exec the process may share again. */
static void after_failure(void)
{
	pid_t pid;

	become(1000);
	execl("./missing", "./missing", NULL);
	pid = share(CLONE_FS);
	show("after a failed exec: %s", pid > 0 ? "shared" : error_name(errno));
	execl("./setuid", "./setuid", "after a failed exec", NULL);
}

/* A set-user-ID program that is executed by one. */
static void keeps(const char *what, int shared, int no_new)
{
	setresgid(1000, 1001, 1001);
	setresuid(1000, 1001, 1001);
	if (no_new)
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (shared)
		share(CLONE_FS);
	execl("./plain", "./plain", what, NULL);
}

static void keeps_alone(void)
{
	keeps("effective ids", 0, 0);
}

static void keeps_shared(void)
{
	keeps("effective ids, shared", 1, 0);
}

static void keeps_no_new(void)
{
	keeps("effective ids, no new privileges", 0, 1);
}

static void root_id_no_new(void)
{
	setresuid(1000, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	execl("./plain", "./plain", "effective root, no new privileges", NULL);
}

static void run(void (*fn)(void))
{
	pid_t pid = fork();

	if (!pid) {
		setpgid(0, 0);
		fn();
		show("exec: %s", error_name(errno));
		_exit(1);
	}
	waitpid(pid, NULL, 0);
	kill(-pid, SIGKILL); /* those that shared */
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return show_ids(argv[1]);
	chmod(".", 0755);
	copy_self("plain", 0, 0, 0755);
	copy_self("setuid", 0, 0, 04755);
	copy_self("setgid", 0, 1002, 02755);
	run(shared);
	run(shared_group);
	run(shared_by_root);
	run(files_shared);
	run(shared_until_end);
	run(with_threads);
	run(with_threads_and_shared);
	run(after_failure);
	run(keeps_alone);
	run(keeps_shared);
	run(keeps_no_new);
	run(root_id_no_new);
	return 0;
}
