/*
 * Makes random system calls with arguments that are half sensible.
 *
 *     fuzz_calls SECONDS [SEED]
 *
 * One worker for each CPU. A worker forks one child after another, and at least one; each child makes a few hundred
 * calls that its seed decides, and is killed after a while. Every second child is root, in a
 * directory that it cannot leave, without the calls by which root may stop or change the machine.
 * The others are the user nobody, who sees the whole file system and may try each call. Started by
 * another user than root, all children are that user's, and work below the current directory.
 *
 * Prints the first seed, and at the end how many children there were. A child that SIGKILL does not
 * end is an error. Whoever calls this program checks that nothing of others has changed.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY	   65534
#define CALLS	   300	/* of a child */
#define LAST_CALL  460
#define FORKS	   6	/* of a child and its children */
#define CHILD_TIME 1	/* seconds; a call that waits is interrupted after 10 ms */
#define AREA	   (16 * 4096)
#define FILES	   32	/* descriptors that are open at the start, at most */
#define PORT	   7000	/* and the ports after it: sockets meet there */

/*
 * The kinds of arguments: f descriptor, p path, b buffer, l length, i any number, s small number, S
 * signal, P process, t timespec, a address of a mapping, A family of
 * sockets, n name of a socket, e its length. Other calls get any of them.
 */
static const struct {
	int number;
	const char *arguments;
} known[] = {
	{ SYS_read, "fbl" }, { SYS_write, "fbl" }, { SYS_open, "pis" }, { SYS_close, "f" },
	{ SYS_stat, "pb" }, { SYS_fstat, "fb" }, { SYS_lstat, "pb" }, { SYS_poll, "bss" },
	{ SYS_lseek, "fis" }, { SYS_mmap, "alsifl" }, { SYS_mprotect, "als" }, { SYS_munmap, "al" },
	{ SYS_brk, "a" }, { SYS_rt_sigaction, "Sbbs" }, { SYS_rt_sigprocmask, "sbbs" },
	{ SYS_ioctl, "fib" }, { SYS_pread64, "fbli" }, { SYS_pwrite64, "fbli" }, { SYS_readv, "fbs" },
	{ SYS_writev, "fbs" }, { SYS_access, "ps" }, { SYS_pipe, "b" }, { SYS_select, "sbbbt" },
	{ SYS_mremap, "allsa" }, { SYS_msync, "als" }, { SYS_mincore, "alb" }, { SYS_madvise, "als" },
	{ SYS_dup, "f" }, { SYS_dup2, "ff" }, { SYS_nanosleep, "tb" }, { SYS_alarm, "s" },
	{ SYS_sendfile, "ffbl" }, { SYS_socket, "Ass" }, { SYS_connect, "fne" }, { SYS_accept, "fbb" },
	{ SYS_sendto, "fblsne" }, { SYS_recvfrom, "fblsbb" }, { SYS_sendmsg, "fbs" },
	{ SYS_recvmsg, "fbs" }, { SYS_shutdown, "fs" }, { SYS_bind, "fne" }, { SYS_listen, "fs" },
	{ SYS_socketpair, "Assb" }, { SYS_getsockname, "fbb" }, { SYS_getpeername, "fbb" }, { SYS_accept4, "fbbs" }, { SYS_setsockopt, "fssbs" }, { SYS_getsockopt, "fssbb" },
	{ SYS_clone, "iabbb" }, { SYS_execve, "pbb" }, { SYS_wait4, "Pbsb" }, { SYS_kill, "PS" },
	{ SYS_fcntl, "fsi" }, { SYS_flock, "fs" }, { SYS_truncate, "pl" }, { SYS_ftruncate, "fl" },
	{ SYS_getdents64, "fbl" }, { SYS_getcwd, "bl" }, { SYS_chdir, "p" }, { SYS_fchdir, "f" },
	{ SYS_rename, "pp" }, { SYS_mkdir, "ps" }, { SYS_rmdir, "p" }, { SYS_creat, "ps" },
	{ SYS_link, "pp" }, { SYS_unlink, "p" }, { SYS_symlink, "pp" }, { SYS_readlink, "pbl" },
	{ SYS_chmod, "ps" }, { SYS_fchmod, "fs" }, { SYS_chown, "pss" }, { SYS_lchown, "pss" },
	{ SYS_setxattr, "ppbls" }, { SYS_lsetxattr, "ppbls" }, { SYS_fsetxattr, "fpbls" },
	{ SYS_getxattr, "ppbl" }, { SYS_fgetxattr, "fpbl" }, { SYS_listxattr, "pbl" }, { SYS_removexattr, "pp" },
	{ SYS_getrlimit, "sb" }, { SYS_getrusage, "sb" }, { SYS_setresuid, "sss" },
	{ SYS_setgroups, "sb" }, { SYS_setpgid, "PP" }, { SYS_setsid, "" }, { SYS_rt_sigpending, "bs" },
	{ SYS_rt_sigtimedwait, "bbts" }, { SYS_rt_sigqueueinfo, "PSb" }, { SYS_rt_sigsuspend, "bs" },
	{ SYS_sigaltstack, "bb" }, { SYS_mknod, "pss" }, { SYS_personality, "i" },
	{ SYS_statfs, "pb" }, { SYS_setpriority, "sPs" }, { SYS_sched_setaffinity, "Psb" },
	{ SYS_sched_setscheduler, "Psb" }, { SYS_mlock, "al" }, { SYS_munlock, "al" },
	{ SYS_mlockall, "s" }, { SYS_prctl, "sisii" }, { SYS_arch_prctl, "ia" }, { SYS_setrlimit, "sb" },
	{ SYS_chroot, "p" }, { SYS_mount, "pppib" }, { SYS_umount2, "ps" }, { SYS_futex, "asitas" },
	{ SYS_epoll_create, "s" }, { SYS_epoll_ctl, "fsfb" }, { SYS_epoll_wait, "fbss" },
	{ SYS_timer_create, "sbb" }, { SYS_timer_settime, "ssbb" }, { SYS_clock_gettime, "sb" },
	{ SYS_clock_nanosleep, "sstb" }, { SYS_tgkill, "PPS" }, { SYS_utimensat, "fpts" },
	{ SYS_waitid, "sPbsb" }, { SYS_inotify_add_watch, "fpi" }, { SYS_openat, "fpis" },
	{ SYS_mkdirat, "fps" }, { SYS_newfstatat, "fpbs" }, { SYS_unlinkat, "fps" },
	{ SYS_renameat2, "fpfps" }, { SYS_linkat, "fpfps" }, { SYS_fchmodat, "fps" },
	{ SYS_faccessat, "fps" }, { SYS_pselect6, "sbbbtb" }, { SYS_ppoll, "bstbs" },
	{ SYS_set_robust_list, "bs" }, { SYS_splice, "fbfbls" }, { SYS_tee, "ffls" },
	{ SYS_vmsplice, "fbss" }, { SYS_signalfd4, "fbss" }, { SYS_fallocate, "fsll" },
	{ SYS_timerfd_settime, "fsbb" }, { SYS_dup3, "ffi" }, { SYS_pipe2, "bi" },
	{ SYS_preadv, "fbsi" }, { SYS_pwritev, "fbsi" }, { SYS_prlimit64, "Psbb" },
	{ SYS_sendmmsg, "fbss" }, { SYS_recvmmsg, "fbsst" }, { SYS_getrandom, "bls" },
	{ SYS_memfd_create, "ps" }, { SYS_execveat, "fpbbs" }, { SYS_membarrier, "ss" },
	{ SYS_copy_file_range, "fbfbls" }, { SYS_statx, "fpsib" }, { SYS_process_vm_readv, "Pbsbss" },
	{ SYS_process_vm_writev, "Pbsbss" }, { SYS_fork, "" },
};

/* Not for root: calls that stop or change the machine, or the scheduling of others. */
static const int not_for_root[] = {
	SYS_reboot, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_swapon, SYS_swapoff, SYS_sethostname,
	SYS_setdomainname, SYS_settimeofday, SYS_clock_settime, SYS_mknod,
	SYS_mknodat, SYS_syslog, SYS_sched_setscheduler, SYS_sched_setparam, SYS_setpriority,
	SYS_sched_setattr, SYS_iopl, SYS_ioperm, SYS_init_module, SYS_finit_module, SYS_delete_module,
	SYS_kexec_load, SYS_vhangup, SYS_quotactl, SYS_acct, SYS_nfsservctl, SYS_mlockall, SYS_mlock,
};

static unsigned long state;

static unsigned long random_u64(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dUL;
}

static unsigned long below(unsigned long n)
{
	return (random_u64() >> 11) % n;
}

static char *area;	/* AREA bytes that can be written, and a page behind them that is not there */
static int *forks_left; /* shared by a child and its children */
static int root;

static const char *const paths[] = {
	".", "..", "a", "a/b", "a/../b", "b", "c", "link", "a/link/x", "fifo", "", "/", "/tmp", "/tmp/",
	"/etc/passwd", "/etc/shadow", "/proc/self/maps", "/proc/1/maps", "/proc/1/mem", "/proc/self/fd/0",
	"/proc/self/exe", "/proc/self/environ", "/dev/null", "/dev/zero", "/dev/console",
	"/dev/ttyS0", "/dev/tty", "/sys/kernel/tracing/trace", "/sys/kernel/tracing/tracing_on",
	"/usr/bin/busybox", "/proc/self/task", "/dev/full", "/proc/kallsyms", "/dev/ptmx", "/dev/random",
};

static unsigned long odd_address(void)
{
	switch (below(8)) {
	case 0:
		return 0;
	case 1:
		return ~0UL - below(4096);
	case 2:
		return 0xffffffff80000000UL + below(1UL << 22); /* the kernel's image */
	case 3:
		return 0xffff888000000000UL + below(1UL << 27);
	case 4:
		return 0x00007ffffffff000UL - below(2) * 8 + below(3) * 4096;
	case 5:
		return 1UL << (40 + below(24)); /* some are not canonical */
	case 6:
		return (unsigned long)area + AREA - below(16); /* ends in the page that is not there */
	}
	return below(65536);
}

static unsigned long buffer(void)
{
	if (!below(8))
		return odd_address();
	return (unsigned long)area + below(AREA - 512) / 8 * 8;
}

static unsigned long any_number(void)
{
	switch (below(6)) {
	case 0:
		return below(16);
	case 1:
		return 1UL << below(64);
	case 2:
		return ~0UL << below(64);
	case 3:
		return random_u64();
	case 4:
		return random_u64() & random_u64() & random_u64() & 0xffffffff;
	}
	return below(65536);
}

static unsigned long process(void)
{
	switch (below(6)) {
	case 0:
		return (unsigned long)getpid();
	case 1:
		return root ? 0 : 1;
	case 2:
		return root ? 0 : below(100);
	case 3:
		return root ? 0 : any_number();
	}
	return 0;
}

/* A name that a socket may have: mostly one of AF_INET on lo. */
static unsigned long socket_name(void)
{
	static const unsigned char families[] = { AF_INET, AF_INET, AF_INET, AF_UNIX, AF_NETLINK, AF_UNSPEC };
	static struct sockaddr_in names[8]; /* not in the area: that may be gone, and the child would end here */
	struct sockaddr_in *name = &names[below(8)];

	if (!below(12))
		return buffer();
	name->sin_family = families[below(sizeof(families))];
	name->sin_port = htons((unsigned short)(below(8) ? PORT + below(4) : below(65536)));
	name->sin_addr.s_addr = htonl((unsigned)(below(8) ? INADDR_LOOPBACK + below(2) : any_number()));
	return (unsigned long)name;
}

static unsigned long argument(char kind)
{
	static const unsigned char families[] = { AF_INET, AF_INET, AF_UNIX, AF_NETLINK };

	switch (kind) {
	case 'A':
		return below(10) ? families[below(sizeof(families))] : below(50);
	case 'n':
		return socket_name();
	case 'e':
		return below(10) ? sizeof(struct sockaddr_in) : below(130);
	case 'f':
		return below(10) ? below(FILES) : below(2) ? (unsigned long)-100 /* AT_FDCWD */ : any_number();
	case 'p':
		return below(12) ? (unsigned long)paths[below(sizeof(paths) / sizeof(paths[0]))] : buffer();
	case 'b':
		return buffer();
	case 'l':
		return below(4) ? below(3 * 4096) : any_number();
	case 's':
		return below(5) ? below(20) : any_number();
	case 'S':
		return below(6) ? below(66) : any_number();
	case 'P':
		return process();
	case 't': {
		long *ts = (long *)(area + below(AREA / 2) / 8 * 8);

		ts[0] = below(8) ? 0 : (long)any_number();
		ts[1] = (long)below(1000000);
		return below(8) ? (unsigned long)ts : odd_address();
	}
	case 'a':
		return below(4) ? (unsigned long)area + below(16) * 4096 : odd_address();
	}
	return any_number();
}

static int forbidden(unsigned long number)
{
	if (number == SYS_exit || number == SYS_exit_group || number == SYS_rt_sigreturn || number == SYS_pause)
		return below(8) != 0;
	for (size_t i = 0; root && i < sizeof(not_for_root) / sizeof(not_for_root[0]); i++)
		if ((unsigned long)not_for_root[i] == number)
			return 1;
	return 0;
}

/* Calls by which root could reach processes of others get only its own. */
static int reaches_processes(unsigned long number)
{
	return number == SYS_kill || number == SYS_tkill || number == SYS_tgkill || number == SYS_rt_sigqueueinfo ||
	       number == SYS_rt_tgsigqueueinfo || number == SYS_prlimit64 || number == SYS_process_vm_writev ||
	       number == SYS_ptrace || number == SYS_sched_setaffinity || number == SYS_ioprio_set ||
	       number == SYS_pidfd_open || number == SYS_pidfd_send_signal || number == SYS_setpgid ||
	       number == SYS_migrate_pages || number == SYS_move_pages || number == SYS_process_madvise;
}

static void one_call(void)
{
	const char *kinds = NULL;
	unsigned long number, a[6];

	if (below(5)) {
		size_t i = below(sizeof(known) / sizeof(known[0]));

		number = (unsigned long)known[i].number;
		kinds = known[i].arguments;
	} else {
		number = below(50) ? below(LAST_CALL) : any_number();
	}
	if (forbidden(number))
		return;
	for (size_t i = 0; i < 6; i++)
		a[i] = kinds && i < strlen(kinds) ? argument(kinds[i]) : argument("fpblisSPta"[below(10)]);
	if (root && reaches_processes(number))
		a[0] = a[1] = (unsigned long)getpid(), a[2] = number == SYS_kill ? 0 : a[2];
	if (number == SYS_fork || number == SYS_vfork || number == SYS_clone || number == SYS_clone3) {
		if (__atomic_fetch_sub(forks_left, 1, __ATOMIC_RELAXED) <= 0)
			return;
		if (number == SYS_vfork || number == SYS_clone3 || below(4))
			number = SYS_fork;
		if (number == SYS_clone && (a[0] & 0x100)) /* CLONE_VM needs a stack */
			a[1] = (unsigned long)area + AREA / 2;
	}
	syscall((long)number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* Sockets of AF_INET, which do not wait, and one of AF_NETLINK. */
static void open_sockets(void)
{
	struct sockaddr_in name = { .sin_family = AF_INET,
				    .sin_port = htons((unsigned short)(PORT + below(4))),
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), udp = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	int yes = 1, client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
	if (!bind(listener, (struct sockaddr *)&name, sizeof(name)))
		listen(listener, 2);
	connect(client, (struct sockaddr *)&name, sizeof(name));
	bind(udp, (struct sockaddr *)&name, sizeof(name));
	socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK, IPPROTO_ICMP);
	socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK, 0);
}

/* The loopback interface must be up: only root may do that, and may fail where there is none. */
static void set_lo_up(void)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	ioctl(fd, SIOCSIFFLAGS, &request);
	close(fd);
}

/* Descriptors of each kind, at random places. */
static void open_files(void)
{
	int pair[2];

	for (int i = 0; i < FILES; i++)
		close(i);
	if (!pipe2(pair, O_NONBLOCK) && !pipe(pair) && !socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair);
	eventfd(0, EFD_NONBLOCK);
	epoll_create1(0);
	timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	open(".", O_RDONLY | O_DIRECTORY);
	open("a", O_RDWR | O_CREAT, 0666);
	open("b", O_RDWR | O_CREAT | O_APPEND, 0600);
	open("/dev/zero", O_RDWR);
	open("/dev/null", O_RDWR);
	open("/proc/self/maps", O_RDONLY);
	open("/proc/self/mem", O_RDWR);
	syscall(SYS_memfd_create, "x", 0);
	syscall(SYS_inotify_init1, O_NONBLOCK);
	open("/dev/ptmx", O_RDWR | O_NONBLOCK | O_NOCTTY);
	open_sockets();
}

static void limit(int what, rlim_t value)
{
	setrlimit(what, &(struct rlimit){ value, value });
}

static void on_alarm(int signal)
{
	(void)signal;
}

static void child(unsigned long seed, const char *directory)
{
	state = seed * 2 + 1;
	for (int i = 0; i < 5; i++)
		random_u64();
	setsid();
	if (chdir(directory) || (root && chroot(".")))
		_exit(1);
	limit(RLIMIT_FSIZE, 1 << 20);
	limit(RLIMIT_AS, 64 << 20);
	limit(RLIMIT_NPROC, 60);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_CORE, 0);
	if (!root && !geteuid() && (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY)))
		_exit(1);
	forks_left = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*forks_left = FORKS;
	area = mmap(NULL, AREA + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(area + AREA, 4096);
	for (size_t i = 0; i < AREA / 8; i++)
		((unsigned long *)area)[i] = below(3) ? below(256) : buffer();
	open_files();
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = on_alarm }, NULL);
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, 10000 }, { 0, 10000 } }, NULL);
	for (int i = 0; i < CALLS; i++)
		one_call();
	_exit(0);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	return ftw->level ? remove(path) : 0;
}

/* Kills all children of this process; also those whose parents have ended. */
static void kill_children(void)
{
	char name[300], text[512], comm[64], kind;
	DIR *proc = opendir("/proc");
	int pid, parent;

	for (struct dirent *entry; proc && (entry = readdir(proc));) {
		FILE *stat;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(name, sizeof(name), "/proc/%s/stat", entry->d_name);
		stat = fopen(name, "r");
		if (!stat)
			continue;
		if (fgets(text, sizeof(text), stat) && strrchr(text, ')') &&
		    sscanf(text, "%d (%63[^)]", &pid, comm) == 2 &&
		    sscanf(strrchr(text, ')'), ") %c %d", &kind, &parent) == 2 && parent == getpid())
			kill(pid, SIGKILL);
		fclose(stat);
	}
	if (proc)
		closedir(proc);
}

/* Waits until the worker has no children. False: one of them does not end. */
static int reap(unsigned tenths)
{
	for (unsigned waited = 0; waited < tenths; waited++) {
		pid_t pid;

		while ((pid = waitpid(-1, NULL, WNOHANG | __WALL)) > 0)
			;
		if (pid < 0)
			return 1;
		usleep(100000);
		if (waited >= CHILD_TIME * 10)
			kill_children();
	}
	return 0;
}

static int worker(unsigned cpu, unsigned long seed, time_t end, int report)
{
	unsigned long children = 0;
	char directory[32];

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	do {
		pid_t pid;

		root = (seed & 1) != 0 && !geteuid();
		snprintf(directory, sizeof(directory), geteuid() ? "fuzz%u" : "/tmp/fuzz%u", cpu);
		if (mkdir(directory, 0777) && errno != EEXIST)
			return 1;
		chmod(directory, 0777);
		if (!root && !geteuid() && chown(directory, NOBODY, NOBODY))
			return 1;
		pid = fork();
		if (!pid)
			child(seed, directory);
		if (pid > 0)
			waitpid(pid, NULL, __WALL | WNOHANG);
		while (pid > 0 && waitpid(pid, NULL, WNOHANG | __WALL) == 0) {
			static unsigned waits;

			usleep(2000);
			if (++waits % 500 == 0)
				kill_children();
			if (waits % 30000 == 0) {
				dprintf(1, "seed %lu: child %d does not end\n", seed, pid);
				return 1;
			}
		}
		kill_children();
		if (!reap(600)) {
			dprintf(1, "seed %lu: a child does not end\n", seed);
			return 1;
		}
		nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
		rmdir(directory);
		children++;
		seed += 2 * 64 + 1; /* the next one of this worker, of the other kind */
	} while (time(NULL) < end);
	if (write(report, &children, sizeof(children)) != sizeof(children))
		return 1;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	time_t seconds = argc > 1 ? atoi(argv[1]) : 10;
	unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 0) : (unsigned long)time(NULL) * 1000003;
	unsigned long children = 0, part;
	int status, failed = 0, report[2];

	set_lo_up();
	printf("seed %lu, %u CPUs\n", seed, cpus);
	fflush(stdout);
	if (pipe(report))
		return 1;
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		if (!fork())
			_exit(worker(cpu, seed + 2 * cpu + (cpu & 1), time(NULL) + seconds, report[1]));
	}
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		wait(&status);
		failed |= status;
	}
	close(report[1]);
	while (read(report[0], &part, sizeof(part)) == sizeof(part))
		children += part;
	printf("%lu children, %s\n", children, failed ? "failed" : "all ended");
	return failed != 0;
}
