/* What user 1000 may do to a process of root, and to the machine: almost nothing, each call asks first. */
#include <linux/sched.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/uio.h>

#include "abi.h"

struct attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static pid_t root; /* a process of root, which waits */

static void scheduling(void)
{
	struct sched_param param = { 0 };
	struct attr attr = { .size = sizeof(attr), .nice = 5 };
	cpu_set_t mask;

	CPU_ZERO(&mask);
	CPU_SET(0, &mask);
	CALL(syscall(SYS_sched_setaffinity, root, sizeof(mask), &mask));
	OK(syscall(SYS_sched_getaffinity, root, sizeof(mask), &mask));
	CALL(syscall(SYS_sched_setscheduler, root, SCHED_BATCH, &param));
	CALL(syscall(SYS_sched_setscheduler, root, SCHED_OTHER, &param));
	CALL(syscall(SYS_sched_setparam, root, &param));
	CALL(syscall(SYS_sched_setattr, root, &attr, 0));
	CALL(syscall(SYS_sched_getscheduler, root));
	CALL(syscall(SYS_sched_getparam, root, &param));
	CALL(syscall(SYS_sched_getattr, root, &attr, sizeof(attr), 0));
	CALL(setpriority(PRIO_PROCESS, root, 5));
	CALL(setpriority(PRIO_PROCESS, root, -5));
	CALL(getpriority(PRIO_PROCESS, root));
	CALL(syscall(SYS_ioprio_set, 1, root, 2 << 13 | 7));
	CALL(syscall(SYS_ioprio_set, 1, root, 3 << 13));
	CALL(syscall(SYS_ioprio_set, 2, getpgrp(), 2 << 13 | 7));
	CALL(syscall(SYS_ioprio_set, 3, 0, 2 << 13 | 7));
	OK(syscall(SYS_ioprio_get, 1, root));
	CALL(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 7));
	CALL(syscall(SYS_ioprio_set, 1, 0, 3 << 13));
	CALL(syscall(SYS_ioprio_set, 1, 0, 3 << 13 | 3));
	CALL(syscall(SYS_ioprio_set, 1, 0, 1 << 13 | 4));
	CALL(syscall(SYS_ioprio_set, 1, 0, 1 << 13 | 8));
	CALL(syscall(SYS_ioprio_set, 1, 0, 2 << 13 | 8));
	CALL(syscall(SYS_ioprio_set, 1, 0, 4 << 13));
	CALL(syscall(SYS_ioprio_set, 1, 0, 7));
	CALL(syscall(SYS_ioprio_set, 1, 0, 0));
	CALL(syscall(SYS_ioprio_set, 1, 999999, 0));
	CALL(syscall(SYS_ioprio_set, 4, 0, 0));
}

static void signals(void)
{
	siginfo_t info = { .si_signo = SIGUSR1, .si_code = SI_QUEUE };
	int pidfd = (int)syscall(SYS_pidfd_open, root, 0);

	CALL(kill(root, 0));
	CALL(kill(root, SIGCONT));
	CALL(syscall(SYS_tgkill, root, root, SIGUSR1));
	CALL(syscall(SYS_tkill, root, SIGUSR1));
	CALL(syscall(SYS_rt_sigqueueinfo, root, SIGUSR1, &info));
	CALL(syscall(SYS_rt_tgsigqueueinfo, root, root, SIGUSR1, &info));
	CALL(syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, NULL, 0));
	CALL(syscall(SYS_pidfd_send_signal, pidfd, SIGUSR1, &info, 0));
	info.si_code = SI_USER;
	CALL(syscall(SYS_rt_sigqueueinfo, root, SIGUSR1, &info));
	info.si_code = SI_TKILL;
	CALL(syscall(SYS_rt_sigqueueinfo, root, SIGUSR1, &info));
	CALL(syscall(SYS_rt_tgsigqueueinfo, root, root, SIGUSR1, &info));
}

static void memory_and_limits(void)
{
	struct iovec iov = { &root, sizeof(root) };
	struct rlimit limit;
	size_t size;
	void *head;

	CALL(syscall(SYS_prlimit64, root, RLIMIT_NOFILE, NULL, &limit));
	CALL(syscall(SYS_get_robust_list, root, &head, &size));
	CALL(syscall(SYS_process_vm_readv, root, &iov, 1, &iov, 1, 0));
	CALL(syscall(SYS_process_vm_writev, root, &iov, 1, &iov, 1, 0));
	CALL(setpgid(root, 0));
}

static void machine(void)
{
	struct timeval tv = { 1, 0 };
	struct timespec ts = { 1, 0 };

	CALL(sethostname("x", 1));
	CALL(setdomainname("x", 1));
	CALL(settimeofday(&tv, NULL));
	CALL(clock_settime(CLOCK_REALTIME, &ts));
	CALL(mount("none", ".", "tmpfs", 0, NULL));
	CALL(umount2(".", 0));
	CALL(chroot("."));
	CALL((int)syscall(SYS_pivot_root, ".", "."));
	CALL(reboot(RB_ENABLE_CAD));
	CALL((int)syscall(SYS_reboot, 0, 0, 0, 0));
	CALL((int)syscall(SYS_vhangup));
	CALL((int)syscall(SYS_init_module, NULL, 0, ""));
	CALL((int)syscall(SYS_delete_module, "x", 0));
	CALL((int)syscall(SYS_syslog, 3, &tv, 8));
	CALL((int)syscall(SYS_syslog, 10, NULL, 0));
	CALL((int)syscall(SYS_syslog, 2, &tv, 8));
	CALL((int)syscall(SYS_syslog, 5, NULL, 0));
	CALL((int)syscall(SYS_syslog, 8, NULL, 7));
	CALL(open("/dev/kmsg", O_WRONLY));
	CALL(open("/dev/kmsg", O_RDONLY));
	CALL(open("/proc/sysrq-trigger", O_WRONLY));
	CALL(open("/proc/kcore", O_RDONLY));
	CALL(open("/proc/sys/kernel/kptr_restrict", O_WRONLY));
	CALL(open("/proc/sys/kernel/dmesg_restrict", O_WRONLY));
}

/* Whether a field of the lines of a file is ever another number than 0. */
static void addresses(const char *path, int field)
{
	FILE *file = fopen(path, "r");
	char line[512];
	int n = 0, shown = 0;

	if (!file) {
		show("%s: %s", path, errno == EACCES ? "EACCES" : "?");
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		char *at = line;

		for (int i = 0; i < field && at; i++)
			at = strchr(at, ' ') ? strchr(at, ' ') + 1 : NULL;
		n++;
		if (at && strtoull(at, NULL, 16))
			shown++;
	}
	show("%s: %s", path, shown ? "addresses" : "zeros");
	fclose(file);
}

static void restrict_to(const char *value)
{
	int fd = open("/proc/sys/kernel/kptr_restrict", O_WRONLY);

	CALL((int)write(fd, value, strlen(value)));
	close(fd);
}

static void files_of_addresses(void)
{
	addresses("/proc/kallsyms", 0);
}

static void as_user(void (*fn)(void))
{
	if (!fork()) {
		(void)!setgid(1000);
		(void)!setuid(1000);
		fn();
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	int gate[2];
	char c;

	mount("none", "/proc", "proc", 0, NULL);
	pipe(gate);
	root = fork();
	if (!root) {
		close(gate[1]);
		read(gate[0], &c, 1);
		_exit(0);
	}
	as_user(scheduling);
	as_user(signals);
	as_user(memory_and_limits);
	as_user(machine);
	for (int i = 0; i < 3; i++) {
		restrict_to((const char *[]){ "0", "1", "2" }[i]);
		files_of_addresses();
		as_user(files_of_addresses);
	}
	restrict_to("3");
	restrict_to("0");
	close(gate[1]);
	wait(NULL);
	return 0;
}
