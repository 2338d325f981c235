/* Filters of system calls: what they decide, which task may install them, for which tasks they hold. See seccomp(2). */
#include "abi.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>

#define LOAD(field)      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(value)    BPF_STMT(BPF_RET | BPF_K, (value))
#define IF_EQUAL(value)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1) /* else leaves out the next one */
#define FILTER(...)      install(0, (struct sock_filter[]){ __VA_ARGS__ }, sizeof((struct sock_filter[]){ __VA_ARGS__ }) / sizeof(struct sock_filter))
/* A filter for one call. */
#define ON(number, action) FILTER(LOAD(nr), IF_EQUAL(number), RETURN(action), RETURN(SECCOMP_RET_ALLOW))

static long install(unsigned flags, const struct sock_filter *code, size_t length)
{
	struct sock_fprog program = { .len = (unsigned short)length, .filter = (struct sock_filter *)code };

	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

static void prepare(void)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* ---- what is no filter ---- */

static void refused(void)
{
	struct sock_filter many[4097];
	struct sock_fprog empty = { .len = 0, .filter = many }, nowhere = { .len = 1, .filter = NULL };

	prepare();
	CALL(syscall(SYS_seccomp, 99, 0, NULL));
	CALL(syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL));
	CALL(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0x100, NULL));
	CALL(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
	CALL(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &empty));
	CALL(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &nowhere));
	CALL(prctl(PR_SET_SECCOMP, 5, NULL, 0, 0));
	for (int i = 0; i < 4097; i++)
		many[i] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	CALL(install(0, many, 4097));
	CALL(FILTER(LOAD(nr)));
	CALL(FILTER(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 1), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 64), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_LD | BPF_W | BPF_IND, 0), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_LD | BPF_MEM, 3), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_ST, 16), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 0), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, 7), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 32), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_JMP | BPF_JA, 1), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_MEM, 3), RETURN(SECCOMP_RET_ALLOW)));
	CALL(FILTER(BPF_STMT(BPF_ST, 3), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1), BPF_STMT(BPF_ST, 3), BPF_STMT(BPF_LD | BPF_MEM, 3), RETURN(SECCOMP_RET_ALLOW)));
	CALL(install(0, many, 4096));
	CALL(prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
}

static void rights(void)
{
	CALL(setuid(65534));
	CALL(FILTER(RETURN(SECCOMP_RET_ALLOW)));
	prepare();
	CALL(FILTER(RETURN(SECCOMP_RET_ALLOW)));
}

/* ---- actions ---- */

static void errors(void)
{
	prepare();
	CALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | ENOTTY));
	CALL(getppid());
	CALL(ON(SYS_getuid, SECCOMP_RET_ERRNO));
	CALL(getuid());
	CALL(ON(SYS_getgid, SECCOMP_RET_ERRNO | 0xffff));
	errno = 0;
	(void)syscall(SYS_getgid);
	show("errno 0xffff: %d", errno);
	/* The strictest wins, and of equal ones the last that was installed. */
	CALL(ON(SYS_getppid, SECCOMP_RET_ALLOW));
	CALL(getppid());
	CALL(ON(SYS_getppid, SECCOMP_RET_ERRNO | EXDEV));
	CALL(getppid());
	CALL(ON(SYS_getegid, SECCOMP_RET_TRACE));
	CALL(getegid());
	CALL(ON(SYS_geteuid, SECCOMP_RET_LOG));
	CALL(geteuid());
}

static volatile sig_atomic_t caught;
static siginfo_t sigsys;

static void on_sigsys(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	caught = signal;
	sigsys = *info;
	show("handler: rax is the number: %d", uc->uc_mcontext.gregs[REG_RAX] == SYS_getppid);
}

static void trap(void)
{
	struct sigaction action = { .sa_sigaction = on_sigsys, .sa_flags = SA_SIGINFO };

	prepare();
	sigaction(SIGSYS, &action, NULL);
	CALL(ON(SYS_getppid, SECCOMP_RET_TRAP | 77));
	errno = 0;
	show("the result is the number: %d", syscall(SYS_getppid) == SYS_getppid);
	show("signal %d, code %d, errno %d, call %d, arch %d, address in the program: %d", caught, sigsys.si_code, sigsys.si_errno,
	     sigsys.si_syscall == SYS_getppid, sigsys.si_arch == AUDIT_ARCH_X86_64, sigsys.si_call_addr != NULL);
}

static void trap_ignored(void)
{
	prepare();
	signal(SIGSYS, SIG_IGN);
	ON(SYS_getppid, SECCOMP_RET_TRAP);
	getppid();
	show("lives");
}

static void kill_process(void)
{
	prepare();
	ON(SYS_getppid, SECCOMP_RET_KILL_PROCESS);
	getppid();
	show("lives");
}

static void kill_thread_alone(void)
{
	prepare();
	ON(SYS_getppid, SECCOMP_RET_KILL_THREAD);
	getppid();
	show("lives");
}

static void unknown_action(void)
{
	prepare();
	CALL(ON(SYS_getppid, 0x12340000));
	getppid();
	show("lives");
}

static void division(void)
{
	prepare();
	CALL(FILTER(LOAD(nr), IF_EQUAL(SYS_getppid), BPF_STMT(BPF_ALU | BPF_DIV | BPF_X, 0), RETURN(SECCOMP_RET_ALLOW)));
	getppid();
	show("lives");
}

static void *ask_for_parent(void *unused)
{
	getppid();
	show("the thread lives");
	return unused;
}

static int number_of_threads(void)
{
	char text[4096] = "";
	int fd = open("/proc/self/status", O_RDONLY);

	read(fd, text, sizeof(text) - 1);
	close(fd);
	return atoi(strstr(text, "Threads:") + 8);
}

static void kill_one_thread(void)
{
	pthread_t thread;

	prepare();
	ON(SYS_getppid, SECCOMP_RET_KILL_THREAD);
	pthread_create(&thread, NULL, ask_for_parent, NULL);
	while (number_of_threads() > 1)
		usleep(1000);
	show("the process lives");
	_exit(3);
}

/* ---- what a filter sees ---- */

static void arguments(void)
{
	prepare();
	/* lseek(fd, 0x1234567890, SEEK_SET) alone. */
	CALL(FILTER(LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_lseek, 0, 9), LOAD(args[1]), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x34567890, 0, 7),
		    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + 4), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x12, 0, 5), LOAD(args[2]),
		    BPF_STMT(BPF_MISC | BPF_TAX, 0), BPF_STMT(BPF_LD | BPF_IMM, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_X, 0, 0, 1),
		    RETURN(SECCOMP_RET_ERRNO | EMLINK), RETURN(SECCOMP_RET_ALLOW)));
	CALL(lseek(99, 0x1234567890, SEEK_SET));
	CALL(lseek(99, 0x1234567891, SEEK_SET));
	CALL(lseek(99, 0x1334567890, SEEK_SET));
	CALL(lseek(99, 0x1234567890, SEEK_CUR));
	CALL(FILTER(LOAD(arch), IF_EQUAL(AUDIT_ARCH_X86_64), RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_KILL_PROCESS)));
	CALL(FILTER(BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0), IF_EQUAL(64), RETURN(SECCOMP_RET_ALLOW), RETURN(SECCOMP_RET_KILL_PROCESS)));
	/* Arithmetic: ((5 * 7 - 3) / 4 | 16) ^ 1, << 2, >> 1, & 0x3f, negated. */
	CALL(FILTER(LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 15), BPF_STMT(BPF_LD | BPF_IMM, 5), BPF_STMT(BPF_LDX | BPF_IMM, 7),
		    BPF_STMT(BPF_ALU | BPF_MUL | BPF_X, 0), BPF_STMT(BPF_ALU | BPF_SUB | BPF_K, 3), BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 4),
		    BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 16), BPF_STMT(BPF_ALU | BPF_XOR | BPF_K, 1), BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 2),
		    BPF_STMT(BPF_STX, 2), BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1), BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x3f), BPF_STMT(BPF_ALU | BPF_NEG, 0),
		    BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, SECCOMP_RET_ERRNO + 100), BPF_STMT(BPF_LDX | BPF_MEM, 2), BPF_STMT(BPF_RET | BPF_A, 0),
		    RETURN(SECCOMP_RET_ALLOW)));
	CALL(syscall(SYS_getppid));
}

/* ---- for which tasks ---- */

static void child(void)
{
	CALL(getppid());
	show("mode %d", prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
}

static void inherited(void)
{
	char *const arguments[] = { "sh", "-c", "grep -E '^(NoNewPrivs|Seccomp)' /proc/self/status", NULL };

	prepare();
	ON(SYS_getppid, SECCOMP_RET_ERRNO | ENOTTY);
	ON(SYS_getpgrp, SECCOMP_RET_ERRNO | ENOTTY);
	CHILD(child);
	fflush(stdout);
	execv("/bin/sh", arguments);
}

static pthread_barrier_t barrier;

static void *other_thread(void *filter)
{
	if (filter)
		ON(SYS_getpgrp, SECCOMP_RET_ERRNO | EBADF);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	show("the other thread gets the error: %d", syscall(SYS_getppid) == -1);
	return NULL;
}

static void synchronised(bool filter)
{
	struct sock_filter code[] = { LOAD(nr), IF_EQUAL(SYS_getppid), RETURN(SECCOMP_RET_ERRNO | ENOTTY), RETURN(SECCOMP_RET_ALLOW) };
	pthread_t thread;
	long result;

	prepare();
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, other_thread, filter ? &filter : NULL);
	pthread_barrier_wait(&barrier);
	result = install(SECCOMP_FILTER_FLAG_TSYNC, code, 4);
	show("TSYNC: %s", result > 0 ? "the thread that has another filter" : result ? error_name(errno) : "0");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void synchronise(void)
{
	synchronised(false);
}

static void synchronise_fails(void)
{
	synchronised(true);
}

/* ---- strict mode ---- */

static void strict(void)
{
	CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
	write(1, "write\n", 6);
	syscall(SYS_exit, 5);
}

static void strict_kills(void)
{
	syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
	write(1, "write\n", 6);
	syscall(SYS_getppid);
	write(1, "lives\n", 6);
}

static void strict_after_filter(void)
{
	prepare();
	ON(SYS_getppid, SECCOMP_RET_ERRNO | ENOTTY);
	CALL(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0));
}

static void action_available(uint32_t action)
{
	show("action %#x: %s", action, syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) ? error_name(errno) : "ok");
}

static void too_many(void)
{
	struct sock_filter code[4096];
	int n = 0;

	prepare();
	for (int i = 0; i < 4096; i++)
		code[i] = (struct sock_filter)RETURN(SECCOMP_RET_ALLOW);
	while (n < 20 && !install(0, code, 4096))
		n++;
	show("more than one filter of 4096 instructions: %d, at last: %s", n > 1 && n < 20, error_name(errno));
}

int main(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_CORE, &none);
	show("mode %d", prctl(PR_GET_SECCOMP, 0, 0, 0, 0));
	CHILD(refused);
	CHILD(rights);
	CHILD(errors);
	CHILD(trap);
	CHILD(trap_ignored);
	CHILD(kill_process);
	CHILD(kill_thread_alone);
	CHILD(kill_one_thread);
	CHILD(unknown_action);
	CHILD(division);
	CHILD(arguments);
	CHILD(inherited);
	CHILD(synchronise);
	CHILD(synchronise_fails);
	CHILD(strict);
	CHILD(strict_kills);
	CHILD(strict_after_filter);
	CHILD(too_many);
	action_available(SECCOMP_RET_KILL_PROCESS);
	action_available(SECCOMP_RET_KILL_THREAD);
	action_available(SECCOMP_RET_TRAP);
	action_available(SECCOMP_RET_ERRNO);
	action_available(SECCOMP_RET_TRACE);
	action_available(SECCOMP_RET_LOG);
	action_available(SECCOMP_RET_ALLOW);
	action_available(0x12340000);
	CALL(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 1, NULL));
	CALL(syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, NULL));
	return 0;
}
