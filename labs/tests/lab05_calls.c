/*
 * Traced calls for lab05_frames: two users of fgraph, the functions that they watch, and what the tested code calls. All
 * that a user and a caller can see of a call is checked here.
 */
#include "labs/tests/lab05.h"

u32 __preempt_count = PREEMPT_NEED_RESCHED;
struct task_struct the_task;
struct task_struct *current_task = &the_task;
struct fgraph_stack *stack;

struct call *active[CALLS];
unsigned active_count;
volatile unsigned tested, masked;
unsigned switches, expected_switches;

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
	if (!frames && fregs->regs.cs)
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
struct fgraph_ops user = { .entryfunc = user_entry, .retfunc = user_return, FGRAPH_STUBS(user) };
struct fgraph_ops other = { .entryfunc = user_entry, .retfunc = other_return };

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

void add_user(struct fgraph_ops *added)
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
struct registers after;
unsigned long rsps[CALLS], *saved_rsps = rsps;
void checked_call(struct call *call);

__asm__(".text; .globl traced, traced_end\n"
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
	"	lea -184(%rsp), %rsp\n" /* struct ftrace_regs, and the frame of the site */
	"	mov %rdi, 112(%rsp); movq $0, 136(%rsp)\n"
	"	mov %rsp, %rdi; call enter\n"
	"	mov 112(%rsp), %rdi; add $184, %rsp\n"
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

void make_call(struct call *call)
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
