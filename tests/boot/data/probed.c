/* A program to put uprobes into: test_uprobes.py. `probed WHAT [N]` does WHAT N times, and prints a number. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PROBED  __attribute__((noinline, noipa))
#define BARRIER __asm__ volatile("" ::: "memory")

volatile unsigned short semaphore __attribute__((section(".probes"))) = 0;

struct point {
	int x, y;
	const char *name;
};

const char greeting[] = "hello";
struct point origin = { -3, 4, "origin" };
static jmp_buf env;
static int total;

PROBED int add(int a, int b)
{
	BARRIER;
	return a + b;
}

PROBED int show(const char *name, const struct point *point)
{
	BARRIER;
	return (int)strlen(name) + point->x;
}

PROBED int down(int n)
{
	int below = n ? down(n - 1) : 0;

	BARRIER;
	return below + 1;
}

PROBED int jumps_to_add(int a, int b); /* a tail call */
__asm__(".globl jumps_to_add; .type jumps_to_add, @function; jumps_to_add: nop; jmp add");

PROBED void leap(int depth)
{
	if (depth > 0)
		leap(depth - 1);
	else if (!depth)
		longjmp(env, 1);
	BARRIER;
}

PROBED int forks(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid)
		waitpid(pid, &status, 0);
	BARRIER;
	return pid ? WEXITSTATUS(status) : -1;
}

PROBED void handler(int sig)
{
	total += add(sig, 0);
}

static sigjmp_buf signal_env;

PROBED void leaping_handler(int sig)
{
	siglongjmp(signal_env, add(sig, 0));
}

PROBED int raises(int sig)
{
	raise(sig);
	BARRIER;
	return 1;
}

/* A checksum with loads, stores, jumps, calls, and operands relative to rip (-fPIE code). */
static unsigned table[256], state = 1;

PROBED unsigned checksum(const unsigned char *text, unsigned n)
{
	unsigned long sum = 0x12345;

	for (unsigned i = 0; i < 256; i++) {
		state = state * 1103515245 + 12345;
		table[i] = state >> 7 ^ i;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned c = text[i % 5];

		switch (c % 7) {
		case 0: sum = (sum << 5 | sum >> 59) + table[c]; break;
		case 1: sum ^= table[(sum ^ c) & 255]; break;
		case 2: sum += sum / (c | 1); break;
		case 3: sum -= (unsigned long)down((int)(c & 3)); break;
		case 4: sum *= 31; break;
		default: sum += (double)sum > 1e9 ? 3 : c; break;
		}
		table[c] = (unsigned)sum;
	}
	return (unsigned)sum;
}

static void *adder(void *n)
{
	long sum = 0;

	for (long i = 0; i < (long)n; i++)
		sum += add((int)i, 1);
	return (void *)sum;
}

static long threads(int n)
{
	pthread_t thread[4];
	long sum = 0;
	void *part;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, adder, (void *)(long)n);
	for (int i = 0; i < 4; i++) {
		pthread_join(thread[i], &part);
		sum += (long)part;
	}
	return sum;
}

/* Nanoseconds of one add(): instructions under -icount. */
static long measure(int n)
{
	struct timespec start, end;

	add(0, 0);
	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < n; i++)
		add(i, 2);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((end.tv_sec - start.tv_sec) * 1000000000L + end.tv_nsec - start.tv_nsec) / n;
}

static void on_alternate_stack(int n)
{
	static char stack[16384];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = leaping_handler, .sa_flags = SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR2, &action, NULL);
	for (volatile int i = 0; i < n; i++)
		if (!sigsetjmp(signal_env, 1))
			raises(SIGUSR2);
		else
			total++;
}

/* Instructions that fault: one that is executed in a slot, and two that are emulated. */
void bad_load(void), bad_push(void), bad_push_here(void), bad_call(void);
__asm__(".globl bad_load, bad_push, bad_push_here, bad_call\n"
	".type bad_load, @function; .type bad_push_here, @function; .type bad_call, @function\n"
	"bad_load: mov 0x1234, %rax; ret\n"
	"bad_push: mov $0x10, %esp\n"
	"bad_push_here: push %rcx\n"
	"bad_call: call *0x5678\n");

static volatile long fault_ip, fault_address;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	fault_ip = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	fault_address = (long)info->si_addr;
	siglongjmp(signal_env, sig);
}

/* What a handler sees of a fault at an instruction. */
static void fault(const char *name, void (*function)(void), void (*at)(void))
{
	if (!sigsetjmp(signal_env, 1))
		function();
	printf("%s: ip %s, address %#lx\n", name, fault_ip == (long)at ? "right" : "wrong", fault_address);
}

static volatile long steps, step_sum;

static void on_step(int sig, siginfo_t *info, void *context)
{
	steps++;
	step_sum += ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] - (long)add + sig - (info->si_addr != 0);
}

PROBED void step(void)
{
	__asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq\n"
			 "mov $1, %%edi; mov $2, %%esi; call add; pushfq; andl $~0x100, (%%rsp); popfq"
			 ::: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

static void faults_and_steps(void)
{
	static char stack[16384];
	stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	action.sa_sigaction = on_step;
	sigaction(SIGTRAP, &action, NULL);
	fault("load", bad_load, bad_load);
	fault("push", bad_push, bad_push_here);
	fault("call", bad_call, bad_call);
	step();
	printf("%ld steps, %ld\n", steps, step_sum);
}

/* add() at other addresses: in areas that are changed after they are made. Returns the number of calls. */
static long areas(const char *self)
{
	long page = (long)add & -4096L, at = (long)add & 4095, calls = 0;
	int fd = open(self, O_RDONLY);
	char *area = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, page - 0x400000), *other;
	int (*copy)(int, int);

#define CALL(where) (memcpy(&copy, &(void *){ (where) + at }, sizeof(copy)), calls += copy(40, 2) == 42)
	area[8191] = 1; /* a copy of the second page, which is not probed */
	mprotect(area, 8192, PROT_READ | PROT_EXEC);
	CALL(area);
	madvise(area, 4096, MADV_DONTNEED);
	CALL(area);
	other = mremap(area, 8192, 16384, MREMAP_MAYMOVE);
	CALL(other);
	mprotect(other, 4096, PROT_READ | PROT_WRITE);
	other[at ^ 2048] = 1; /* writes to the page with the breakpoint */
	mprotect(other, 4096, PROT_READ | PROT_EXEC);
	CALL(other);
	if (!fork()) {
		CALL(other);
		_exit(0);
	}
	wait(NULL);
	area = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, page - 0x400000);
	CALL(area);
	munmap(area, 4096);
	munmap(other, 16384);
	return calls;
}

/* Tries to bring other memory to the place of [uprobes], where this task executes its probed instructions. */
static void sealed(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char *page = NULL, *other = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int anonymous = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, moved = MREMAP_MAYMOVE | MREMAP_FIXED;

	for (char line[256]; fgets(line, sizeof(line), maps);)
		if (strstr(line, "[uprobes]"))
			page = (char *)strtoul(line, NULL, 16);
	fclose(maps);
#define TRY(what, refused) printf("%s: %s\n", what, refused ? strerror(errno) : "done")
	TRY("munmap", munmap(page, 4096));
	TRY("munmap of all", munmap((void *)0x1000, 0x7fffffffe000));
	TRY("mmap", mmap(page, 4096, PROT_EXEC, anonymous, -1, 0) == MAP_FAILED);
	TRY("mremap from", mremap(page, 4096, 4096, moved, other) == MAP_FAILED);
	TRY("mremap to", mremap(other, 4096, 4096, moved, page) == MAP_FAILED);
	TRY("mprotect", mprotect(page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC));
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "add";
	int n = argc > 2 ? atoi(argv[2]) : 1;
	long result = 0;

	if (!strcmp(what, "add")) {
		for (int i = 0; i < n; i++)
			result += add(i, 2);
	} else if (!strcmp(what, "show")) {
		for (int i = 0; i < n; i++)
			result += show(i % 2 ? greeting : origin.name, &origin);
	} else if (!strcmp(what, "down")) {
		result = down(n);
	} else if (!strcmp(what, "tail")) {
		result = jumps_to_add(n, 1);
	} else if (!strcmp(what, "leap")) {
		for (volatile int i = 0; i < n; i++)
			if (!setjmp(env))
				leap(5);
		result = down(2);
	} else if (!strcmp(what, "fork")) {
		for (int i = 0; i < n; i++) {
			int status = forks();

			if (status < 0)
				_exit(add(3, 4)); /* after the return from forks() in the child */
			result += status;
		}
	} else if (!strcmp(what, "signals")) {
		signal(SIGUSR1, handler);
		for (int i = 0; i < n; i++)
			total += raises(SIGUSR1);
		on_alternate_stack(n);
		result = total;
	} else if (!strcmp(what, "sum")) {
		result = checksum((const unsigned char *)greeting, (unsigned)n);
	} else if (!strcmp(what, "threads")) {
		result = threads(n);
	} else if (!strcmp(what, "time")) {
		result = measure(n);
	} else if (!strcmp(what, "semaphore")) {
		result = semaphore;
	} else if (!strcmp(what, "breakpoint")) {
		__asm__ volatile("int3");
	} else if (!strcmp(what, "faults")) {
		faults_and_steps();
	} else if (!strcmp(what, "areas")) {
		result = areas(argv[0]);
	} else if (!strcmp(what, "sealed")) {
		checksum((const unsigned char *)greeting, 1);
		sealed();
	} else if (!strcmp(what, "watch")) { /* prints the semaphore at each line of its input */
		for (char line[16]; fgets(line, sizeof(line), stdin); fflush(stdout))
			printf("%u %d\n", semaphore, add(1, 1));
	} else if (!strcmp(what, "spin")) {
		for (;;)
			add(1, 1);
	}
	printf("%s %ld\n", what, result);
	return 0;
}
