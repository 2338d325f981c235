/* setresuid(2), setreuid(2), setuid(2), seteuid(2): the three numbers after each call. */
#include "abi.h"

#include <grp.h>

static void ids(const char *what, int result)
{
	uid_t r, e, s;
	int error = errno;

	getresuid(&r, &e, &s);
	show("%s = %d %s: %d %d %d fs %ld", what, result, result ? error_name(error) : "", (int)r, (int)e, (int)s,
	     syscall(SYS_setfsuid, -1));
}
#define IDS(call) ids(#call, (errno = 0, (int)syscall call))

static void from_root(void)
{
	IDS((SYS_setresuid, -1, 1000, -1));
	IDS((SYS_setresuid, -1, 0, -1));
	IDS((SYS_setresuid, 1, 2, 3));
	IDS((SYS_setresuid, -1, 0, -1));
	IDS((SYS_setresuid, 3, -1, -1));
	IDS((SYS_setresuid, 1, 1, 1));
	IDS((SYS_setresuid, 2, 1, 3));
	IDS((SYS_setuid, 1));
	IDS((SYS_setuid, 0));
}

static void setreuid_rules(void)
{
	IDS((SYS_setreuid, 5, -1));
	IDS((SYS_setreuid, -1, 6));
	IDS((SYS_setreuid, 6, 5));
	IDS((SYS_setreuid, 7, -1));
	IDS((SYS_setreuid, -1, 7));
	IDS((SYS_setreuid, 5, -1));
	IDS((SYS_setreuid, -1, -1));
}

static void setuid_of_root(void)
{
	IDS((SYS_setuid, 9));
	IDS((SYS_setuid, 0));
	IDS((SYS_setresuid, -1, -1, 0));
}

static void setuid_of_user(void)
{
	IDS((SYS_setresuid, 10, 11, 12));
	IDS((SYS_setuid, 12));
	IDS((SYS_setuid, 10));
	IDS((SYS_setuid, 11));
	IDS((SYS_setuid, 13));
}

static void fsuid(void)
{
	show("%ld", syscall(SYS_setfsuid, 20));
	show("%ld", syscall(SYS_setfsuid, -1));
	IDS((SYS_setresuid, -1, 30, -1));
	show("%ld", syscall(SYS_setfsuid, 40));
	show("%ld", syscall(SYS_setfsuid, 0));
	show("%ld", syscall(SYS_setfsuid, -1));
}

static void gids(void)
{
	gid_t r, e, s;

	CALL(syscall(SYS_setresgid, 1, 2, 3));
	CALL(syscall(SYS_setresuid, 1, 1, 1));
	CALL(syscall(SYS_setresgid, 3, 1, 2));
	CALL(syscall(SYS_setresgid, 4, -1, -1));
	CALL(syscall(SYS_setgid, 2));
	CALL(syscall(SYS_setgid, 7));
	CALL(syscall(SYS_setregid, -1, 3));
	getresgid(&r, &e, &s);
	show("%d %d %d", (int)r, (int)e, (int)s);
	CALL(setgroups(0, NULL));
}

int main(void)
{
	CHILD(from_root);
	CHILD(setreuid_rules);
	CHILD(setuid_of_root);
	CHILD(setuid_of_user);
	CHILD(fsuid);
	CHILD(gids);
	CALL(syscall(SYS_getresuid, NULL, NULL, NULL));
	CALL(syscall(SYS_setresuid, -1, -1, -1));
	return 0;
}
