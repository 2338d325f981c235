/* ptrace(2): single steps over instructions that set or clear TF, into and out of signal handlers, and over system calls. */
#include "ptrace.h"

#define TF 0x100

extern char at_popf[], at_popfw[], at_rex_popf[], at_sigreturn[], at_own[], at_end[];
static pid_t pid;
static bool at_int3;

/* Where the tracee is, as a label and an offset. */
static const char *place(unsigned long ip)
{
	static const struct {
		const char *name;
		char *at;
	} places[] = { { "popf", at_popf }, { "popfw", at_popfw }, { "rex popf", at_rex_popf }, { "sigreturn", at_sigreturn },
		       { "own", at_own }, { "end", at_end } };
	static char buf[40];

	for (unsigned i = sizeof(places) / sizeof(places[0]) - 1; i--;)
		if (ip >= P(places[i].at) && ip < P(places[i + 1].at)) {
			snprintf(buf, sizeof(buf), "%s + %lu", places[i].name, ip - P(places[i].at));
			return buf;
		}
	return "elsewhere";
}

static void code(void)
{
	__asm__ volatile(".macro set_tf\n\tpushf\n\torl $0x100, (%%rsp)\n\t.endm\n\t"
			 ".macro clear_tf\n\tpushf\n\tandl $~0x100, (%%rsp)\n\tpopf\n\tnop\n\t.endm\n"
			 "at_popf: int3\n\tset_tf\n\tpopf\n\tnop\n\tclear_tf\n"
			 "at_popfw: int3\n\tset_tf\n\tpopfw\n\tlea 6(%%rsp), %%rsp\n\tclear_tf\n"
			 "at_rex_popf: int3\n\tset_tf\n\t.byte 0x48\n\tpopf\n\tnop\n\tclear_tf\n"
			 "at_sigreturn: int3\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tclear_tf\n"
			 "at_own: int3\n\tset_tf\n\tpopf\n\tmov $110, %%eax\n\tsyscall\n\tnop\n\tnop\n\tclear_tf\n"
			 "at_end: nop\n" ::: "rax", "rcx", "r11", "memory", "cc");
}

static void show_place(int status)
{
	struct user_regs_struct regs = regs_of(pid);
	siginfo_t info;

	if (!WIFSTOPPED(status)) {
		show_status("the end", status);
		exit(1);
	}
	trace(GETSIGINFO, pid, 0, P(&info));
	at_int3 = info.si_code == 0x80;
	show("  %s: signal %d code %#x, address %s, TF %lld", place(regs.rip), info.si_signo, info.si_code,
	     P(info.si_addr) == regs.rip ? "yes" : "no", (long long)regs.eflags >> 8 & 1);
}

static int go(long request, int sig)
{
	int status = 0;

	if (trace(request, pid, 0, (unsigned long)sig))
		show("request %ld: %s", request, error_name(errno));
	waitpid(pid, &status, ANY);
	show_place(status);
	return status;
}

/* To the next int3, unless the tracee is there already. */
static void begin(const char *what)
{
	show("%s", what);
	while (!at_int3)
		go(CONT, 0);
	at_int3 = false;
}

static void step(int n)
{
	while (n--)
		go(STEP, 0);
}

static void cont(int n)
{
	while (n--)
		go(CONT, 0);
}

static void pushed_flags(const char *what)
{
	unsigned long word = 0;

	trace(PEEKDATA, pid, regs_of(pid).rsp, P(&word));
	show("  %s: TF %lu", what, word >> 8 & 1);
}

static void over_popf(void)
{
	begin("stepped over popf, and on");
	step(5);
	pushed_flags("pushed");
	cont(3);
	begin("stepped over popfw, and let go");
	step(3);
	cont(4);
	begin("stepped over popf with a prefix, and let go");
	step(3);
	cont(4);
}

static void nothing(int sig)
{
}

/* TF in the frame of the handler at whose first instruction the tracee is. */
static void frame_flags(void)
{
	unsigned long word = 0;

	trace(PEEKDATA, pid, regs_of(pid).rsp + 8 + 40 + 17 * 8, P(&word));
	show("  in the frame: TF %lu", word >> 8 & 1);
}

static void set_frame_flags(void)
{
	unsigned long at = regs_of(pid).rsp + 8 + 40 + 17 * 8, word = 0;

	trace(PEEKDATA, pid, at, P(&word));
	trace(POKEDATA, pid, at, word | TF);
}

static unsigned short instruction(void)
{
	unsigned long word = 0;

	trace(PEEKTEXT, pid, regs_of(pid).rip, P(&word));
	return (unsigned short)word;
}

/* Steps to the system call that ends the handler. */
static void to_sigreturn(void)
{
	int status = 0;

	while (instruction() != 0x050f) {
		trace(STEP, pid, 0, 0);
		waitpid(pid, &status, ANY);
	}
	show_place(status);
}

static void over_sigreturn(void)
{
	begin("stepped out of a handler");
	step(1);
	go(STEP, SIGUSR1);
	frame_flags();
	to_sigreturn();
	step(2);
	show("the frame gets TF");
	go(STEP, SIGUSR1);
	set_frame_flags();
	to_sigreturn();
	step(1);
	cont(1);
}

static void own_steps(void)
{
	begin("own steps, and a system call");
	step(3);
	cont(1);
	step(1);
	go(STEP, SIGUSR1);
	frame_flags();
	to_sigreturn();
	step(1);
	cont(1);
}

/* The child of a system call that is stepped over has no TF. */
static void over_fork(void)
{
	begin("over fork");
	step(3);
	cont(1);
}

static void tracee(void)
{
	long pid;
	int status;

	signal(SIGUSR1, nothing);
	code();
	__asm__ volatile("int3\n\tmov $56, %%eax\n\tsyscall\n\tnop\n\tnop" : "=a"(pid) : "D"(0), "S"(0) : "rcx", "r11", "memory", "cc");
	if (!pid)
		_exit(7);
	waitpid((pid_t)pid, &status, ANY); /* it sends no signal */
	show_status("its child", status);
}

int main(void)
{
	pid = traced_child(tracee, 0);
	over_popf();
	over_sigreturn();
	own_steps();
	over_fork();
	return 0;
}
