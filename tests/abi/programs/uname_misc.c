/* uname(2), sethostname(2), sysinfo(2), getcpu(2), sched_*(2), prctl(2) names, getrandom(2), getrusage(2). */
#include <sched.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "abi.h"

static void death_signal(void)
{
	int p[2];
	char c;

	pipe(p);
	if (!fork()) {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			write(p[1], "x", 1);
			for (;;)
				pause();
		}
		read(p[0], &c, 1);
		_exit(0);
	}
	wait(NULL);
	close(p[1]);
	CALL(read(p[0], &c, 1));
}

int main(void)
{
	struct utsname name;
	struct sysinfo info;
	unsigned long before;
	struct rusage usage;
	struct sched_param param = { 0 };
	char comm[17] = "", buf[300];
	cpu_set_t set;

	CALL(uname(&name));
	show("%s %s", name.sysname, name.machine);
	CALL(syscall(SYS_uname, NULL));
	CALL(sethostname("testing", 7));
	uname(&name);
	show("%s", name.nodename);
	CALL(sethostname(buf, 65));
	CALL(sysinfo(&info));
	TRUTH(info.totalram >= info.freeram && info.freeram && info.mem_unit && info.procs);
	before = info.sharedram;
	CALL(fallocate(memfd_create("pages", 0), 0, 0, 8 << 20));
	CALL(sysinfo(&info));
	TRUTH(info.sharedram - before > 6 << 20); /* each CPU of Linux counts some pages for itself first */
	CALL(prctl(PR_SET_NAME, "a name that is too long"));
	CALL(prctl(PR_GET_NAME, comm));
	show("%s", comm);
	CALL(prctl(PR_SET_PDEATHSIG, 65));
	CALL(prctl(12345));
	CHILD(death_signal);
	CALL(getrandom(buf, 16, 0));
	CALL(getrandom(buf, 16, 99));
	CALL(getrusage(RUSAGE_SELF, &usage));
	CALL(getrusage(RUSAGE_CHILDREN, &usage));
	CALL(getrusage(99, &usage));
	CALL(sched_yield());
	CALL(syscall(SYS_sched_getscheduler, 0));
	CALL(syscall(SYS_sched_getparam, 0, &param));
	CALL(sched_get_priority_max(SCHED_FIFO));
	CALL(sched_get_priority_min(SCHED_FIFO));
	CALL(sched_get_priority_max(99));
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	CALL(sched_setaffinity(0, sizeof(set), &set));
	CALL(sched_getcpu());
	CALL(sched_getaffinity(0, sizeof(set), &set));
	show("%d", CPU_COUNT(&set));
	CPU_ZERO(&set);
	CALL(sched_setaffinity(0, sizeof(set), &set));
	TRUTH(syscall(SYS_gettid) == getpid());
	CALL(syscall(SYS_membarrier, 0, 0, 0) > 0);
	CALL(syscall(9999));
	CALL(syscall(-1L));
	return 0;
}
