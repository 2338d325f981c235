/* setgroups(2), getgroups(2), and what supplementary groups open. */
#include "abi.h"

#include <grp.h>

static gid_t groups[70000];

static void user(void)
{
	gid_t own[] = { 300, 100, 200, 100 };
	int n;

	CALL(setgroups(4, own));
	setgid(50);
	setuid(1000);
	n = getgroups(10, groups);
	show("%d: %u %u %u %u", n, groups[0], groups[1], groups[2], groups[3]);
	CALL(getgroups(0, NULL));
	CALL(getgroups(2, groups));
	CALL(syscall(SYS_getgroups, -1, groups));
	CALL(setgroups(1, own));
	CALL(access("of_200", R_OK));
	CALL(access("of_201", R_OK));
	CALL(access("of_50", R_OK));
	CALL(chown("mine", -1, 200));
	CALL(chown("mine", -1, 201));
	CALL(chown("mine", -1, 50));
	CALL(chown("mine", 1001, -1));
}

static void make(const char *name, uid_t uid, gid_t gid)
{
	close(open(name, O_CREAT | O_WRONLY, 0640));
	chown(name, uid, gid);
	chmod(name, 0640);
}

int main(void)
{
	chmod(".", 0777);
	make("of_200", 0, 200);
	make("of_201", 0, 201);
	make("of_50", 0, 50);
	make("mine", 1000, 50);
	CHILD(user);
	for (unsigned i = 0; i < 70000; i++)
		groups[i] = i;
	CALL(setgroups(65537, groups));
	CALL(setgroups(65536, groups));
	CALL(getgroups(0, NULL));
	CALL(setgroups(0, NULL));
	CALL(getgroups(0, NULL));
	groups[0] = (gid_t)-1;
	CALL(setgroups(1, groups));
	CALL(syscall(SYS_setgroups, 1, NULL));
	return 0;
}
