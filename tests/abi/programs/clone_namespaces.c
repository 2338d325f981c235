/* clone(2) of namespaces by a user who may make none, or with flags that contradict them. */
#include "abi.h"

#include <sched.h>

static void nobody(void)
{
	static const unsigned long types[] = { CLONE_NEWNS, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWPID, CLONE_NEWCGROUP };

	setuid(65534);
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		show("type %lx", types[i]);
		CALL(syscall(SYS_clone, types[i] | SIGCHLD, 0, 0, 0, 0));
	}
	CALL(syscall(SYS_clone, CLONE_NEWNS | CLONE_FS | SIGCHLD, 0, 0, 0, 0));
	CALL(syscall(SYS_clone, CLONE_NEWUSER | CLONE_FS | SIGCHLD, 0, 0, 0, 0));
	CALL(syscall(SYS_clone, CLONE_NEWPID | CLONE_THREAD | CLONE_SIGHAND | CLONE_VM, 0, 0, 0, 0));
}

int main(void)
{
	CHILD(nobody);
	return 0;
}
