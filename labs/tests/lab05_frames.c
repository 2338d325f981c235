/*
 * Traced calls and their returns, with an interrupt at each instruction.
 * sources: trace/fgraph/fgraph.c arch/x86_64/fgraph_entry.asm
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
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* The kernel has its own. */
#undef SIGIO
#undef SIGRTMIN
#undef _NSIG
#undef SI_USER
#undef SI_KERNEL

#include "trace/fgraph/inline.h"
#include "trace/ftrace/internal.h"

#define CALLS       16
#define STEPS_MAX   100000UL /* in a search: more than 512 frames need */
#define HANDLER     ((unsigned long)return_to_handler)
#define HANDLER_END ((unsigned long)return_to_handler_end)
#define TRAP_FLAG   0x100L
#define EACH        0UL  /* stop_at: an interrupt at each instruction */
#define NEVER       ~0UL /* no interrupt */

/* The machine: one CPU, one task. */
u32 __preempt_count = PREEMPT_NEED_RESCHED;
static struct task_struct the_task;
struct task_struct *current_task = &the_task;
static struct fgraph_stack *stack; /* between pages that nobody may read */

/* A call of traced(). */
struct call {
	unsigned long func, ret, *slot; /* func: what names the function, and is its result */
	unsigned unwanted;              /* bit i: the user with idx i does not want the return */
	bool data, tail;                /* tail: it jumps to one more traced function at its end */
	void (*body)(void);
	unsigned entries, returns, expected_returns;
	struct fgraph_frame *frame;
	int depth;
};

static struct call *active[CALLS]; /* calls that have not returned, the innermost one at the end */
static unsigned active_count;
static const char *mode, *what = "", *where = "";
static bool frames; /* the mode is about frames; else it is about registers */
static volatile unsigned tested; /* in the functions of fgraph, */
static volatile unsigned masked; /* but in code of the test: no interrupts */
static unsigned long step, stop_at = NEVER, steps_max;
static bool searching;
static char interrupted_at[80];
static unsigned long context_rip, context_rsp; /* of the code that is interrupted or watched */
static unsigned context_calls;                 /* active_count then */
static unsigned switches, expected_switches;

__attribute__((noreturn)) static void broken(const char *format, ...)
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

static bool is_mode(const char *name)
{
	return !strcmp(mode, name);
}

static void mask(void)
{
	masked++;
	barrier();
}

static void unmask(void)
{
	barrier();
	masked--;
}

#define CLOBBER(value)                                                                                                           \
	__asm__ __volatile__("mov $" #value ", %%eax; mov %%rax, %%rdx; mov %%rax, %%rcx; mov %%rax, %%rsi; mov %%rax, %%rdi;"   \
			     "mov %%rax, %%r8; mov %%rax, %%r9; mov %%rax, %%r10; mov %%rax, %%r11" ::: "rax", "rdx", "rcx",     \
			     "rsi", "rdi", "r8", "r9", "r10", "r11")

/* ---- what the tested code calls ---- */

void preempt_schedule(void)
{
	mask();
	if (__preempt_count)
		broken("preempt_schedule() is called with preempt_count 0x%x", __preempt_count);
	if ((unsigned long)__builtin_frame_address(0) % 16)
		broken("preempt_schedule() is called with a stack that is not aligned to 16 bytes");
	switches++;
	__preempt_count = PREEMPT_NEED_RESCHED;
	unmask();
	CLOBBER(0x5c4ed);
}

void panic(const char *format __unused, ...)
{
	broken("fgraph_unwind_to() finds no frame with the slot, and panics");
}

void mutex_lock(struct mutex *m __unused) {}
void mutex_unlock(struct mutex *m __unused) {}
void synchronize_rcu(void) {}
int printk(const char *format __unused, ...) { return 0; }
bool arch_is_ftrace_caller(unsigned long ip __unused) { return false; }
void ftrace_add_oops_user(struct ftrace_oops_user *added __unused) {}
struct dyn_ftrace *ftrace_location(unsigned long ip __unused) { return NULL; }
int register_ftrace_function(struct ftrace_ops *ops __unused) { return 0; }
int unregister_ftrace_function(struct ftrace_ops *ops __unused) { return 0; }
int fgraph_alloc_stacks(struct fgraph_stack **unused) { return *unused = NULL, 0; }
struct fgraph_stack *fgraph_release_stacks(void) { return NULL; }
void fgraph_free_stacks(struct fgraph_stack *list __unused) {}
const char *kallsyms_lookup(unsigned long ip __unused, unsigned long *size __unused, unsigned long *offset __unused, char *name __unused)
{
	return NULL;
}

/* ---- an unwinder ---- */

static bool in_handler(unsigned long rip)
{
	return rip >= HANDLER && rip < HANDLER_END;
}

/*
 * Looks for the true return address of each active call, as unwind_next() and frameless_caller() do in arch/x86_64/unwind.c. The
 * innermost one of the watched code may have left the stack: then only the first instruction of return_to_handler needs its frame.
 */
static void find_callers(void)
{
	const unsigned long *last = NULL;
	int idx = 0;

	for (unsigned i = active_count; i-- > 0;) {
		const struct call *call = active[i];
		unsigned long ret = *call->slot;

		if (call->slot == last)
			continue; /* a tail call */
		last = call->slot;
		if (i + 1 == context_calls && context_rsp > (unsigned long)call->slot) {
			if (!in_handler(context_rip))
				continue; /* it has returned */
			if (context_rip != HANDLER)
				broken("at return_to_handler+0x%lx the slot is below the stack pointer, where an interrupt overwrites it",
				       context_rip - HANDLER);
			ret = HANDLER;
		}
		ret = ftrace_graph_ret_addr(&the_task, &idx, ret, call->slot);
		if (ret == HANDLER)
			broken("an unwinder finds no frame for the slot of call %u, which holds return_to_handler", i + 1);
		if (ret != call->ret)
			broken("an unwinder finds 0x%lx in the slot of call %u, and the true return address is 0x%lx", ret, i + 1, call->ret);
	}
}

/* An unwinder that comes in return_to_handler follows rbp, except around the instructions that frameless_caller() knows. */
static void check_rbp(unsigned long rbp)
{
	const unsigned char *code = (const unsigned char *)context_rip;
	unsigned long slot = (unsigned long)active[context_calls - 1]->slot;

	if (context_rip == HANDLER || !in_handler(context_rip))
		return;
	if (rbp == slot - 8 && context_rsp <= rbp)
		return;
	if (context_rsp == slot && (*code == 0xc3 || !memcmp(code, "\x55\x48\x89\xe5", 4)))
		return;
	if (context_rsp == slot - 8 && !memcmp(code - 1, "\x55\x48\x89\xe5", 4))
		return;
	broken("at return_to_handler+0x%lx rbp does not point to a frame whose return address is in the slot", context_rip - HANDLER);
}

/* ---- the users ---- */

static struct call second = { .func = 0x2200, .data = true, .expected_returns = 1 }; /* of a tail call */

static unsigned long result_of(const struct call *call)
{
	return call->tail ? second.func : call->func;
}

static void check_frame(const struct ftrace_graph_ent *trace, const struct call *call)
{
	struct fgraph_frame *frame = stack->top;

	if (trace->func != call->func || fgraph_frame_func(frame) != call->func)
		broken("`func` is 0x%lx for the user and 0x%lx in the frame on top, in a call of 0x%lx", trace->func, fgraph_frame_func(frame),
		       call->func);
	if (frame->slot != call->slot)
		broken("`slot` in the frame on top is %ld bytes off", (long)((char *)frame->slot - (char *)call->slot));
	if (frame->depth != fgraph_below(frame)->depth + 1 || trace->depth != frame->depth - 1)
		broken("the depth is %d for the user, %u in the frame, and %u in the frame below", trace->depth, frame->depth,
		       fgraph_below(frame)->depth);
	if (call->entries)
		return;
	if (trace->stack != stack || trace->frame != frame)
		broken("the user does not get the frame on top of its shadow stack");
	if (frame->data_idx != FGRAPH_NO_DATA)
		broken("the frame has data before its user reserves any");
}

static void on_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct call *call = active[active_count - 1];

	mask();
	if (frames)
		check_frame(trace, call);
	call->entries++;
	call->frame = stack->top;
	call->depth = trace->depth;
	unmask();
	if (call->data) {
		u64 *data = fgraph_call_reserve(trace, gops, 24);

		data[0] = call->func;
		data[2] = ~call->func;
	}
	if (is_mode("unwind"))
		find_callers();
}

static void on_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	const u64 *data = fgraph_call_data(trace, gops);
	struct call *call = NULL;
	unsigned long result;

	mask();
	for (unsigned i = 0; i < active_count; i++)
		if (active[i]->frame == trace->frame)
			call = active[i];
	if (!call || trace->func != call->func)
		broken("retfunc is called for the frame of 0x%lx, and another function has returned", trace->func);
	if (call->unwanted & gops->bit)
		broken("a user sees the return of a call that it does not want");
	if (frames && trace->depth != call->depth)
		broken("the user sees the depth %d at the return, and %d at the entry", trace->depth, call->depth);
	if (call->data && (!data || data[0] != call->func || data[2] != ~call->func))
		broken("the user's data for the call has changed");
	if (!frames && ftrace_get_regs(fregs))
		broken("cs in struct ftrace_regs is not 0, so the user believes that all registers are there");
	result = result_of(call);
	if (!frames && (trace->retval != ~result || fregs->regs.dx != result))
		broken("rax and rdx are 0x%lx and 0x%lx in struct ftrace_regs, and the function has returned 0x%lx and 0x%lx", trace->retval,
		       (unsigned long)fregs->regs.dx, ~result, result);
	call->returns++;
	unmask();
	if (is_mode("unwind"))
		find_callers();
}

static struct fgraph_ops user, other;

static int user_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs __unused)
{
	on_entry(trace, gops);
	return !(active[active_count - 1]->unwanted & gops->bit);
}

static void user_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	if (gops != &user)
		broken("fgraph_handle_return() calls the retfunc of one user for another one");
	on_return(trace, gops, fregs);
}

static void other_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops, struct ftrace_regs *fregs)
{
	if (gops != &other)
		broken("fgraph_handle_return() calls the retfunc of one user for another one");
	on_return(trace, gops, fregs);
}

DEFINE_FGRAPH_STUBS(user, user_entry, user_return)
static struct fgraph_ops user = { .entryfunc = user_entry, .retfunc = user_return, FGRAPH_STUBS(user) };
static struct fgraph_ops other = { .entryfunc = user_entry, .retfunc = other_return };

static void (*tested_stub)(struct ftrace_regs *fregs); /* with fgraph_handle_return() */

/* return_to_handler calls it. */
static void return_callback(struct ftrace_regs *fregs)
{
	long high;

	mask();
	high = active[active_count - 1]->slot - fgraph_return_slot(fregs);
	if (!frames && (unsigned long)__builtin_frame_address(0) % 16)
		broken("ftrace_return_to_handler is called with a stack that is not aligned to 16 bytes");
	if (!frames && (unsigned long)__builtin_return_address(0) != return_to_handler_called)
		broken("the label .called is not behind the call of ftrace_return_to_handler");
	if (!frames && !(__preempt_count & PREEMPT_MASK))
		broken("ftrace_return_to_handler is called with preemption on");
	if (high)
		broken("struct ftrace_regs is %ld bytes too %s: fgraph_return_slot() does not find the slot", labs(high) * 8, high > 0 ? "low" : "high");
	where = "fgraph_handle_return()";
	tested++;
	unmask();
	tested_stub(fregs);
	tested--;
	where = "return_to_handler";
	CLOBBER(0xca11);
}

static void add_user(struct fgraph_ops *added)
{
	if (register_ftrace_graph(added))
		broken("a user that cannot register");
	tested_stub = ftrace_return_to_handler;
	ftrace_return_to_handler = return_callback;
}

/* ---- the traced functions ---- */

/*
 * checked_call(call) fills the registers that a function must keep, calls traced(call), and stores the registers. traced() is a
 * function with a call site, which saves the argument as ftrace_caller does, in a struct ftrace_regs below the return address.
 */
static struct {
	u64 rax, rdx, rbx, rbp, r12, r13, r14, r15, rsp_before, rsp;
} after __attribute__((used));
static unsigned long rsps[CALLS], *saved_rsps __attribute__((used)) = rsps;
void checked_call(struct call *call);
extern char traced[], traced_end[];

__asm__(".text\n"
	"checked_call:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; sub $8, %rsp\n"
	"	mov $11, %ebx; mov $10, %ebp; mov $12, %r12d; mov $13, %r13d; mov $14, %r14d; mov $15, %r15d\n"
	"	mov saved_rsps(%rip), %rax; mov %rsp, (%rax); add $8, %rax; mov %rax, saved_rsps(%rip)\n"
	"	call traced\n"
	"	mov %rax, after(%rip); mov %rdx, after+8(%rip); mov %rbx, after+16(%rip); mov %rbp, after+24(%rip)\n"
	"	mov %r12, after+32(%rip); mov %r13, after+40(%rip); mov %r14, after+48(%rip); mov %r15, after+56(%rip)\n"
	"	mov %rsp, after+72(%rip)\n"
	"	mov saved_rsps(%rip), %rax; sub $8, %rax; mov %rax, saved_rsps(%rip); mov (%rax), %rsp; mov %rsp, after+64(%rip)\n"
	"	add $8, %rsp; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	"traced:\n"
	"	lea -216(%rsp), %rsp\n" /* struct ftrace_regs, a word, and two frames */
	"	mov %rdi, 112(%rsp); movq $0, 136(%rsp)\n"
	"	mov %rsp, %rdi; call enter\n"
	"	mov 112(%rsp), %rdi; add $216, %rsp\n"
	"	push %rdi; call run_body; pop %rdi\n"
	"	test %rax, %rax; jz 1f\n"
	"	mov %rax, %rdi; jmp traced\n"
	"1:	mov (%rdi), %rdx; mov %rdx, %rax; not %rax\n"
	"	ret\n"
	"traced_end:\n");

__attribute__((used)) static void enter(struct ftrace_regs *fregs)
{
	struct call *call = (struct call *)fregs->regs.di, *last;

	mask();
	last = active_count ? active[active_count - 1] : NULL;
	call->slot = ftrace_regs_return_slot(fregs);
	call->ret = last && last->slot == call->slot ? last->ret : *call->slot;
	call->entries = call->returns = 0;
	active[active_count++] = call;
	where = "fgraph_enter_call()";
	tested++;
	unmask();
	for (unsigned i = 0; i < FGRAPH_ARRAY_SIZE; i++)
		if (fgraph_array[i] == &user || fgraph_array[i] == &other)
			fgraph_array[i]->ops.func(call->func, 0, &fgraph_array[i]->ops, fregs);
	tested--;
	where = "the function";
}

/* Returns the function that a tail call continues with. */
__attribute__((used)) static struct call *run_body(struct call *call)
{
	if (call->body)
		call->body();
	return call->tail ? &second : NULL;
}

static void make_call(struct call *call)
{
	struct fgraph_frame *top = stack->top;
	const u64 *limit = stack->limit;
	unsigned outer = active_count;
	u32 count = __preempt_count;
	unsigned long result = result_of(call);

	checked_call(call);
	mask();
	active_count = outer;
	if (after.rbx != 11 || after.rbp != 10 || after.r12 != 12 || after.r13 != 13 || after.r14 != 14 || after.r15 != 15)
		broken("the caller's rbx, rbp or r12 to r15 have changed");
	if (after.rsp != after.rsp_before)
		broken("the caller's rsp is %ld bytes off", (long)(after.rsp - after.rsp_before));
	if (!frames && (after.rax != ~result || after.rdx != result))
		broken("the caller gets 0x%lx in rax and 0x%lx in rdx, and the function has returned 0x%lx and 0x%lx", (unsigned long)after.rax,
		       (unsigned long)after.rdx, ~result, result);
	if (!call->entries || call->returns != call->expected_returns)
		broken("entryfunc is called %u times, and retfunc %u times instead of %u", call->entries, call->returns, call->expected_returns);
	if (!frames && switches != expected_switches)
		broken("preemption is turned on when a task switch is wanted, without a call of preempt_schedule()");
	if (!frames && __preempt_count != count)
		broken("preempt_count is 0x%x, and was 0x%x before the call", __preempt_count, count);
	if (stack->top != top)
		broken("`top` is %ld bytes %s than before the call", labs((char *)stack->top - (char *)top), stack->top > top ? "higher" : "lower");
	if (stack->limit != limit)
		broken("`limit` is %ld bytes %s than before the call", labs((const char *)stack->limit - (const char *)limit),
		       stack->limit > limit ? "higher" : "lower");
	unmask();
}

/* ---- an interrupt at each instruction ---- */

static void set_trap_flag(void)
{
	__asm__ __volatile__("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
}

static void clear_trap_flag(void)
{
	__asm__ __volatile__("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
}

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
	__typeof__(after) saved = after;
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
		regs[REG_EFL] &= ~(greg_t)TRAP_FLAG; /* nothing more to see */
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

static void begin(const char *name)
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

/* Searches for slot, and counts instructions. */
static unsigned long search(int *idx, unsigned long *slot)
{
	unsigned long ret;

	step = 0;
	steps_max = STEPS_MAX;
	set_trap_flag();
	ret = __ftrace_graph_ret_addr(&the_task, idx, HANDLER, slot);
	clear_trap_flag();
	steps_max = 0;
	return ret;
}

/* Makes n frames without data. The slot and the true address of frame i, from 1, are slots + i and 1000 + i. */
static struct fgraph_frame *make_frames(unsigned n, unsigned long *slots)
{
	struct fgraph_frame *frame = (struct fgraph_frame *)stack->limit;

	for (unsigned i = 1; i <= n; i++, frame++) {
		*frame = (struct fgraph_frame){ .ret = 1000 + i, .slot = slots + i, .depth = (u16)i, .data_idx = FGRAPH_NO_DATA,
						.prev = (u16)((unsigned long)stack->top & (FGRAPH_STACK_SIZE - 1)) };
		stack->top = frame;
		stack->limit = (u64 *)(frame + 1);
	}
	return stack->top - (n - 1); /* the lowest one */
}

static void search_cases(void)
{
	unsigned long slots[8], seed = 5;
	struct fgraph_frame *frames;
	int idx = 0;

	begin("find_frame()");
	make_frames(6, slots);
	for (unsigned i = 6; i; i--)
		if (search(&idx, slots + i) != 1000 + i)
			broken("a backtrace over 6 frames does not find frame %u", 7 - i);
	idx = 0;
	(void)search(&idx, slots + 3);
	if (search(&idx, slots + 5) != HANDLER)
		broken("a search that goes on at *idx finds a frame above it");
	idx = 0;
	if (search(&idx, slots) != HANDLER)
		broken("a search finds a frame for a slot that has none");
	begin("find_frame() in a damaged shadow stack");
	frames = make_frames(6, slots);
	frames[3].prev = (u16)((unsigned long)(frames + 5) & (FGRAPH_STACK_SIZE - 1));
	idx = 0;
	(void)search(&idx, slots + 1); /* a circle */
	frames[3].prev = (u16)((unsigned long)(frames + 3) & (FGRAPH_STACK_SIZE - 1));
	idx = 0;
	(void)search(&idx, slots + 1);
	idx = 0;
	(void)search(&idx, slots + 4);
	(void)search(&idx, slots + 4); /* begins at the circle */
	for (unsigned n = 0; n < 20000; n++) {
		static const unsigned shifts[] = { 64 - 14, 64 - 15, 64 - 16, 0 };

		for (unsigned i = 0; i < 2 + n % 300; i++) {
			seed = seed * 6364136223846793005UL + 1442695040888963407UL;
			stack->words[i] = seed;
		}
		stack->top = (struct fgraph_frame *)((n & 8 ? (unsigned long)stack : 0) + (seed >> shifts[n % 4]));
		idx = 0;
		if (__ftrace_graph_ret_addr(&the_task, &idx, HANDLER, slots) == 0)
			broken("no address");
	}
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
	else
		interrupts_mode();
	return 0;
}
