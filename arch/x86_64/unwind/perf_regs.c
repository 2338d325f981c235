/* Registers as perf_event_open(2) numbers them, and those of a place in the kernel. */
#include "arch/unwind/perf_regs.h"

#include "arch/cpu/ptrace.h"
#include "arch/irq/descriptors.h"

/* Where pt_regs has the register with that number; ds to gs: nowhere. */
static const u8 places[24] = {
	[0] = offsetof(struct pt_regs, ax),   [1] = offsetof(struct pt_regs, bx),
	[2] = offsetof(struct pt_regs, cx),   [3] = offsetof(struct pt_regs, dx),
	[4] = offsetof(struct pt_regs, si),   [5] = offsetof(struct pt_regs, di),
	[6] = offsetof(struct pt_regs, bp),   [7] = offsetof(struct pt_regs, sp),
	[8] = offsetof(struct pt_regs, ip),   [9] = offsetof(struct pt_regs, flags),
	[10] = offsetof(struct pt_regs, cs),  [11] = offsetof(struct pt_regs, ss),
	[16] = offsetof(struct pt_regs, r8),  [17] = offsetof(struct pt_regs, r9),
	[18] = offsetof(struct pt_regs, r10), [19] = offsetof(struct pt_regs, r11),
	[20] = offsetof(struct pt_regs, r12), [21] = offsetof(struct pt_regs, r13),
	[22] = offsetof(struct pt_regs, r14), [23] = offsetof(struct pt_regs, r15),
};

u64 perf_reg_value(const struct pt_regs *regs, unsigned number)
{
	if (!places[number] && number != 23) /* r15 is the first one */
		return 0;
	return *(const u64 *)((const char *)regs + places[number]);
}

void perf_fetch_caller_regs(struct pt_regs *regs, unsigned long ip, unsigned long sp)
{
	*regs = (struct pt_regs){ .ip = ip, .sp = sp, .cs = __KERNEL_CS };
}
