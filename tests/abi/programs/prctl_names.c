/* prctl(2): names, child subreaper, securebits, dumpable, timing, and options that do not exist. */
#include "abi.h"

#include <sys/prctl.h>

int main(void)
{
	char name[20];
	int value = -1;

	CALL(prctl(PR_SET_NAME, "exactly_fifteen", 0, 0, 0));
	CALL(prctl(PR_GET_NAME, name, 0, 0, 0));
	show("%s", name);
	CALL(prctl(PR_SET_NAME, "more_than_fifteen_bytes", 0, 0, 0));
	CALL(prctl(PR_GET_NAME, name, 0, 0, 0));
	show("%s", name);
	CALL(prctl(PR_SET_NAME, 8, 0, 0, 0));
	CALL(prctl(PR_GET_NAME, 8, 0, 0, 0));
	CALL(prctl(PR_GET_CHILD_SUBREAPER, &value, 0, 0, 0));
	show("%d", value);
	CALL(prctl(PR_SET_CHILD_SUBREAPER, 5, 0, 0, 0));
	CALL(prctl(PR_GET_CHILD_SUBREAPER, &value, 0, 0, 0));
	show("%d", value);
	CALL(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	CALL(prctl(PR_SET_DUMPABLE, 2, 0, 0, 0));
	CALL(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0));
	CALL(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
	CALL(prctl(PR_GET_TIMING, 0, 0, 0, 0));
	CALL(prctl(PR_SET_TIMING, 0, 0, 0, 0));
	CALL(prctl(PR_SET_TIMING, 1, 0, 0, 0));
	CALL(prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0));
	CALL(prctl(PR_GET_KEEPCAPS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_KEEPCAPS, 2, 0, 0, 0));
	CALL(prctl(PR_GET_SECUREBITS, 0, 0, 0, 0));
	CALL(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CALL(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_PDEATHSIG, 65, 0, 0, 0));
	CALL(prctl(PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0));
	CALL(prctl(PR_GET_PDEATHSIG, &value, 0, 0, 0));
	show("%d", value);
	CALL(prctl(PR_CAPBSET_READ, 0, 0, 0, 0));
	CALL(prctl(PR_CAPBSET_READ, 64, 0, 0, 0));
	CALL(prctl(PR_CAPBSET_DROP, 5, 0, 0, 0));
	CALL(prctl(PR_CAPBSET_READ, 5, 0, 0, 0));
	CALL(prctl(12345, 0, 0, 0, 0));
	return 0;
}
