/* Self-tests of ftrace_ops: the effect of each flag, the errors, the target of a site. */
#include "arch/patch/text_patch.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/memory.h"
#include "selftest/selftest.h"
#include "trace/ftrace/trampoline.h"
#include "trace/ftrace/recursion.h"

#define SITE_SIZE 5

static unsigned calls;

static void count_call(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	calls++;
}

static struct ftrace_ops counter = { .func = count_call };
static struct ftrace_ops second = { .func = count_call };

static int set_to(struct ftrace_ops *ops, const void *function)
{
	return ftrace_set_filter_ip(ops, (unsigned long)function, false, true);
}

/* Returns the current call target of function's site. */
static unsigned long target_of(const void *function)
{
	return text_decode_target(function, (unsigned long)function);
}

static u32 flags_of(const void *function)
{
	return ftrace_location((unsigned long)function)->flags & ~FTRACE_FL_TOUCHED;
}

/* ---- the target of a site ---- */

SELFTEST(ftrace_ops, a_site_calls_the_cheapest_possible_target)
{
	static struct ftrace_ops regs = { .func = count_call, .flags = FTRACE_OPS_FL_SAVE_REGS };
	const void *site = ftrace_target_add;

	ASSERT(set_to(&counter, site) == 0 && set_to(&second, site) == 0);
	ASSERT(set_to(&regs, site) == 0);

	ASSERT(register_ftrace_function(&counter) == 0);
	EXPECT_EQ(target_of(site), counter.trampoline->address);
	EXPECT_EQ(flags_of(site), (FTRACE_FL_ENABLED | FTRACE_FL_TRAMP | FTRACE_FL_TRAMP_EN) + 1);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);

	ASSERT(register_ftrace_function(&second) == 0);
	EXPECT_EQ(target_of(site), (unsigned long)ftrace_caller);
	EXPECT_EQ(flags_of(site), FTRACE_FL_ENABLED + 2);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);

	ASSERT(register_ftrace_function(&regs) == 0);
	EXPECT_EQ(target_of(site), (unsigned long)ftrace_regs_caller);
	EXPECT_EQ(flags_of(site), (FTRACE_FL_ENABLED | FTRACE_FL_REGS | FTRACE_FL_REGS_EN) + 3);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);

	calls = 0;
	ftrace_target_add(1, 2);
	EXPECT_EQ(calls, 3);

	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT_EQ(target_of(site), (unsigned long)ftrace_regs_caller);
	EXPECT(unregister_ftrace_function(&second) == 0);
	EXPECT_EQ(target_of(site), regs.trampoline->address);
	EXPECT_EQ(regs.trampoline->save, FTRACE_SAVE_REGS);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_function(&regs) == 0);
	EXPECT(!memcmp(site, text_nop5, sizeof(text_nop5)));
	EXPECT_EQ(flags_of(site), 0);
	ftrace_free_filter(&regs);
}

SELFTEST(ftrace_ops, a_filter_changes_while_its_ops_is_registered)
{
	ASSERT(set_to(&counter, ftrace_target_add) == 0);
	ASSERT(register_ftrace_function(&counter) == 0);
	EXPECT(ftrace_set_filter_ip(&counter, (unsigned long)ftrace_target_other, false, false) ==
	       0);
	calls = 0;
	ftrace_target_add(1, 1);
	ftrace_target_other();
	EXPECT_EQ(calls, 2);
	EXPECT(ftrace_set_filter_ip(&counter, (unsigned long)ftrace_target_add, true, false) == 0);
	ftrace_target_add(1, 1);
	ftrace_target_other();
	EXPECT_EQ(calls, 3);
	EXPECT_EQ(ftrace_set_filter_ip(&counter, (unsigned long)ftrace_target_add, true, false),
		  -ENOENT);
	EXPECT_EQ(
		ftrace_set_filter_ip(&counter, (unsigned long)ftrace_target_add + 1, false, false),
		-EINVAL);
	EXPECT(ftrace_set_notrace(&counter, "ftrace_target_*", 15, false) == 0);
	ftrace_target_other();
	EXPECT_EQ(calls, 3);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	ftrace_free_filter(&counter);
}

/* ---- registers ---- */

static struct pt_regs seen;
static bool slot_is_parent, sp_is_slot, all_registers;

/* Adds 100 to the first argument. */
static void change_argument(unsigned long ip __unused, unsigned long parent_ip,
			    struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);

	slot_is_parent = *ftrace_regs_return_slot(fregs) == parent_ip;
	all_registers = regs != NULL;
	if (!regs)
		return;
	seen = *regs;
	sp_is_slot = regs->sp == (unsigned long)ftrace_regs_return_slot(fregs);
	regs->di += 100;
}

/* Redirects the call to another function. */
static void go_elsewhere(unsigned long ip __unused, unsigned long parent_ip __unused,
			 struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	ftrace_instruction_pointer_set(fregs, (unsigned long)ftrace_target_multiply);
}

static void check_seen_registers(struct selftest *test)
{
	EXPECT(slot_is_parent);
	EXPECT(all_registers);
	EXPECT_EQ(seen.di, 20);
	EXPECT_EQ(seen.si, 3);
	EXPECT_EQ(seen.ip, (unsigned long)ftrace_target_add + SITE_SIZE);
	EXPECT_EQ(seen.cs, 0x10);
	EXPECT_EQ(seen.ss, 0x18);
	EXPECT(seen.flags & X86_EFLAGS_IF);
	/* At the start of the function the return address is on top of the stack. */
	EXPECT(sp_is_slot);
	EXPECT(seen.bp >= (unsigned long)current->stack && seen.bp < seen.sp + THREAD_SIZE);
}

SELFTEST(ftrace_ops, changed_registers_take_effect)
{
	static struct ftrace_ops ops = { .func = change_argument,
					 .flags = FTRACE_OPS_FL_SAVE_REGS_IF_SUPPORTED };

	ASSERT(set_to(&ops, ftrace_target_add) == 0);
	ASSERT(register_ftrace_function(&ops) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 123);
	check_seen_registers(test);

	/* The same through the list function. */
	ASSERT(set_to(&counter, ftrace_target_add) == 0);
	ASSERT(register_ftrace_function(&counter) == 0);
	seen = (struct pt_regs){ 0 };
	EXPECT_EQ(ftrace_target_add(20, 3), 123);
	check_seen_registers(test);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT(unregister_ftrace_function(&ops) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	ftrace_free_filter(&ops);
}

SELFTEST(ftrace_ops, a_changed_ip_replaces_the_function)
{
	static struct ftrace_ops ops = { .func = go_elsewhere,
					 .flags =
						 FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY };

	ASSERT(set_to(&ops, ftrace_target_add) == 0);
	ASSERT(register_ftrace_function(&ops) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	EXPECT(flags_of(ftrace_target_add) & FTRACE_FL_IPMODIFY);
	ASSERT(set_to(&counter, ftrace_target_add) == 0);
	ASSERT(register_ftrace_function(&counter) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT(unregister_ftrace_function(&ops) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(flags_of(ftrace_target_add), FTRACE_FL_MODIFIED);
	ftrace_location((unsigned long)ftrace_target_add)->flags =
		0; /* other tests expect no flags */
	ftrace_free_filter(&ops);
}

/* A call of it stands in front of a function, and must not change its arguments. */
static __keeps_registers void in_front(void)
{
	calls++;
}

SELFTEST(ftrace_ops, a_direct_ops_makes_the_site_call)
{
	static struct ftrace_ops direct, other,
		patch = { .func = go_elsewhere, .flags = FTRACE_OPS_FL_IPMODIFY };
	const u8 *site = (const u8 *)ftrace_target_add;

	EXPECT_EQ(register_ftrace_direct(&direct, (unsigned long)in_front), -EINVAL);
	ASSERT(set_to(&direct, site) == 0 && set_to(&other, site) == 0);
	ASSERT(register_ftrace_direct(&direct, (unsigned long)in_front) == 0);
	EXPECT_EQ(site[0], 0xe8); /* call */
	EXPECT_EQ(target_of(site), (unsigned long)in_front);
	calls = 0;
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(calls, 1);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);

	EXPECT_EQ(register_ftrace_direct(&other, (unsigned long)in_front), -EBUSY);
	other.flags = FTRACE_OPS_FL_JMP;
	EXPECT_EQ(register_ftrace_direct(&other, (unsigned long)ftrace_target_multiply), -EBUSY);

	/* With other ops the list function calls the callbacks, and then the code. */
	ASSERT(set_to(&counter, site) == 0 && register_ftrace_function(&counter) == 0);
	EXPECT_EQ(target_of(site), (unsigned long)ftrace_regs_caller);
	calls = 0;
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(calls, 2);
	ASSERT(set_to(&patch, site) == 0 && register_ftrace_function(&patch) == 0);
	calls = 0;
	EXPECT_EQ(ftrace_target_add(20, 3), 60); /* in front of the function that replaces it */
	EXPECT_EQ(calls, 2);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_function(&patch) == 0);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT_EQ(site[0], 0xe8);
	EXPECT(unregister_ftrace_direct(&direct) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(flags_of(site), FTRACE_FL_MODIFIED);
	ftrace_location((unsigned long)site)->flags = 0; /* other tests expect no flags */
	ftrace_free_filter(&direct);
	ftrace_free_filter(&other);
	ftrace_free_filter(&patch);
}

SELFTEST(ftrace_ops, a_direct_ops_makes_the_site_jump)
{
	static struct ftrace_ops direct = { .flags = FTRACE_OPS_FL_JMP };
	const u8 *site = (const u8 *)ftrace_target_add;

	ASSERT(set_to(&direct, ftrace_target_add) == 0);
	ASSERT(register_ftrace_direct(&direct, (unsigned long)ftrace_target_multiply) == 0);
	EXPECT_EQ(site[0], 0xe9); /* jmp */
	EXPECT_EQ(target_of(site), (unsigned long)ftrace_target_multiply);
	EXPECT(flags_of(site) & FTRACE_FL_DIRECT);
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT_EQ(register_ftrace_direct(&direct, (unsigned long)ftrace_target_multiply), -EBUSY);

	/* With a second ops the site calls the list function. */
	ASSERT(set_to(&counter, ftrace_target_add) == 0);
	ASSERT(register_ftrace_function(&counter) == 0);
	EXPECT_EQ(target_of(site), (unsigned long)ftrace_caller);
	calls = 0;
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	EXPECT_EQ(calls, 1);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT_EQ(site[0], 0xe9);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_direct(&direct) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
	EXPECT_EQ(unregister_ftrace_direct(&direct), -EINVAL);
	EXPECT_EQ(flags_of(site), FTRACE_FL_MODIFIED);
	ftrace_location((unsigned long)site)->flags = 0; /* other tests expect no flags */
	ftrace_free_filter(&direct);
}

/* ---- errors ---- */

static int try_flags(unsigned long flags)
{
	struct ftrace_ops ops = { .func = count_call, .flags = flags };
	int error = register_ftrace_function(&ops);

	if (!error)
		unregister_ftrace_function(&ops);
	return error;
}

SELFTEST(ftrace_ops, bad_ops_are_refused)
{
	struct ftrace_ops no_func = { .func = NULL };

	EXPECT_EQ(register_ftrace_function(&no_func), -EINVAL);
	EXPECT_EQ(try_flags(FTRACE_OPS_FL_ENABLED), -EBUSY);
	EXPECT_EQ(try_flags(FTRACE_OPS_FL_DELETED), -EINVAL);
	EXPECT_EQ(try_flags(BIT(30)), -EINVAL);
	EXPECT_EQ(try_flags(FTRACE_OPS_FL_DIRECT), -EINVAL);
	EXPECT_EQ(try_flags(FTRACE_OPS_FL_IPMODIFY), -EINVAL);
	/* IPMODIFY with an empty filter would mean all functions */
	EXPECT_EQ(try_flags(FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS), -EINVAL);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
}

SELFTEST(ftrace_ops, a_clash_of_ipmodify_users_changes_nothing)
{
	static struct ftrace_ops first = {
		.func = go_elsewhere, .flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY
	};
	static struct ftrace_ops other = {
		.func = go_elsewhere, .flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY
	};
	const struct ftrace_hash *before;

	ASSERT(set_to(&first, ftrace_many[3]) == 0);
	ASSERT(ftrace_set_filter(&other, "ftrace_many_*", 13, true) == 0);
	ASSERT(register_ftrace_function(&first) == 0);
	EXPECT_EQ(register_ftrace_function(&other), -EPERM);
	EXPECT(!(other.flags & FTRACE_OPS_FL_ENABLED) && !other.trampoline);
	EXPECT_EQ(flags_of(ftrace_many[4]), 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);

	/* A registered ops cannot add such a function to its filter either. */
	ASSERT(set_to(&other, ftrace_many[4]) == 0);
	ASSERT(register_ftrace_function(&other) == 0);
	before = other.filter_hash;
	EXPECT_EQ(ftrace_set_filter(&other, "ftrace_many_3", 13, false), -EPERM);
	EXPECT_EQ(ftrace_set_filter(&other, "", 0, true), -EINVAL);
	EXPECT(other.filter_hash == before);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_function(&other) == 0);
	EXPECT(unregister_ftrace_function(&first) == 0);
	ftrace_location((unsigned long)ftrace_many[3])->flags = 0;
	ftrace_location((unsigned long)ftrace_many[4])->flags = 0;
	ftrace_free_filter(&first);
	ftrace_free_filter(&other);
}

SELFTEST(ftrace_ops, without_memory_nothing_is_changed)
{
	static struct ftrace_ops everything = { .func = count_call };
	u32 before = flags_of(ftrace_target_add); /* what other tests have left */
	struct memory_taken taken;
	int error;

	memory_take_all(&taken);
	error = register_ftrace_function(&everything);
	memory_give_back(&taken);
	EXPECT_EQ(error, -ENOMEM);
	EXPECT(!(everything.flags & FTRACE_OPS_FL_ENABLED) && !everything.trampoline);
	EXPECT(everything.func == count_call);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT_EQ(flags_of(ftrace_target_add), before);

	/* Unregistering needs no memory: it then patches in smaller batches. */
	ASSERT(register_ftrace_function(&everything) == 0);
	memory_take_all(&taken);
	error = unregister_ftrace_function(&everything);
	memory_give_back(&taken);
	EXPECT_EQ(error, 0);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT_EQ(flags_of(ftrace_target_add), before);
}

/* ---- the other flags ---- */

static unsigned depth_of_preemption;

/* Calls the function that it traces. */
static void recurse(unsigned long ip __unused, unsigned long parent_ip __unused,
		    struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	calls++;
	depth_of_preemption = preempt_count() & PREEMPT_MASK;
	ftrace_target_other();
}

SELFTEST(ftrace_ops, ops_with_the_recursion_flag_are_guarded_against_recursion)
{
	static struct ftrace_ops ops = { .func = recurse, .flags = FTRACE_OPS_FL_RECURSION };

	calls = 0;
	ASSERT(set_to(&ops, ftrace_target_other) == 0);
	ASSERT(register_ftrace_function(&ops) == 0);
	ftrace_target_other();
	/* one level in transition is allowed: trace/ftrace/recursion.h */
	EXPECT_EQ(calls, 2);
	EXPECT(depth_of_preemption > 0);
	EXPECT_EQ(current->trace_recursion, 0);
	EXPECT_EQ(preempt_count(), 0);

	ASSERT(set_to(&counter, ftrace_target_other) == 0);
	ASSERT(register_ftrace_function(&counter) == 0);
	calls = 0;
	ftrace_target_other();
	/* Only ops has the guard: counter sees all three calls. */
	EXPECT_EQ(calls, 2 + 3);
	EXPECT_EQ(current->trace_recursion, 0);
	EXPECT_EQ(preempt_count(), 0);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT(unregister_ftrace_function(&ops) == 0);
	ftrace_free_filter(&ops);
}

SELFTEST(ftrace_ops, a_stub_is_registered_but_never_called)
{
	static struct ftrace_ops stub = { .func = ftrace_stub };

	calls = 0;
	ASSERT(set_to(&stub, ftrace_target_other) == 0);
	ASSERT(set_to(&counter, ftrace_target_other) == 0);
	ASSERT(register_ftrace_function(&stub) == 0);
	EXPECT(stub.flags & FTRACE_OPS_FL_STUB);
	EXPECT_EQ(flags_of(ftrace_target_other) & FTRACE_REF_MASK, 1);
	ftrace_target_other();
	ASSERT(register_ftrace_function(&counter) == 0);
	ftrace_target_other();
	EXPECT_EQ(calls, 1);
	EXPECT_EQ(ftrace_verify(NULL, NULL), 0);
	EXPECT(unregister_ftrace_function(&counter) == 0);
	EXPECT(unregister_ftrace_function(&stub) == 0);
	ftrace_free_filter(&stub);
}

SELFTEST(ftrace_ops, allocated_ops_have_the_dynamic_flag_and_may_be_freed)
{
	struct ftrace_ops *ops = kzalloc(sizeof(*ops), GFP_KERNEL);

	ASSERT(ops);
	ops->func = count_call;
	EXPECT(set_to(ops, ftrace_target_other) == 0);
	EXPECT(register_ftrace_function(ops) == 0);
	EXPECT(ops->flags & FTRACE_OPS_FL_DYNAMIC);
	calls = 0;
	ftrace_target_other();
	EXPECT_EQ(calls, 1);
	EXPECT(unregister_ftrace_function(ops) == 0);
	ftrace_free_filter(ops);
	kfree(ops);
	ASSERT(register_ftrace_function(&counter) == 0);
	EXPECT(!(counter.flags & FTRACE_OPS_FL_DYNAMIC));
	EXPECT(unregister_ftrace_function(&counter) == 0);
}
