/* Capabilities of root, of a user, and after changes of ids: capget(2), capset(2), prctl(2). */
#include "abi.h"
#include <sys/prctl.h>

/* As in <linux/capability.h>, which musl does not bring. */
#define _LINUX_CAPABILITY_VERSION_1 0x19980330
#define _LINUX_CAPABILITY_VERSION_3 0x20080522
#define CAP_CHOWN                   0
#define CAP_FOWNER                  3
#define CAP_KILL                    5
struct __user_cap_header_struct {
	uint32_t version;
	int pid;
};
struct __user_cap_data_struct {
	uint32_t effective, permitted, inheritable;
};

static void caps(const char *when)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	syscall(SYS_capget, &head, data);
	show("%s: effective %x%08x permitted %x%08x inheritable %x%08x", when, data[1].effective, data[0].effective,
	     data[1].permitted, data[0].permitted, data[1].inheritable, data[0].inheritable);
}

static void versions(void)
{
	struct __user_cap_header_struct head = { 0, 0 };
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	CALL(syscall(SYS_capget, &head, data));
	show("version %x", head.version);
	head.version = 1;
	CALL(syscall(SYS_capget, &head, NULL));
	show("version %x", head.version);
	head.pid = -1;
	CALL(syscall(SYS_capget, &head, data));
	head.pid = 999999;
	CALL(syscall(SYS_capget, &head, data));
	head.pid = 1;
	CALL(syscall(SYS_capset, &head, data));
	CALL(syscall(SYS_capget, 8, data));
	head = (struct __user_cap_header_struct){ _LINUX_CAPABILITY_VERSION_1, 0 };
	CALL(syscall(SYS_capget, &head, data));
	show("%x", data[0].effective);
}

static void changes(void)
{
	caps("root");
	syscall(SYS_setresuid, -1, 1000, -1);
	caps("euid 1000");
	syscall(SYS_setresuid, -1, 0, -1);
	caps("euid 0 again");
	syscall(SYS_setfsuid, 1000);
	caps("fsuid 1000");
	syscall(SYS_setfsuid, 0);
	caps("fsuid 0");
	CALL(prctl(PR_SET_KEEPCAPS, 1));
	syscall(SYS_setresuid, 1000, 1000, 1000);
	caps("user 1000, kept");
}

static void all_lost(void)
{
	syscall(SYS_setresuid, 1000, 1000, 1000);
	caps("user 1000");
	CALL(sethostname("x", 1));
	CALL(prctl(PR_CAPBSET_DROP, 5));
	CALL(setpriority(PRIO_PROCESS, 0, -1));
}

static void set(void)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2];

	syscall(SYS_capget, &head, data);
	data[0].effective = 1 << CAP_CHOWN;
	data[1].effective = 0;
	CALL(syscall(SYS_capset, &head, data));
	caps("only chown");
	CALL(sethostname("x", 1));
	data[0].permitted = 1 << CAP_CHOWN | 1 << CAP_KILL;
	data[1].permitted = 0;
	CALL(syscall(SYS_capset, &head, data));
	caps("two permitted");
	data[0].permitted |= 1 << CAP_FOWNER;
	CALL(syscall(SYS_capset, &head, data));
	data[0].permitted = 1 << CAP_CHOWN | 1 << CAP_KILL;
	data[0].effective = 1 << CAP_FOWNER;
	CALL(syscall(SYS_capset, &head, data));
	data[0].effective = 0;
	data[0].inheritable = 1 << CAP_KILL;
	CALL(syscall(SYS_capset, &head, data));
	caps("inheritable");
}

static void bounding_set(void)
{
	CALL(prctl(PR_CAPBSET_READ, CAP_KILL));
	CALL(prctl(PR_CAPBSET_DROP, CAP_KILL));
	CALL(prctl(PR_CAPBSET_READ, CAP_KILL));
	CALL(prctl(PR_CAPBSET_READ, 63));
	CALL(prctl(PR_CAPBSET_DROP, 63));
	caps("dropped from the bounding set");
	if (!fork()) {
		execl("/proc/self/exe", "x", "show", NULL);
		_exit(1);
	}
	waitpid(-1, NULL, 0);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		caps("after exec");
		return 0;
	}
	CHILD(versions);
	CHILD(changes);
	CHILD(all_lost);
	CHILD(set);
	CHILD(bounding_set);
	return 0;
}
