/*
 * The checks of a program's struct perf_event_attr: what passes has no unknown bit, and only what
 * is wrong is refused.
 * sources: trace/perf/attr.c
 */
#include <string.h>

#include "check.h"
#include "kernel/errno.h"
#include "trace/perf/attr.h"

#define REGISTERS 0xff0fffULL /* that a sample of a 64-bit program can have */

/* The attribute without the fields in which it may be wrong by itself. */
static struct perf_event_attr without_errors(struct perf_event_attr attr)
{
	attr.__reserved_1 = 0;
	attr.__reserved_2 = 0;
	attr.__reserved_3 = 0;
	attr.sample_type &= PERF_SAMPLE_MAX - 1;
	attr.sample_type &= ~(u64)(PERF_SAMPLE_CGROUP | PERF_SAMPLE_WEIGHT_STRUCT);
	attr.read_format &= PERF_FORMAT_MAX - 1;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_MAX / 2;
	attr.sample_regs_user = REGISTERS;
	attr.sample_regs_intr = REGISTERS;
	attr.sample_stack_user &= 0xfff8;
	if (!attr.inherit)
		attr.inherit_thread = 0;
	if (attr.enable_on_exec)
		attr.remove_on_exec = 0;
	if (!attr.remove_on_exec)
		attr.sigtrap = 0;
	return attr;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct perf_event_attr attr, same;
	int error;

	memset(&attr, 0, sizeof(attr));
	memcpy(&attr, data, size < sizeof(attr) ? size : sizeof(attr));
	same = attr;
	error = perf_check_attr(&attr);
	CHECK(!error || error == -EINVAL);
	CHECK(!memcmp(&attr, &same, sizeof(attr)));
	if (!error) {
		u64 type = attr.sample_type;

		CHECK(type < PERF_SAMPLE_MAX && attr.read_format < PERF_FORMAT_MAX);
		CHECK(!(type & PERF_SAMPLE_STACK_USER) || attr.sample_stack_user % 8 == 0);
		/* Of general registers nobody asks for one that has no place in a sample. */
		CHECK(!(type & PERF_SAMPLE_REGS_USER) ||
		      !((u32)attr.sample_regs_user & ~REGISTERS));
		CHECK(!(type & PERF_SAMPLE_REGS_INTR) ||
		      !((u32)attr.sample_regs_intr & ~REGISTERS));
		CHECK(!attr.sigtrap || attr.remove_on_exec);
	}
	attr = without_errors(attr);
	CHECK(!perf_check_attr(&attr));

	for (u64 rate = 1; rate < 1000000; rate *= 10) {
		u64 asked = attr.freq ? attr.sample_freq : attr.sample_period;
		bool wrong = attr.freq ? asked > rate : (s64)asked < 0;

		CHECK(perf_check_period(&attr, rate) == (wrong ? -EINVAL : 0));
	}
	return 0;
}
