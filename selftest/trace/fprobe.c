/* Self-tests of function probes. */
#include "trace/kprobes/fprobe.h"

#include "kernel/errno.h"
#include "kernel/smp.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/on_cpus.h"
#include "selftest/selftest.h"

static atomic64_t entries, exits, wrong;
static u64 result, argument;

static void reset(void)
{
	atomic64_set(&entries, 0);
	atomic64_set(&exits, 0);
	atomic64_set(&wrong, 0);
}

static int enter(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		 struct ftrace_regs *fregs, void *entry_data)
{
	atomic64_inc(&entries);
	if (fp->entry_data_size && fp->exit_handler) {
		((u64 *)entry_data)[0] = entry_ip;
		((u64 *)entry_data)[1] = ret_ip;
		((u64 *)entry_data)[2] = ftrace_get_argument(fregs, 0);
	} else if (entry_data) {
		atomic64_inc(&wrong);
	}
	return entry_ip == (unsigned long)ftrace_target_other;
}

static void leave(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		  struct ftrace_regs *fregs, void *entry_data)
{
	atomic64_inc(&exits);
	result = fregs->regs.ax;
	if (fp->entry_data_size) {
		u64 *data = entry_data;

		argument = data[2];
		if (data[0] != entry_ip || data[1] != ret_ip)
			atomic64_inc(&wrong);
	}
}

SELFTEST(fprobe, handlers_see_both_ends_of_the_functions_that_match)
{
	static struct fprobe probe = { .entry_handler = enter,
				       .exit_handler = leave,
				       .entry_data_size = 24 };

	reset();
	ASSERT(register_fprobe(&probe, "ftrace_target_*", "ftrace_target_mul*") == 0);
	EXPECT_EQ(register_fprobe(&probe, "ftrace_target_*", NULL), -EBUSY);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ((unsigned)result, 15);
	EXPECT_EQ((unsigned)argument, 7);
	EXPECT_EQ(ftrace_target_multiply(7, 8), 56);
	EXPECT_EQ(atomic64_read(&exits), 1);
	ftrace_target_other(); /* its entry handler refuses the exit */
	EXPECT_EQ(atomic64_read(&entries), 2);
	EXPECT_EQ(atomic64_read(&exits), 1);
	disable_fprobe(&probe);
	EXPECT_EQ(ftrace_target_add(1, 1), 2);
	enable_fprobe(&probe);
	EXPECT_EQ(ftrace_target_recurse(3), 3);
	EXPECT_EQ(atomic64_read(&exits), 5);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	EXPECT_EQ(unregister_fprobe(&probe), 0);
	EXPECT_EQ(unregister_fprobe(&probe), -EINVAL);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&entries), 6);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(fprobe, probes_are_registered_by_address_and_by_name)
{
	static struct fprobe by_ip = { .entry_handler = enter },
			     by_name = { .exit_handler = leave };
	unsigned long addrs[] = { (unsigned long)ftrace_target_add,
				  (unsigned long)ftrace_target_multiply };
	static const char *const names[] = { "ftrace_target_recurse", "ftrace_target_add" };

	reset();
	ASSERT(register_fprobe_ips(&by_ip, addrs, 2) == 0);
	ASSERT(register_fprobe_syms(&by_name, names, 2) == 0);
	EXPECT_EQ(ftrace_target_add(3, 4) + ftrace_target_multiply(3, 4), 19);
	EXPECT_EQ(ftrace_target_recurse(0), 0);
	EXPECT_EQ(atomic64_read(&entries), 2);
	EXPECT_EQ(atomic64_read(&exits), 2);
	EXPECT_EQ(unregister_fprobe(&by_ip), 0);
	EXPECT_EQ(unregister_fprobe(&by_name), 0);
}

SELFTEST(fprobe, wrong_probes_are_refused)
{
	static struct fprobe large = { .entry_handler = enter,
				       .entry_data_size = MAX_FPROBE_DATA_SIZE + 1 },
			     probe = { .entry_handler = enter }, none;
	static const char *const names[] = { "ftrace_target_add", "no_such_function" };
	unsigned long inside = (unsigned long)ftrace_target_add + 5;

	EXPECT_EQ(register_fprobe(&large, "ftrace_target_add", NULL), -E2BIG);
	EXPECT_EQ(register_fprobe(&none, "ftrace_target_add", NULL), -EINVAL);
	EXPECT_EQ(register_fprobe(&probe, "no_such_function", NULL), -EINVAL);
	EXPECT_EQ(register_fprobe_ips(&probe, &inside, 1), -EINVAL);
	EXPECT_EQ(register_fprobe_ips(&probe, &inside, 0), -EINVAL);
	EXPECT_EQ(register_fprobe_syms(&probe, names, 2), -ESRCH);
	EXPECT_EQ(unregister_fprobe(&probe), -EINVAL);
}

/* More probes of returns than fgraph has users, of different functions; and two of one function. */
SELFTEST(fprobe, probes_of_single_functions_share_a_user)
{
	static struct fprobe probes[FTRACE_MANY + 4];
	unsigned long addrs[] = { (unsigned long)ftrace_target_add,
				  (unsigned long)ftrace_target_multiply,
				  (unsigned long)ftrace_target_recurse,
				  (unsigned long)ftrace_target_add };

	BUILD_BUG_ON(ARRAY_SIZE(probes) <= FGRAPH_ARRAY_SIZE);
	reset();
	for (unsigned i = 0; i < ARRAY_SIZE(probes); i++) {
		unsigned long addr = i < 4 ? addrs[i] : (unsigned long)ftrace_many[i - 4];

		probes[i] = (struct fprobe){ .entry_handler = enter,
					     .exit_handler = leave,
					     .entry_data_size = 24 };
		ASSERT(register_fprobe_ips(&probes[i], &addr, 1) == 0);
	}
	EXPECT_EQ(ftrace_target_add(7, 8), 15); /* twice */
	EXPECT_EQ(atomic64_read(&exits), 2);
	EXPECT_EQ((unsigned)argument, 7);
	EXPECT_EQ((unsigned)result, 15);
	EXPECT_EQ(unregister_fprobe(&probes[0]), 0);
	EXPECT_EQ(ftrace_target_add(1, 1) + ftrace_target_multiply(2, 3), 8);
	for (unsigned i = 0; i < FTRACE_MANY; i++)
		ftrace_many[i]();
	EXPECT_EQ(ftrace_target_recurse(3), 3);
	EXPECT_EQ(atomic64_read(&exits), 2 + 2 + FTRACE_MANY + 4);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	for (unsigned i = 1; i < ARRAY_SIZE(probes); i++)
		EXPECT_EQ(unregister_fprobe(&probes[i]), 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
	EXPECT_EQ(atomic64_read(&exits), 2 + 2 + FTRACE_MANY + 4);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

/* Unregisters the probe inside the call of its function, and registers it again with less data. */
static struct fprobe renewed = { .entry_handler = enter,
				 .exit_handler = leave,
				 .entry_data_size = 24 };

static void renew(void *unused __unused)
{
	unsigned long addr = (unsigned long)ftrace_target_call;

	if (unregister_fprobe(&renewed))
		atomic64_inc(&wrong);
	renewed.entry_data_size = 0;
	if (register_fprobe_ips(&renewed, &addr, 1))
		atomic64_inc(&wrong);
}

SELFTEST(fprobe, a_call_belongs_to_the_registration_of_its_entry)
{
	static struct fprobe other = { .exit_handler = leave };
	unsigned long addr = (unsigned long)ftrace_target_call;
	unsigned long other_addr = (unsigned long)ftrace_target_add;

	reset();
	/* The user of fgraph stays registered, because another probe shares it. */
	ASSERT(register_fprobe_ips(&other, &other_addr, 1) == 0);
	ASSERT(register_fprobe_ips(&renewed, &addr, 1) == 0);
	ftrace_target_call(renew, NULL);
	EXPECT_EQ(atomic64_read(&entries), 1);
	EXPECT_EQ(atomic64_read(&exits), 0);
	EXPECT_EQ(atomic64_read(&wrong), 0);
	EXPECT_EQ(unregister_fprobe(&renewed), 0);
	EXPECT_EQ(unregister_fprobe(&other), 0);
}

static int call_target(struct fprobe *fp __unused, unsigned long entry_ip __unused,
		       unsigned long ret_ip __unused, struct ftrace_regs *fregs __unused,
		       void *entry_data __unused)
{
	ftrace_target_multiply(1, 1);
	return 0;
}

#define CALLS 1000

static void call_many(void *unused __unused)
{
	for (unsigned i = 0; i < CALLS; i++)
		if (ftrace_target_recurse(3) != 3)
			atomic64_inc(&wrong);
}

SELFTEST(fprobe, hits_on_all_cpus_equal_the_calls_and_nested_ones_are_missed)
{
	static struct fprobe probe = { .entry_handler = enter,
				       .exit_handler = leave,
				       .entry_data_size = 24 },
			     outer = { .entry_handler = call_target };

	reset();
	ASSERT(register_fprobe(&probe, "ftrace_target_*", NULL) == 0);
	EXPECT_EQ(run_on_cpus(call_many, NULL), 0);
	EXPECT_EQ(atomic64_read(&entries), (s64)CALLS * 4 * num_online_cpus());
	EXPECT_EQ(atomic64_read(&exits), atomic64_read(&entries));
	EXPECT_EQ(atomic64_read(&wrong), 0);
	EXPECT_EQ(atomic64_read(&probe.nmissed), 0);
	ASSERT(register_fprobe(&outer, "ftrace_many_0", NULL) == 0);
	ftrace_many[0]();
	EXPECT_EQ(atomic64_read(&probe.nmissed), 1);
	EXPECT_EQ(unregister_fprobe(&outer), 0);
	EXPECT_EQ(unregister_fprobe(&probe), 0);
}
