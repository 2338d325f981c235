/*
 * Stack unwinding by frame pointers.
 *
 * In each function [rbp] is the caller's rbp and [rbp + 8] the return address. An entry stub
 * sets rbp to the address of its pt_regs + 1 (arch/irq/entry.inc), so an odd frame pointer leads
 * through an exception or interrupt to the interrupted function, which may be on another stack.
 * The frame of ftrace is not at a multiple of 16, as the others are
 * (arch/ftrace/ftrace_entry.asm): it has two return addresses, [rbp + 8] into the traced
 * function, and [rbp + 16] into the function's caller. The registers of a program, and a frame
 * pointer of 0, end the trace. The unwinder reads only known stacks, and frames on one stack
 * must have ascending addresses.
 *
 * An oops uses the unwinder to find a callback that has faulted, while every function may still
 * call that callback. So nothing here is traced or calls a traced function.
 */
#include "arch/unwind/stacktrace.h"

#include "arch/irq/descriptors.h"
#include "arch/unwind/maccess.h"
#include "arch/mm/pgtable.h"
#include "arch/cpu/switch.h"
#include "arch/patch/text_alias.h"
#include "arch/unwind/unwind.h"
#include "kernel/kallsyms.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/sched.h"
#include "kernel/sections.h"

unsigned long (*unwind_return_hook)(struct task_struct *task, int *idx, unsigned long ret,
				    unsigned long *slot);
unsigned long unwind_replaced __ro_after_init;
bool (*is_generated_call)(unsigned long ip) __ro_after_init;

static unsigned long return_address(struct unwind *u, unsigned long ret, unsigned long slot)
{
	if (likely(ret != unwind_replaced) || !unwind_return_hook)
		return ret;
	return unwind_return_hook(u->task, &u->return_idx, ret, (unsigned long *)slot);
}

void *real_return_address(unsigned long *slot)
{
	struct unwind u = { .task = current };

	return (void *)return_address(&u, *slot, (unsigned long)slot);
}

static bool in_bounds(const struct stack_bounds *b, unsigned long addr, size_t size)
{
	return addr >= b->low && addr < b->high && b->high - addr >= size;
}

/* Finds the stack that contains addr, among those that u may read. */
static bool find_stack(const struct unwind *u, unsigned long addr, struct stack_bounds *b)
{
	if (u->task && u->task->stack) {
		b->low = (unsigned long)u->task->stack;
		b->high = b->low + THREAD_SIZE;
		if (in_bounds(b, addr, 8))
			return true;
	}
	if (u->task != current)
		return false;
	b->low = (unsigned long)boot_stack;
	b->high = (unsigned long)boot_stack_top;
	if (in_bounds(b, addr, 8))
		return true;
	for (unsigned i = 0; i < NR_IST - 1; i++) {
		b->low = (unsigned long)this_cpu_ptr(&ist_stacks)->base[i];
		b->high = b->low + this_cpu_read(ist_stacks.size);
		if (in_bounds(b, addr, 8))
			return true;
	}
	return false;
}

bool stack_is_of_task(const struct task_struct *task, const void *addr)
{
	return addr >= task->stack && addr < task->stack + THREAD_SIZE;
}

#define PUSH_BP_MOV 0xe5894855U /* push rbp; mov rbp, rsp */
#define RET         0xc3
#define INT3        0xcc
#define CALL        0xe8
#define NOP         0x0f /* the first byte of ftrace's */

static u32 code_at(unsigned long ip)
{
	return *(const volatile u32 *)ip;
}

static u8 byte_at(unsigned long ip)
{
	return *(const volatile u8 *)ip;
}

/* Whether the bytes from ip - 1 to ip + 8 can be read: as a rule in one page of text. */
static bool is_readable_around(unsigned long ip)
{
	return is_text_address(ip) && (!(((ip - 1) ^ (ip + 8)) & ~(PAGE_SIZE - 1)) ||
				       (is_text_address(ip - 1) && is_text_address(ip + 8)));
}

/*
 * Where the return address is, if the function at ip has not yet set rbp, or has given it back: 0:
 * on top of the stack; 8: behind the pushed rbp. -1: the function has its frame.
 *
 * The first instruction of a function is the call or nop of ftrace. The registers of a kprobe
 * there, like those of a breakpoint, point behind its first byte.
 */
static int return_slot(unsigned long ip)
{
	u8 before;

	if (!is_readable_around(ip))
		return is_text_address(ip) && byte_at(ip) == RET ? 0 : -1;
	if (code_at(ip - 1) == PUSH_BP_MOV)
		return 8;
	if (code_at(ip) == PUSH_BP_MOV || code_at(ip + 5) == PUSH_BP_MOV || byte_at(ip) == RET)
		return 0;
	before = byte_at(ip - 1);
	if (code_at(ip + 4) == PUSH_BP_MOV && (before == INT3 || before == CALL || before == NOP))
		return 0;
	return -1;
}

/* Such a function is not in the chain of frames: its caller comes from the stack itself. */
static unsigned long frameless_caller(struct unwind *u, const struct pt_regs *regs)
{
	unsigned long sp = regs->sp, ret;
	struct stack_bounds b;
	int slot;

	/*
	 * The function has returned to the code of trace/fgraph: its return address is below the
	 * stack pointer.
	 */
	ret = return_address(u, regs->ip, sp - 8);
	if (ret != regs->ip)
		return ret;
	slot = return_slot(regs->ip);
	if (slot < 0)
		return 0;
	sp += (unsigned long)slot;
	if (!IS_ALIGNED(sp, 8) || !find_stack(u, sp, &b))
		return 0;
	return return_address(u, *(unsigned long *)sp, sp);
}

static void unwind_from_regs(struct unwind *u, const struct pt_regs *regs)
{
	u->ip = regs->ip;
	u->bp = regs->bp;
	u->extra_ip = frameless_caller(u, regs);
	u->stack = (struct stack_bounds){ 0, 0 }; /* any stack may follow */
}

bool unwind_next(struct unwind *u)
{
	unsigned long bp = u->bp;
	struct stack_bounds b;
	size_t size = 16;

	if (u->extra_ip) {
		u->ip = u->extra_ip;
		u->extra_ip = 0;
		return true;
	}
	if (!bp)
		return false;
	if (bp & 1) {
		const struct pt_regs *regs = (const struct pt_regs *)(bp - 1);

		if (!find_stack(u, (unsigned long)regs, &b) ||
		    !in_bounds(&b, (unsigned long)regs, sizeof(*regs)))
			return false;
		if (user_mode(regs))
			return false;
		unwind_from_regs(u, regs);
		return true;
	}
	if (unlikely(IS_SITE_FRAME(bp)))
		size = SITE_FRAME_SIZE;
	if (!IS_ALIGNED(bp, 8))
		return false;
	if (unlikely(!in_bounds(&u->stack, bp, size))) {
		/* Another stack. On the same one it does not ascend: a loop. */
		if (!find_stack(u, bp, &b) || !in_bounds(&b, bp, size) || b.high == u->stack.high)
			return false;
		u->stack.high = b.high;
	}
	/* A module's assembly may call with a misaligned stack: then the word is another one. */
	if (unlikely(size == SITE_FRAME_SIZE) && is_text_address(*(unsigned long *)(bp + 16)))
		u->extra_ip = return_address(u, *(unsigned long *)(bp + 16), bp + 16);
	u->ip = return_address(u, *(unsigned long *)(bp + 8), bp + 8);
	u->bp = *(unsigned long *)bp & ~FTRACE_ALL_SAVED;
	u->stack.low = bp + 1;
	return u->ip != 0;
}

unsigned unwind_save(struct unwind *u, unsigned long *entries, unsigned max, unsigned skip)
{
	unsigned count = 0;

	if (max == 0)
		return 0;
	do {
		if (skip)
			skip--;
		else
			entries[count++] = u->ip;
	} while (count < max && unwind_next(u));
	return count;
}

unsigned stack_trace_save_regs(struct pt_regs *regs, unsigned long *entries, unsigned max)
{
	struct unwind u = { .task = current };

	if (user_mode(regs))
		return 0;
	unwind_from_regs(&u, regs);
	return unwind_save(&u, entries, max, 0);
}

/* More frames than a stack can hold: in a damaged stack, register frames may form a circle. */
#define FRAMES_MAX (4 * THREAD_SIZE / 16)

bool stack_trace_find_regs(struct pt_regs *regs, bool (*is_wanted)(unsigned long ip))
{
	struct unwind u = { .task = current };
	unsigned frames = 0;

	if (user_mode(regs))
		return false;
	unwind_from_regs(&u, regs);
	do {
		if (is_wanted(u.ip))
			return true;
	} while (++frames < FRAMES_MAX && unwind_next(&u));
	return false;
}

unsigned noinline stack_trace_save(unsigned long *entries, unsigned max, unsigned skip)
{
	unsigned long *frame = __builtin_frame_address(0);
	struct unwind u = { .task = current, .bp = frame[0] };

	u.ip = return_address(&u, frame[1], (unsigned long)&frame[1]);
	return unwind_save(&u, entries, max, skip);
}

/*
 * The task may start to run during the walk. The trace is then useless, but only its own stack is
 * read.
 */
unsigned stack_trace_save_task(struct task_struct *task, unsigned long *entries, unsigned max)
{
	struct unwind u = { .task = task };
	const struct switch_frame *frame;

	if (task == current)
		return stack_trace_save(entries, max, 1);
	frame = READ_ONCE(task->sp);
	if (READ_ONCE(task->on_cpu) || !stack_is_of_task(task, frame) ||
	    !stack_is_of_task(task, (const char *)(frame + 1) - 1))
		return 0;
	u.ip = frame->return_address;
	u.bp = frame->bp;
	return unwind_save(&u, entries, max, 0);
}
