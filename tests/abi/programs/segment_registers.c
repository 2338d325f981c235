/*
 * The selectors and the bases of FS and GS, over switches to another program, signals, fork(2), exec(2) and threads. The other
 * program runs on the same CPU, and loads selectors and bases of its own.
 */
#include "abi.h"

#include <sched.h>
#include <sys/mman.h>

#define ARCH_SET_GS 0x1001
#define ARCH_SET_FS 0x1002
#define ARCH_GET_FS 0x1003
#define ARCH_GET_GS 0x1004
#define DATA        0x2b /* the selector of the data segment of 64-bit programs, whose base is 0 */
#define CODE        0x33

static int to_other[2], from_other[2];

struct selectors {
	unsigned short ds, es, fs, gs;
};

static struct selectors selectors(void)
{
	struct selectors s;

	__asm__ __volatile__("mov %%ds, %0; mov %%es, %1; mov %%fs, %2; mov %%gs, %3" : "=r"(s.ds), "=r"(s.es), "=r"(s.fs), "=r"(s.gs));
	return s;
}

static void load_gs(unsigned selector)
{
	__asm__ __volatile__("mov %0, %%gs" ::"r"(selector));
}

static void load_data(unsigned ds, unsigned es)
{
	__asm__ __volatile__("mov %0, %%ds; mov %1, %%es" ::"r"(ds), "r"(es));
}

static unsigned long gs_base(void)
{
	unsigned long base = 1;

	syscall(SYS_arch_prctl, ARCH_GET_GS, &base);
	return base;
}

static void show_all(const char *when)
{
	struct selectors s = selectors();

	show("%s: ds %#x es %#x fs %#x gs %#x, base of gs %#lx", when, s.ds, s.es, s.fs, s.gs, gs_base());
}

/* The other program: for each byte it loads GS in another way, and answers. */
static void other(void)
{
	char c;

	close(to_other[1]);
	close(from_other[0]);
	while (read(to_other[0], &c, 1) == 1) {
		if (c == 's')
			load_gs(CODE);
		else if (c == 'b')
			syscall(SYS_arch_prctl, ARCH_SET_GS, 0xabcdef000);
		else
			load_gs(0);
		if (write(from_other[1], &c, 1) != 1)
			break;
	}
	_exit(0);
}

static void let_other_run(char what)
{
	char c;

	if (write(to_other[1], &what, 1) != 1 || read(from_other[0], &c, 1) != 1)
		show("the other program has ended");
}

static void over_switches(const char *name)
{
	char when[80];

	for (const char *what = "sbn"; *what; what++) {
		let_other_run(*what);
		snprintf(when, sizeof(when), "%s, after the other program (%c)", name, *what);
		show_all(when);
	}
}

/* FS is that of the C library: nothing of it may run before FS is back. */
__attribute__((optimize("no-stack-protector"))) static unsigned fs_over_switch(unsigned long *base_after)
{
	unsigned long old = 0, base = 1;
	unsigned selector;
	char c = 's';
	long result;

	syscall(SYS_arch_prctl, ARCH_GET_FS, &old);
#define RAW(number, a, b, c3)                                                                                                                \
	__asm__ __volatile__("syscall" : "=a"(result) : "a"((long)(number)), "D"((long)(a)), "S"((long)(b)), "d"((long)(c3)) : "rcx", "r11", "memory")
	__asm__ __volatile__("mov %0, %%fs" ::"r"(DATA));
	RAW(SYS_write, to_other[1], &c, 1);
	RAW(SYS_read, from_other[0], &c, 1);
	__asm__ __volatile__("mov %%fs, %0" : "=r"(selector));
	RAW(SYS_arch_prctl, ARCH_GET_FS, &base, 0);
	RAW(SYS_arch_prctl, ARCH_SET_FS, old, 0);
	*base_after = base;
	(void)result;
	return selector & 0xffff;
}

static void handler(int sig)
{
	show_all("handler");
	load_gs(CODE);
	let_other_run('s');
}

static void child(void)
{
	show_all("child");
	load_gs(0);
	show_all("child, with 0");
}

static int thread(void *stack)
{
	(void)stack;
	show_all("thread");
	load_gs(CODE);
	return 0;
}

static bool has_fsgsbase(void)
{
	unsigned a = 7, b, c = 0, d;

	__asm__ __volatile__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
	return b & 1;
}

int main(int argc, char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));
	unsigned long base;
	cpu_set_t one;
	int status;

	(void)argv;
	if (argc > 1) {
		show_all("after exec");
		return 0;
	}
	CPU_ZERO(&one);
	CPU_SET(0, &one);
	sched_setaffinity(0, sizeof(one), &one);
	if (pipe(to_other) || pipe(from_other))
		return 1;
	if (!fork())
		other();

	show_all("at the start");
	over_switches("zero");
	load_gs(DATA);
	over_switches("selector");
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0x123456000);
	show_all("a base behind a selector");
	over_switches("base");
	if (has_fsgsbase()) { /* both may be there then */
		load_gs(DATA);
		__asm__ __volatile__("wrgsbase %0" ::"r"(0x7777000UL));
		let_other_run('s');
		base = gs_base();
		TRUTH(selectors().gs == DATA && base == 0x7777000);
		let_other_run('b');
		base = gs_base();
		TRUTH(selectors().gs == DATA && base == 0x7777000);
	} else {
		show("selectors().gs == DATA && base == 0x7777000: yes");
		show("selectors().gs == DATA && base == 0x7777000: yes");
	}
	syscall(SYS_arch_prctl, ARCH_SET_GS, 0x5000);
	load_data(DATA, CODE);
	over_switches("data");
	load_data(0, 0);
	status = (int)fs_over_switch(&base);
	show("fs %#x, base %#lx; now %#x", status, base, selectors().fs);

	load_gs(DATA);
	signal(SIGUSR1, handler);
	syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), SIGUSR1);
	show_all("after the handler");
	load_gs(DATA);
	CHILD(child);
	show_all("parent");
	clone(thread, stack + sizeof(stack), CLONE_VM | CLONE_FS | CLONE_FILES | SIGCHLD, NULL);
	wait(&status);
	show_all("after the thread");
	fflush(stdout);
	execl("/proc/self/exe", "segment_registers", "again", NULL);
	return 1;
}
