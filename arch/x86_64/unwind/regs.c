/* The registers of struct pt_regs by name and by use: regs.h. */
#include "arch/unwind/regs.h"

#include "kernel/errno.h"
#include "kernel/lib/string.h"

#define REG(name)                                                                                  \
	{                                                                                          \
#name, offsetof(struct pt_regs, name)                                              \
	}

static const struct {
	const char *name;
	int offset;
} registers[] = {
	REG(r15), REG(r14),     REG(r13), REG(r12), REG(bp),    REG(bx), REG(r11),
	REG(r10), REG(r9),      REG(r8),  REG(ax),  REG(cx),    REG(dx), REG(si),
	REG(di),  REG(orig_ax), REG(ip),  REG(cs),  REG(flags), REG(sp), REG(ss),
};

int regs_query_register_offset(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++)
		if (strcmp(registers[i].name, name) == 0)
			return registers[i].offset;
	return -EINVAL;
}

static const int arguments[REGS_ARGUMENTS] = {
	offsetof(struct pt_regs, di), offsetof(struct pt_regs, si), offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, cx), offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
};

int regs_argument_offset(unsigned index)
{
	return index < REGS_ARGUMENTS ? arguments[index] : -EINVAL;
}

bool regs_is_argument(int offset)
{
	for (size_t i = 0; i < REGS_ARGUMENTS; i++)
		if (arguments[i] == offset)
			return true;
	return false;
}
