/* Backtraces for lab05_frames: an unwinder that looks for the true callers, and the search for one frame. */
#include "labs/tests/lab05.h"
#include "labs/tests/trap_flag.h"

#define STEPS_MAX 100000UL /* in a search: more than 512 frames need */

/*
 * Looks for the true return address of each active call, as unwind_next() and frameless_caller() do in arch/x86_64/unwind/unwind.c. The
 * innermost one of the watched code may have left the stack: then only the first instruction of return_to_handler needs its frame.
 */
void find_callers(void)
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
void check_rbp(unsigned long rbp)
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

void search_cases(void)
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
