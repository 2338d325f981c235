/* Self-test of dumps of the trace: what else happens during one. */
#include "kernel/smp.h"
#include "kernel/time/ktime.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"
#include "trace/core/dump.h"
#include "trace/core/options.h"
#include "trace/core/trace_array.h"

#define DUMPS 10U

static bool dumps_done; /* [A] */

static void dump_again(void *arg __unused, unsigned index __unused)
{
	for (unsigned i = 0; i < DUMPS; i++)
		ftrace_dump(RING_BUFFER_ALL_CPUS);
	WRITE_ONCE(dumps_done, true);
}

SELFTEST(trace, an_option_that_is_set_during_a_dump_stays_set)
{
	struct test_group group;
	unsigned lost = 0;

	if (num_online_cpus() < 2)
		return; /* needs two CPUs that run at once */
	reset();
	WRITE_ONCE(dumps_done, false);
	ASSERT(test_group_start(&group, 1, nth_online_cpu(1), dump_again, NULL));
	for (unsigned i = 0; !READ_ONCE(dumps_done); i++) {
		u64 wanted = i & 1 ? TRACE_ITER_SYM_ADDR : 0;

		mutex_lock(&trace_types_lock);
		set_tracer_flag(&global_trace, TRACE_ITER_SYM_ADDR, wanted);
		mutex_unlock(&trace_types_lock);
		udelay(100);
		lost += (READ_ONCE(global_trace.trace_flags) & TRACE_ITER_SYM_ADDR) != wanted;
	}
	test_group_wait(&group);
	EXPECT_EQ(put("options/sym-addr", "0"), 0);
	EXPECT_EQ(lost, 0U);
	reset();
}
