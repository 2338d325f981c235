/* What belongs to the memory of a process: a child inherits it, and exec sets it anew. */
#include "abi.h"

#include <linux/membarrier.h>
#include <sys/prctl.h>

static void look(const char *name)
{
	long barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);

	show("%s: dumpable %d, membarrier %s", name, prctl(PR_GET_DUMPABLE), barrier ? error_name(errno) : "0");
}

static void child(void)
{
	look("child");
	execl("/proc/self/exe", "again", "after", NULL);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		look("after exec");
		return 0;
	}
	look("first");
	CALL(prctl(PR_SET_DUMPABLE, 0));
	CALL(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
	look("set");
	CHILD(child);
	return 0;
}
