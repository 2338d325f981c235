/*
 * Traced calls and their returns, with an interrupt at each instruction.
 * sources: labs/tests/lab05_calls.c labs/tests/lab05_unwind.c trace/fgraph/fgraph.c arch/x86_64/ftrace/fgraph_entry.asm
 *
 * lab05_frames MODE says what is wrong in one sentence, and ends with status 1; labs/tests/lab05.py names the rules. A call is
 * executed again and again. Each time the CPU's trap flag stops it one instruction later, and the handler does what an interrupt
 * may do there. In the mode "unwind" it also looks for the true callers, at each instruction.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "labs/tests/lab05.h"
#include "labs/tests/trap_flag.h"

#define EACH      0UL  /* stop_at: an interrupt at each instruction */
#define NEVER     ~0UL /* no interrupt */

const char *mode, *what = "", *where = "";
bool frames;
char interrupted_at[80];
unsigned long context_rip, context_rsp;
unsigned context_calls;
unsigned long step, steps_max;
static unsigned long stop_at = NEVER;
static bool searching;

void broken(const char *format, ...)
{
	va_list args;

	printf("%s: ", what);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	puts(interrupted_at);
	fflush(stdout);
	_exit(1);
}

bool is_mode(const char *name)
{
	return !strcmp(mode, name);
}

/* ---- an interrupt at each instruction ---- */

static struct call in_interrupt = { .func = 0x3300, .data = true, .expected_returns = 1 };

static void wake_a_task(void)
{
	if (!(__preempt_count & PREEMPT_MASK) || !strcmp(where, "fgraph_enter_call()"))
		return;
	expected_switches += !!(__preempt_count & PREEMPT_NEED_RESCHED);
	__preempt_count &= ~PREEMPT_NEED_RESCHED;
}

static bool is_between(unsigned long rip, const char *start, const char *end)
{
	return rip >= (unsigned long)start && rip < (unsigned long)end;
}

static void trap(int signal __unused, siginfo_t *info __unused, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned long rip = (unsigned long)regs[REG_RIP], rsp = (unsigned long)regs[REG_RSP];
	struct registers saved = after;
	const char *place = where;

	if (steps_max) {
		if (++step > steps_max)
			broken("a search that does not end");
		return;
	}
	if (masked || (!tested && !is_between(rip, traced, traced_end) && !in_handler(rip)))
		return;
	step++;
	context_rip = rip;
	context_rsp = rsp;
	context_calls = active_count;
	if (in_handler(rip))
		place = "return_to_handler";
	if (is_mode("unwind") && active_count) {
		find_callers();
		check_rbp((unsigned long)regs[REG_RBP]);
	}
	if (stop_at != EACH && step != stop_at)
		return;
	if (in_handler(rip))
		sprintf(interrupted_at, " (after an interrupt at return_to_handler+0x%lx)", rip - HANDLER);
	else
		sprintf(interrupted_at, " (after an interrupt in %s)", place);
	if (stop_at != EACH && (!is_mode("unwind") || !in_handler(rip)))
		regs[REG_EFL] &= ~TRAP_FLAG; /* nothing more to see */
	memset((void *)(rsp - 128), 0x5c, 128); /* the interrupt uses the stack */
	if (is_mode("switch")) {
		wake_a_task();
		return;
	}
	place = where;
	__preempt_count += HARDIRQ_OFFSET;
	make_call(&in_interrupt);
	__preempt_count -= HARDIRQ_OFFSET;
	where = place;
	after = saved;
}

static void crash(int signal, siginfo_t *info __unused, void *context)
{
	unsigned long rip = (unsigned long)((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	if (in_handler(rip))
		broken("a crash (%s) at return_to_handler+0x%lx", strsignal(signal), rip - HANDLER);
	if (searching)
		broken("the search reads what is outside of the shadow stack");
	broken("a crash (%s) behind %s", strsignal(signal), where);
}

/* ---- cases ---- */

static struct call outer_call, inner_call;

void begin(const char *name)
{
	struct fgraph_frame *bottom = fgraph_bottom(stack);

	what = name;
	where = "";
	interrupted_at[0] = '\0';
	active_count = context_calls = 0;
	switches = expected_switches = 0;
	saved_rsps = rsps;
	__preempt_count = PREEMPT_NEED_RESCHED;
	unregister_ftrace_graph(&user);
	unregister_ftrace_graph(&other);
	memset(stack, 0x77, FGRAPH_STACK_SIZE);
	*bottom = (struct fgraph_frame){ .data_idx = FGRAPH_NO_DATA };
	*stack = (struct fgraph_stack){ .top = bottom, .limit = bottom->data };
	add_user(&user);
}

static void watched_body(void)
{
	set_trap_flag();
	make_call(&inner_call);
	clear_trap_flag();
}

/* Makes a call inside of another one. Returns false if there are not so many instructions. */
static bool interrupted_call(const char *name, struct call inner, unsigned long at)
{
	begin(name);
	inner_call = inner;
	inner_call.func = 0x1100;
	outer_call = (struct call){ .func = 0x1000, .data = true, .body = watched_body, .expected_returns = 1 };
	step = 0;
	stop_at = at;
	make_call(&outer_call);
	return step >= stop_at;
}

/*
 * A child process makes the call with an interrupt at each instruction. If something is wrong, the call is repeated with one
 * interrupt, one instruction later each time, to say after which one it is wrong.
 */
static void at_each_instruction(const char *name, struct call inner)
{
	unsigned long at = 1;
	int status = 0;
	pid_t child;

	(void)interrupted_call(name, inner, NEVER);
	child = fork();
	if (!child) {
		(void)!freopen("/dev/null", "w", stdout);
		(void)interrupted_call(name, inner, EACH);
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		broken("no child process");
	if (!status)
		return;
	while (interrupted_call(name, inner, at))
		at++;
	broken("interrupts at many instructions leave something wrong, but one does not");
}

static void plain_body(void)
{
	make_call(&inner_call);
}

static void values_mode(void)
{
	begin("a call that returns");
	inner_call = (struct call){ .func = 0x1100, .expected_returns = 1 };
	make_call(&inner_call);
	begin("calls inside of each other");
	inner_call = (struct call){ .func = 0x1100, .expected_returns = 1 };
	outer_call = (struct call){ .func = 0x1000, .data = true, .body = plain_body, .expected_returns = 1 };
	make_call(&outer_call);
}

static void interrupts_mode(void)
{
	at_each_instruction("an interrupt in a traced call", (struct call){ .data = true, .expected_returns = 1 });
	at_each_instruction("an interrupt in a traced call without data", (struct call){ .expected_returns = 1 });
}

static void skip_mode(void)
{
	at_each_instruction("a call that is not wanted", (struct call){ .unwanted = 1 });
	at_each_instruction("a call that is not wanted, and has reserved data", (struct call){ .unwanted = 1, .data = true });
}

static void exchange_users(void)
{
	unregister_ftrace_graph(&user);
	add_user(&user);
}

static void users_mode(void)
{
	static const struct {
		const char *name;
		unsigned unwanted, returns;
	} cases[] = { { "two users want the call", 0, 2 }, { "the first of two users does not want the call", 1, 1 },
		      { "the second of two users does not want the call", 2, 1 } };

	values_mode();
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(cases[i].name);
		add_user(&other);
		inner_call = (struct call){ .func = 0x1100, .data = true, .unwanted = cases[i].unwanted, .expected_returns = cases[i].returns };
		make_call(&inner_call);
	}
	begin("the user leaves and comes again before the function returns");
	inner_call = (struct call){ .func = 0x1100, .body = exchange_users };
	make_call(&inner_call);
}

static jmp_buf leave;

static void leaving_body(void)
{
	longjmp(leave, 1);
}

static void left_body(void)
{
	if (!setjmp(leave)) {
		inner_call = (struct call){ .func = 0x1100, .data = true, .body = leaving_body };
		make_call(&inner_call);
	}
	active_count = 1;
	saved_rsps = rsps + 1;
}

static void left_mode(void)
{
	begin("a function inside of the call does not return");
	outer_call = (struct call){ .func = 0x1000, .data = true, .body = left_body, .expected_returns = 1 };
	make_call(&outer_call);
	if (fgraph_unmatched_frames() != 1)
		broken("`unmatched` is %lu", (unsigned long)fgraph_unmatched_frames());
}

static void unwind_mode(void)
{
	at_each_instruction("a backtrace in a traced call", (struct call){ .data = true, .expected_returns = 1 });
	at_each_instruction("a backtrace in a call that is not wanted", (struct call){ .unwanted = 1, .data = true });
	at_each_instruction("a backtrace in a tail call", (struct call){ .tail = true, .expected_returns = 1 });
	searching = true;
	search_cases();
}

int main(int argc, char **argv)
{
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	struct sigaction action = { .sa_sigaction = trap, .sa_flags = SA_SIGINFO | SA_NODEFER };
	static char crash_stack[65536];
	char *area;

	mode = argc > 1 ? argv[1] : "";
	frames = !is_mode("values") && !is_mode("switch");
	area = mmap(NULL, 4 * FGRAPH_STACK_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	stack = (struct fgraph_stack *)(((unsigned long)area + 2 * FGRAPH_STACK_SIZE - 1) & ~(FGRAPH_STACK_SIZE - 1));
	mprotect(stack, FGRAPH_STACK_SIZE, PROT_READ | PROT_WRITE);
	the_task.trace = stack;
	sigaction(SIGTRAP, &action, NULL);
	sigaltstack(&(stack_t){ .ss_sp = crash_stack, .ss_size = sizeof(crash_stack) }, NULL);
	action.sa_sigaction = crash;
	action.sa_flags |= SA_ONSTACK;
	for (unsigned i = 0; i < ARRAY_SIZE(crashes); i++)
		sigaction(crashes[i], &action, NULL);
	if (is_mode("values"))
		values_mode();
	else if (is_mode("switch"))
		at_each_instruction("an interrupt wakes a task", (struct call){ .expected_returns = 1 });
	else if (is_mode("skip"))
		skip_mode();
	else if (is_mode("users"))
		users_mode();
	else if (is_mode("left"))
		left_mode();
	else if (is_mode("unwind"))
		unwind_mode();
	else if (is_mode("interrupts"))
		interrupts_mode();
	else
		return 2;
	return 0;
}
