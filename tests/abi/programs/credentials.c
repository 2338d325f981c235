/* set*id(2): what each call may change, as root and as a user; getgroups(2), setfsuid(2), and who may send signals. */
#include <grp.h>
#include <sys/fsuid.h>

#include "abi.h"

static void ids(void)
{
	uid_t r, e, s;
	gid_t gr, ge, gs;

	getresuid(&r, &e, &s);
	getresgid(&gr, &ge, &gs);
	show("uid %d %d %d gid %d %d %d", r, e, s, gr, ge, gs);
}

static void uids(uid_t r, uid_t e, uid_t s)
{
	if (setresgid(50, 60, 70) || setresuid(r, e, s))
		_exit(1);
	ids();
}

static void calls(void)
{
	for (uid_t to = 10; to <= 40; to += 10) {
		show("to %d: seteuid %ld", to, syscall(SYS_setresuid, -1, to, -1));
		ids();
	}
	CALL(syscall(SYS_setuid, 10));
	ids();
	CALL(syscall(SYS_setuid, 40));
	CALL(syscall(SYS_setreuid, 20, 10));
	ids();
	CALL(syscall(SYS_setreuid, 30, -1));
	CALL(syscall(SYS_setreuid, -1, 40));
	CALL(syscall(SYS_setresuid, 30, 30, 30));
	CALL(syscall(SYS_setresuid, -1, -1, -1));
	ids();
	CALL(syscall(SYS_setgid, 70));
	CALL(syscall(SYS_setgid, 80));
	CALL(syscall(SYS_setregid, 60, 60));
	CALL(syscall(SYS_setresgid, 50, 70, 60));
	ids();
	CALL(setgroups(0, NULL));
	CALL(setpriority(PRIO_PROCESS, 0, 5));
	CALL(setpriority(PRIO_PROCESS, 0, 0));
	CALL(kill(1, 0));
	CALL(kill(getppid(), 0));
}

static void user(void)
{
	uids(10, 20, 30);
	calls();
}

static void root_effective(void)
{
	uids(10, 0, 30);
	CALL(syscall(SYS_setuid, 40));
	ids();
	CALL(syscall(SYS_setuid, 0));
}

static void root_saved(void)
{
	uids(10, 20, 0);
	CALL(syscall(SYS_setresuid, -1, 0, -1));
	ids();
	CALL(syscall(SYS_setreuid, 15, -1));
	ids();
}

static void reuid_sets_saved(void)
{
	uids(0, 0, 0);
	CALL(syscall(SYS_setreuid, -1, 5));
	ids();
	CALL(syscall(SYS_setreuid, 5, 0));
	ids();
}

static void fsids(void)
{
	CALL(setfsuid(33));
	CALL(setfsuid(-1));
	CALL(open("roots", O_RDONLY));
	CALL(syscall(SYS_setresuid, -1, 0, -1));
	CALL(setfsuid(-1));
	CALL(setfsgid(44));
	CALL(setfsgid(-1));
}

static void groups(void)
{
	gid_t list[3] = { 7, 5, 6 };

	CALL(setgroups(3, list));
	CALL(getgroups(0, NULL));
	CALL(getgroups(2, list));
	CALL(getgroups(3, list));
	show("%d %d %d", list[0], list[1], list[2]);
	CALL(syscall(SYS_setgroups, 70000, list));
	CALL(syscall(SYS_setgroups, 1, NULL));
	CALL(getgroups(-1, list));
}

int main(void)
{
	close(open("roots", O_WRONLY | O_CREAT, 0600));
	ids();
	CHILD(user);
	CHILD(root_effective);
	CHILD(root_saved);
	CHILD(reuid_sets_saved);
	CHILD(fsids);
	CHILD(groups);
	ids();
	return 0;
}
