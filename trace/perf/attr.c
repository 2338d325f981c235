/*
 * Checks of a program's struct perf_event_attr that need no other object. Pure, so that the host
 * tests and fuzzes them. The order is Linux's, because a program may have several errors, and perf
 * tries again without the one that it is told.
 */
#include "trace/perf/attr.h"

#include "kernel/errno.h"

#define REGS_NOT_THERE                                                                             \
	(BIT(PERF_REG_X86_DS) | BIT(PERF_REG_X86_ES) | BIT(PERF_REG_X86_FS) | BIT(PERF_REG_X86_GS))
/* Numbers between the general registers and the vectors. */
#define REGS_RESERVED (BIT(PERF_REG_X86_XMM0) - BIT(PERF_REG_X86_64_MAX))

/* Vectors are refused later, with another errno. */
static bool are_registers(u64 mask)
{
	return mask && !(mask & (REGS_NOT_THERE | REGS_RESERVED));
}

static bool is_branch_type(u64 type)
{
	return !(type & ~(u64)(PERF_SAMPLE_BRANCH_MAX - 1)) &&
	       (type & ~(u64)PERF_SAMPLE_BRANCH_PLM_ALL);
}

static bool is_stack_size(u32 size)
{
	return size < 65535 && IS_ALIGNED(size, 8U);
}

static bool samples_are_valid(const struct perf_event_attr *attr)
{
	u64 type = attr->sample_type;

	if ((type & PERF_SAMPLE_BRANCH_STACK) && !is_branch_type(attr->branch_sample_type))
		return false;
	if ((type & PERF_SAMPLE_REGS_USER) && !are_registers(attr->sample_regs_user))
		return false;
	if ((type & PERF_SAMPLE_STACK_USER) && !is_stack_size(attr->sample_stack_user))
		return false;
	if ((type & PERF_SAMPLE_REGS_INTR) && !are_registers(attr->sample_regs_intr))
		return false;
	if (type & PERF_SAMPLE_CGROUP) /* there are no cgroups */
		return false;
	return !(type & PERF_SAMPLE_WEIGHT) || !(type & PERF_SAMPLE_WEIGHT_STRUCT);
}

int perf_check_attr(const struct perf_event_attr *attr)
{
	if (attr->__reserved_1 || attr->__reserved_2 || attr->__reserved_3)
		return -EINVAL;
	if (attr->sample_type >= PERF_SAMPLE_MAX || attr->read_format >= PERF_FORMAT_MAX)
		return -EINVAL;
	if (!samples_are_valid(attr))
		return -EINVAL;
	if (attr->inherit_thread && !attr->inherit)
		return -EINVAL;
	if (attr->remove_on_exec && attr->enable_on_exec)
		return -EINVAL;
	return attr->sigtrap && !attr->remove_on_exec ? -EINVAL : 0;
}

int perf_check_period(const struct perf_event_attr *attr, u64 max_rate)
{
	if (attr->freq)
		return attr->sample_freq > max_rate ? -EINVAL : 0;
	return attr->sample_period >> 63 ? -EINVAL : 0;
}
