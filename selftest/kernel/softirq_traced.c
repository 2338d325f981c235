/* Self-test of softirqs, seen by the graph tracer: which functions return with interrupts on. */
#include "kernel/irq/softirq.h"

#include "arch/cpu/irqflags.h"
#include "kernel/lib/string.h"
#include "selftest/selftest.h"
#include "trace/fgraph/fgraph.h"

static unsigned returns, returns_with_irqs_on;

notrace /* callbacks of fgraph_ops must be */
static int want_return(struct ftrace_graph_ent *trace __unused, struct fgraph_ops *gops __unused,
		       struct ftrace_regs *fregs __unused)
{
	return 1;
}

notrace /* as above */
static void look_at_irqs(struct ftrace_graph_ret *trace __unused, struct fgraph_ops *gops __unused,
			 struct ftrace_regs *fregs __unused)
{
	__atomic_fetch_add(&returns, 1, __ATOMIC_RELAXED);
	if (!irqs_disabled())
		__atomic_fetch_add(&returns_with_irqs_on, 1, __ATOMIC_RELAXED);
}

static void do_nothing(void)
{
}

SELFTEST(softirq, interrupts_are_off_again_behind_the_last_softirq)
{
	struct fgraph_ops gops = { .entryfunc = want_return, .retfunc = look_at_irqs };
	static const char name[] = "__do_softirq";

	returns = returns_with_irqs_on = 0;
	open_softirq(IRQ_POLL_SOFTIRQ, do_nothing);
	ASSERT(ftrace_set_filter(&gops.ops, name, strlen(name), true) == 0);
	EXPECT_EQ(register_ftrace_graph(&gops), 0);
	local_bh_disable();
	raise_softirq(IRQ_POLL_SOFTIRQ);
	local_bh_enable();
	unregister_ftrace_graph(&gops);
	ftrace_free_filter(&gops.ops);
	EXPECT(returns > 0);
	EXPECT_EQ(returns_with_irqs_on, 0);
}
