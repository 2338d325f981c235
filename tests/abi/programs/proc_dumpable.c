/* prctl(2): dumpable, name, keepcaps, no_new_privs, subreaper, and wrong arguments. */
#include "abi.h"

#include <sys/prctl.h>

static void as_user(void)
{
	CALL(prctl(PR_GET_DUMPABLE));
	setuid(1000);
	CALL(prctl(PR_GET_DUMPABLE));
	CALL(prctl(PR_SET_DUMPABLE, 1));
	CALL(prctl(PR_GET_DUMPABLE));
	CALL(open("/proc/self/environ", O_RDONLY) >= 0);
}

static void child_of_no_new(void)
{
	CALL(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
}

int main(void)
{
	int value = 0;

	CALL(prctl(PR_SET_DUMPABLE, 2));
	CALL(prctl(PR_SET_DUMPABLE, 0));
	CALL(prctl(PR_GET_DUMPABLE));
	CALL(prctl(PR_SET_DUMPABLE, 1));
	CHILD(as_user);
	CALL(prctl(PR_GET_KEEPCAPS));
	CALL(prctl(PR_SET_KEEPCAPS, 1));
	CALL(prctl(PR_SET_KEEPCAPS, 2));
	CALL(prctl(PR_GET_KEEPCAPS));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CHILD(child_of_no_new);
	CALL(prctl(PR_SET_CHILD_SUBREAPER, 1));
	CALL(prctl(PR_GET_CHILD_SUBREAPER, &value));
	show("%d", value);
	CALL(prctl(12345));
	CALL(prctl(PR_SET_NAME, NULL));
	CALL(prctl(PR_GET_NAME, NULL));
	return 0;
}
