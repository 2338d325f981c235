/* prctl(2), personality(2), and the calls about the system: uname, sysinfo, getcpu, getrandom, reboot. */
#include "abi.h"
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

int main(void)
{
	char name[17] = "", bytes[4096] = "", other[4096] = "";
	struct utsname uts;
	struct sysinfo info;
	unsigned cpu = 999, node = 999;
	int n = -1;

	CALL(prctl(PR_SET_NAME, "a name that is far too long"));
	CALL(prctl(PR_GET_NAME, name));
	show("%s", name);
	CALL(prctl(PR_SET_NAME, 8));
	CALL(prctl(PR_GET_NAME, 8));
	CALL(prctl(PR_GET_DUMPABLE));
	CALL(prctl(PR_SET_DUMPABLE, 0));
	CALL(prctl(PR_GET_DUMPABLE));
	CALL(prctl(PR_SET_DUMPABLE, 2));
	CALL(prctl(PR_SET_DUMPABLE, 1));
	CALL(prctl(PR_GET_KEEPCAPS));
	CALL(prctl(PR_SET_KEEPCAPS, 2));
	CALL(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 1, 0, 0));
	CALL(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	CALL(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	CALL(prctl(PR_GET_CHILD_SUBREAPER, &n));
	show("%d", n);
	CALL(prctl(PR_GET_TIMING));
	CALL(prctl(PR_SET_TIMING, 1));
	CALL(prctl(PR_GET_PDEATHSIG, 8));
	CALL(prctl(12345));
	CALL(personality(0xffffffff));
	CALL(personality(ADDR_NO_RANDOMIZE));
	CALL(personality(0));

	CALL(uname(&uts));
	show("%s %s", uts.sysname, uts.machine);
	TRUTH(!strncmp(uts.release, "6.1.", 4));
	CALL(syscall(SYS_uname, 8));
	CALL(sethostname("abc", 3));
	uname(&uts);
	show("%s", uts.nodename);
	CALL(sethostname(bytes, 65));
	CALL(sethostname(bytes, -1));
	CALL(sethostname("x", 1));
	CALL(setdomainname("y", 1));
	uname(&uts);
	show("%s", uts.domainname);

	CALL(sysinfo(&info));
	TRUTH(info.totalram * info.mem_unit > 50 << 20);
	TRUTH(info.freeram < info.totalram);
	TRUTH(info.uptime < 100000);
	TRUTH(info.procs > 2);
	CALL(syscall(SYS_sysinfo, 8));
	CALL(syscall(SYS_getcpu, &cpu, &node, NULL));
	TRUTH(cpu < 64 && node == 0);
	CALL(syscall(SYS_getcpu, NULL, NULL, NULL));

	CALL(syscall(SYS_getrandom, bytes, 4096, 0));
	CALL(syscall(SYS_getrandom, other, 4096, 1));
	TRUTH(memcmp(bytes, other, 4096));
	CALL(syscall(SYS_getrandom, bytes, 0, 0));
	CALL(syscall(SYS_getrandom, bytes, 1, 8));
	CALL(syscall(SYS_getrandom, bytes, 1, 6));
	CALL(syscall(SYS_getrandom, 8, 10, 0));
	CALL(syscall(SYS_reboot, 1, 2, 3, 0));
	CALL(syscall(SYS_reboot, 0xfee1dead, 672274793, 0x1234, 0));
	return 0;
}
