/* setuid(2) and its kin, as root and as another user. */
#include "abi.h"
#include <sys/fsuid.h>

static void ids(void)
{
	uid_t r, e, s;
	gid_t rg, eg, sg;

	syscall(SYS_getresuid, &r, &e, &s);
	syscall(SYS_getresgid, &rg, &eg, &sg);
	show("  uid %d %d %d fs %ld, gid %d %d %d fs %ld", (int)r, (int)e, (int)s, syscall(SYS_setfsuid, -1), (int)rg, (int)eg,
	     (int)sg, syscall(SYS_setfsgid, -1));
}
/* The system calls themselves: the C library's functions change all threads. */
#define DO(...)                                       \
	do {                                          \
		report(#__VA_ARGS__, (errno = 0, syscall(__VA_ARGS__))); \
		ids();                                \
	} while (0)

static void root_leaves(void)
{
	DO(SYS_setresuid, 0, 1000, 0);
	DO(SYS_setuid, 7);
	DO(SYS_setreuid, -1, 0);
	DO(SYS_setuid, 1000);
	DO(SYS_setuid, 0);
	DO(SYS_setreuid, 0, 0);
}

static void saved_id(void)
{
	DO(SYS_setresgid, 5, 6, 7);
	DO(SYS_setresuid, 1, 2, 3);
	DO(SYS_setuid, 3);
	DO(SYS_setuid, 2);
	DO(SYS_setuid, 1);
	DO(SYS_setreuid, 3, -1);
	DO(SYS_setreuid, -1, 3);
	DO(SYS_setreuid, 1, 1);
	DO(SYS_setresuid, -1, 3, -1);
	DO(SYS_setresuid, -1, 1, 9);
	DO(SYS_setgid, 7);
	DO(SYS_setgid, 8);
	DO(SYS_setregid, 7, 6);
	DO(SYS_setregid, 5, 7);
	DO(SYS_setresgid, 7, 7, 7);
	DO(SYS_setresgid, 8, -1, -1);
}

static void file_ids(void)
{
	DO(SYS_setfsuid, 1000);
	DO(SYS_setfsgid, 1000);
	DO(SYS_setresuid, -1, -1, -1);
	DO(SYS_setresuid, 1, 2, 3);
	DO(SYS_setfsuid, 1);
	DO(SYS_setfsuid, 3);
	DO(SYS_setfsuid, 4);
}

static void invalid(void)
{
	DO(SYS_setuid, -1);
	DO(SYS_setgid, -1);
	DO(SYS_setreuid, -1, -1);
	CALL(syscall(SYS_getresuid, 8, 8, 8));
}

static void groups(void)
{
	gid_t list[4] = { 30, 10, 20, 10 }, got[8] = { 0 };
	long n;

	CALL(syscall(SYS_setgroups, 4, list));
	n = CALL(syscall(SYS_getgroups, 8, got));
	for (long i = 0; i < n; i++)
		show("group %d", (int)got[i]);
	CALL(syscall(SYS_getgroups, 3, got));
	CALL(syscall(SYS_getgroups, 0, NULL));
	CALL(syscall(SYS_getgroups, -1, got));
	CALL(syscall(SYS_setgroups, 65537, list));
	CALL(syscall(SYS_setgroups, 4, (gid_t *)8));
	CALL(syscall(SYS_setgroups, 0, NULL));
	CALL(syscall(SYS_getgroups, 8, got));
	syscall(SYS_setresuid, 1, 1, 1);
	CALL(syscall(SYS_setgroups, 1, list));
}

static void kill_needs_permission(void)
{
	pid_t pid = fork();

	if (!pid) {
		syscall(SYS_setresuid, 1, 2, 3);
		pause();
	}
	until_asleep(pid, pid);
	for (int uid = 1; uid <= 4; uid++) {
		pid_t sender = fork();
		int status;

		if (!sender) {
			syscall(SYS_setresuid, uid, uid, uid);
			_exit(kill(pid, 0) ? errno : 0);
		}
		waitpid(sender, &status, 0);
		show("kill by user %d: %s", uid, WEXITSTATUS(status) ? error_name(WEXITSTATUS(status)) : "ok");
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(void)
{
	ids();
	CHILD(root_leaves);
	CHILD(saved_id);
	CHILD(file_ids);
	CHILD(invalid);
	CHILD(groups);
	CHILD(kill_needs_permission);
	return 0;
}
