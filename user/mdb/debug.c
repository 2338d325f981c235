/*
 * What mdb does with a program, by ptrace(2). The files of a debugger's user, symbols.c and main.c, are complete without it.
 *
 * A breakpoint is an int3 in the program's memory; its byte is kept here. It stays there while the program is stopped.
 * Each time that the program arrives at a breakpoint, mdb stops once: `reported` says that this has been.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mdb.h"

#define DEPTH_MAX  64
#define DR_STATUS  6
#define DR_CONTROL 7

enum { INT3 = 0xcc, PUSH_RBP = 0x55, RET = 0xc3 }; /* instructions of one byte */

pid_t pid;
bool attached;
int signal_to_give;
struct watch watches[WATCHES_MAX];
unsigned watches_hit;

static struct breakpoint breakpoints[BREAKPOINTS_MAX];
static unsigned breakpoint_count;
static uint64_t reported; /* the program stands at this breakpoint, and mdb has said so */
static uint64_t held;     /* signals that it gets when it has left that breakpoint: bit n - 1 for signal n */

/* ---- registers ---- */

struct user_regs_struct registers(void)
{
	struct user_regs_struct regs = { .rip = 0 };

	ptrace(PTRACE_GETREGS, pid, 0, &regs);
	return regs;
}

static void set_rip(uint64_t address)
{
	ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.rip), address);
}

static uint64_t debug_register(unsigned n)
{
	return (uint64_t)ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, u_debugreg[n]), 0);
}

static bool set_debug_register(unsigned n, uint64_t value)
{
	return ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, u_debugreg[n]), value) == 0;
}

/* ---- memory ---- */

struct breakpoint *find_breakpoint(uint64_t address)
{
	for (unsigned i = 0; i < breakpoint_count; i++)
		if (breakpoints[i].address == address)
			return &breakpoints[i];
	return NULL;
}

bool read_memory(uint64_t address, void *to, size_t size)
{
	uint8_t *bytes = to;

	/*
	 * LAB 16: PTRACE_PEEKDATA reads a word of 8 bytes. Any word is a result: an error is in errno.
	 * Starts as:
	 * (void)address, (void)bytes, (void)size;
	 * errno = ENOSYS;
	 * return false;
	 */
	for (size_t i = 0; i < size; i++) {
		const struct breakpoint *b = find_breakpoint(address + i);
		uint64_t word;

		errno = 0;
		word = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, (address + i) & ~7ULL, 0);
		if (errno)
			return false;
		bytes[i] = b ? b->byte : (uint8_t)(word >> (address + i) % 8 * 8);
	}
	return true;
	/* END LAB 16 */
}

/* Writes one byte, into memory that the program itself may not write, too. */
static bool write_byte(uint64_t address, uint8_t byte)
{
	/*
	 * LAB 16: PTRACE_POKEDATA writes a word. Keep the other seven bytes as they are, breakpoints among them.
	 * Starts as:
	 * (void)address, (void)byte;
	 * errno = ENOSYS;
	 * return false;
	 */
	unsigned shift = address % 8 * 8;
	uint64_t word;

	errno = 0;
	word = (uint64_t)ptrace(PTRACE_PEEKDATA, pid, address & ~7ULL, 0);
	if (errno)
		return false;
	word = (word & ~(0xffULL << shift)) | (uint64_t)byte << shift;
	return ptrace(PTRACE_POKEDATA, pid, address & ~7ULL, word) == 0;
	/* END LAB 16 */
}

/* ---- breakpoints ---- */

bool add_breakpoint(uint64_t address)
{
	/*
	 * LAB 16: Keep the byte that is there, and put an int3 over it.
	 * Starts as:
	 * (void)address, (void)write_byte;
	 * errno = ENOSYS;
	 * return false;
	 */
	struct breakpoint *b = &breakpoints[breakpoint_count];

	if (find_breakpoint(address))
		return true;
	if (breakpoint_count == BREAKPOINTS_MAX) {
		errno = ENOSPC;
		return false;
	}
	b->address = address;
	if (!read_memory(address, &b->byte, 1) || !write_byte(address, INT3))
		return false;
	breakpoint_count++;
	return true;
	/* END LAB 16 */
}

void remove_breakpoint(struct breakpoint *b)
{
	/*
	 * LAB 16: Starts as: (void)b;
	 */
	write_byte(b->address, b->byte);
	*b = breakpoints[--breakpoint_count];
	/* END LAB 16 */
}

/* ---- watches ---- */

void remove_watch(unsigned n)
{
	/*
	 * LAB 16: Starts as: (void)n;
	 */
	set_debug_register(DR_CONTROL, debug_register(DR_CONTROL) & ~(3ULL << 2 * n));
	watches[n].size = 0;
	/* END LAB 16 */
}

bool add_watch(uint64_t address, uint64_t size)
{
	/*
	 * LAB 16: The addresses are in DR0 to DR3. DR7 says which are watched, for what, and how many bytes (Intel SDM 3B 17.2.4).
	 * Starts as:
	 * (void)address, (void)size, (void)debug_register, (void)set_debug_register;
	 * errno = ENOSYS;
	 * return false;
	 */
	static const uint8_t codes[] = { [1] = 0, [2] = 1, [4] = 3, [8] = 2 };
	uint64_t control = debug_register(DR_CONTROL), value = 0;
	unsigned n = 0;

	while (n < WATCHES_MAX && watches[n].size)
		n++;
	if (n == WATCHES_MAX) {
		errno = ENOSPC;
		return false;
	}
	if (!read_memory(address, &value, size) || !set_debug_register(n, address))
		return false;
	control &= ~(0xfULL << (16 + 4 * n));
	control |= 1ULL << 2 * n | (1ULL | (uint64_t)codes[size] << 2) << (16 + 4 * n);
	if (!set_debug_register(DR_CONTROL, control))
		return false;
	watches[n] = (struct watch){ address, size, value };
	return true;
	/* END LAB 16 */
}

/* Which watches have been hit since the last call: bit n for watch n. */
static unsigned take_hits(void)
{
	unsigned hits = 0;

	/* LAB 16: A bit of DR6 for each. Clear them: nobody else does. */
	hits = debug_register(DR_STATUS) & ((1U << WATCHES_MAX) - 1);
	set_debug_register(DR_STATUS, 0);
	/* END LAB 16 */
	return hits;
}

/* ---- the program goes on, and stops ---- */

/* Another program is in the memory: no breakpoint and no watch is there any more. */
static void forget_all(void)
{
	breakpoint_count = 0;
	memset(watches, 0, sizeof(watches));
	read_symbols();
}

/* Waits until the program stops, and finds out why. */
static enum stop wait_stop(void)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return FAILED;
		if (attached) /* ^C. A program that mdb has started gets the signal itself */
			ptrace(PTRACE_INTERRUPT, pid, 0, 0);
	}
	signal_to_give = 0;
	if (!WIFSTOPPED(status)) {
		show_end(status);
		pid = 0;
		return ENDED;
	}
	if (status >> 16 == PTRACE_EVENT_EXEC)
		forget_all();
	if (status >> 16)
		return PAUSED;
	/*
	 * LAB 16: A signal for the program, a breakpoint, a watch or a step? PTRACE_GETSIGINFO tells who has sent a SIGTRAP.
	 * Starts as:
	 * (void)set_rip, (void)take_hits, (void)reported;
	 * return PAUSED;
	 */
	siginfo_t info;
	uint64_t rip = registers().rip;

	if (ptrace(PTRACE_GETSIGINFO, pid, 0, &info) < 0)
		return PAUSED; /* a group stop */
	/* An int3 of ours. In the step over a breakpoint it is one of the program. */
	if (info.si_signo == SIGTRAP && info.si_code == SI_KERNEL && find_breakpoint(rip - 1) && reported != rip - 1) {
		reported = rip - 1;
		set_rip(rip - 1);
		return BREAKPOINT;
	}
	if (info.si_signo != SIGTRAP || info.si_code <= 0 || info.si_code == SI_KERNEL) {
		signal_to_give = info.si_signo;
		return SIGNALLED;
	}
	reported = 0;
	watches_hit = take_hits();
	if (watches_hit)
		return WATCHED;
	if (!find_breakpoint(rip))
		return STEPPED;
	reported = rip;
	return BREAKPOINT;
	/* END LAB 16 */
}

/* Gives what is held: one signal with the next request; each other one is sent again, so that it stops the program again. */
static void give_held(void)
{
	for (int n = 1; held; n++, held >>= 1) {
		if (!(held & 1) || n == signal_to_give)
			continue;
		if (signal_to_give)
			syscall(SYS_tgkill, pid, pid, n);
		else
			signal_to_give = n;
	}
}

enum stop resume(int request)
{
	/*
	 * LAB 16: If the program stands at a breakpoint that mdb has shown: over it first.
	 * Starts as:
	 * (void)request, (void)wait_stop, (void)give_held;
	 * errno = ENOSYS;
	 * return FAILED;
	 */
	struct breakpoint *here = find_breakpoint(registers().rip);

	if (here && here->address == reported) {
		uint64_t address = reported;
		enum stop stop;

		if (signal_to_give)
			held |= 1ULL << (signal_to_give - 1);
		write_byte(address, here->byte);
		if (ptrace(PTRACE_SINGLESTEP, pid, 0, 0) < 0 && errno != ESRCH) /* ESRCH: SIGKILL has ended it */
			return FAILED;
		stop = wait_stop();
		if (pid && find_breakpoint(address))
			write_byte(address, INT3);
		/* A new signal. The instruction has not been executed: what is held stays so. */
		if (stop == ENDED || (stop == SIGNALLED && !(held >> (signal_to_give - 1) & 1)))
			return stop;
		/* One that is held again is of the instruction itself, which never succeeds: the program gets it here. */
		give_held();
		if ((stop != STEPPED && stop != SIGNALLED) || request == PTRACE_SINGLESTEP)
			return stop;
	}
	reported = 0;
	if (ptrace(request, pid, 0, signal_to_give) < 0 && errno != ESRCH)
		return FAILED;
	return wait_stop();
	/* END LAB 16 */
}

/* Is the instruction a call: e8, or ff with 2 in bits 3 to 5 of the next byte? Prefixes may stand before it. */
static bool is_call(uint64_t address)
{
	uint8_t code[2];

	while (read_memory(address, code, 1) && ((code[0] & 0xf0) == 0x40 || code[0] == 0x66 || code[0] == 0x3e || code[0] == 0xf2))
		address++;
	return code[0] == 0xe8 || (read_memory(address, code, 2) && code[0] == 0xff && (code[1] & 0x38) == 0x10);
}

enum stop next(void)
{
	/*
	 * LAB 16: Step. Was it a call? Then run to its return address, in this call and no deeper one.
	 * Starts as:
	 * (void)is_call;
	 * errno = ENOSYS;
	 * return FAILED;
	 */
	struct user_regs_struct before = registers(), after;
	bool call = is_call(before.rip), mine;
	enum stop stop = resume(PTRACE_SINGLESTEP);
	uint64_t back;

	if (!call || stop != STEPPED)
		return stop;
	after = registers();
	if (!read_memory(after.rsp, &back, 8) || back == after.rip)
		return stop;
	mine = !find_breakpoint(back);
	if (!add_breakpoint(back))
		return FAILED;
	do
		stop = resume(PTRACE_CONT);
	while (mine && stop == BREAKPOINT && reported == back && registers().rsp < before.rsp);
	if (!mine || !pid || !find_breakpoint(back))
		return stop;
	remove_breakpoint(find_breakpoint(back));
	return stop == BREAKPOINT && reported == back ? STEPPED : stop;
	/* END LAB 16 */
}

bool start(char **argv)
{
	/*
	 * LAB 16: PTRACE_TRACEME, then exec. With PTRACE_O_EXITKILL the program ends with mdb; PTRACE_O_TRACEEXEC tells of the next exec.
	 * Starts as:
	 * (void)argv;
	 * errno = ENOSYS;
	 * return false;
	 */
	int status;

	pid = fork();
	if (pid < 0)
		return false;
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[0], argv);
		_exit(errno);
	}
	if (waitpid(pid, &status, 0) < 0)
		return false;
	if (!WIFSTOPPED(status)) {
		errno = WEXITSTATUS(status);
		return false;
	}
	return ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC) == 0;
	/* END LAB 16 */
}

bool attach(void)
{
	attached = true;
	/*
	 * LAB 16: PTRACE_SEIZE, and PTRACE_INTERRUPT. Another stop may come first.
	 * Starts as:
	 * errno = ENOSYS;
	 * return false;
	 */
	int status;

	if (ptrace(PTRACE_SEIZE, pid, 0, PTRACE_O_TRACEEXEC) < 0 || ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0)
		return false;
	for (;;) {
		if (waitpid(pid, &status, __WALL) < 0 || !WIFSTOPPED(status)) {
			errno = ESRCH;
			return false;
		}
		if (status >> 16 == PTRACE_EVENT_STOP)
			return true;
		ptrace(PTRACE_INTERRUPT, pid, 0, 0); /* each stop takes the place of the one that was asked for */
		ptrace(PTRACE_CONT, pid, 0, status >> 16 ? 0 : WSTOPSIG(status));
	}
	/* END LAB 16 */
}

void detach(void)
{
	/* LAB 16: What of ours is still in the program? It may also have to get a signal. */
	while (breakpoint_count)
		remove_breakpoint(&breakpoints[0]);
	for (unsigned n = 0; n < WATCHES_MAX; n++)
		if (watches[n].size)
			remove_watch(n);
	give_held();
	ptrace(PTRACE_DETACH, pid, 0, signal_to_give);
	/* END LAB 16 */
	pid = 0;
}

/* ---- callers ---- */

void backtrace(void)
{
	/*
	 * LAB 16: At rbp is the rbp of the caller, then the return address. At the first and the last instructions of a function
	 * rbp is still, or again, that of the caller.
	 */
	struct user_regs_struct regs = registers();
	uint64_t pc = regs.rip, frame = regs.rbp, words[2];

	for (unsigned depth = 0; depth < DEPTH_MAX; depth++) {
		const struct symbol *function = symbol_of(pc - (depth > 0));
		uint8_t code[2] = { 0, 0 };

		printf("#%u ", depth);
		print_place(pc, pc - (depth > 0));
		putchar('\n');
		if (function && !strcmp(function->name, "main"))
			return;
		if (!depth && function)
			read_memory(pc - 1, code, 2);
		if (!depth && function && ((code[1] == PUSH_RBP && pc - function->address <= 4) || code[1] == RET)) {
			words[0] = frame; /* still, or again, the caller's */
			if (!read_memory(regs.rsp, &words[1], 8))
				return;
		} else if (!depth && function && code[0] == PUSH_RBP && pc > function->address && pc - function->address <= 5) {
			if (!read_memory(regs.rsp, words, sizeof(words)))
				return;
		} else if (!read_memory(frame, words, sizeof(words)) || words[0] <= frame) {
			return;
		}
		frame = words[0];
		pc = words[1];
	}
	/* END LAB 16 */
}

