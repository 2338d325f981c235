/* Self-test of the entry stubs: each register of a traced call, in the callback and afterwards. */
#include "kernel/lib/string.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "trace/ftrace/internal.h"

#define REGISTERS 15 /* r15 to di, the first words of struct pt_regs */
/* r11, r10 and ax, which hold no argument at the start of a function */
#define SCRATCH       (BIT(6) | BIT(7) | BIT(10))
#define FLAGS_BEFORE  0x297UL /* CF PF AF SF IF, and the bit that is always 1 */
#define FLAGS_CHANGED 0x0d1UL /* CF AF ZF SF: the callback changes these */

union registers {
	struct pt_regs regs;
	u64 words[REGISTERS];
};

static union registers seen;
static unsigned long seen_ip;
static bool seen_all;
static u64 added; /* the callback adds this to each register */

static void see_arguments(unsigned long ip, unsigned long parent_ip __unused,
			  struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	seen_ip = ip;
	seen_all = ftrace_get_regs(fregs);
	seen.regs = fregs->regs;
}

static void change_registers(unsigned long ip, unsigned long parent_ip __unused,
			     struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	u64 *words = ((union registers *)&fregs->regs)->words;

	seen_ip = ip;
	seen_all = ftrace_get_regs(fregs);
	seen.regs = fregs->regs;
	for (unsigned i = 0; i < REGISTERS; i++)
		words[i] += added;
	if (added)
		fregs->regs.flags ^= FLAGS_CHANGED;
}

/* Continues in another function by nothing but the saved ip. */
static void change_ip(unsigned long ip __unused, unsigned long parent_ip __unused,
		      struct ftrace_ops *op __unused, struct ftrace_regs *fregs)
{
	fregs->regs.ip = (unsigned long)ftrace_target_multiply;
}

static void do_nothing(unsigned long ip __unused, unsigned long parent_ip __unused,
		       struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
}

static struct ftrace_ops arguments = { .func = see_arguments };
static struct ftrace_ops all = { .func = change_registers, .flags = FTRACE_OPS_FL_SAVE_REGS };
static struct ftrace_ops elsewhere = { .func = change_ip, .flags = FTRACE_OPS_FL_SAVE_REGS };
static struct ftrace_ops second = { .func = do_nothing };

/* Leaves no zeros below the stack pointer, where the entry code is going to save registers. */
static noinline void fill_stack(void)
{
	u8 bytes[1024];

	memset(bytes, 0xff, sizeof(bytes));
	__asm__ __volatile__("" : : "r"(bytes) : "memory");
}

static void fill(union registers *r)
{
	memset(r, 0, sizeof(*r));
	for (unsigned i = 0; i < REGISTERS; i++)
		r->words[i] = 0x123456789000 + i;
	r->regs.flags = FLAGS_BEFORE;
}

/*
 * The callback gets the arguments. The function gets all registers unchanged, but for SCRATCH.
 */
static void call_with_arguments(struct selftest *test)
{
	union registers before, after;

	fill(&before);
	after = before;
	memset(&seen, 0, sizeof(seen));
	fill_stack();
	ftrace_call_with_regs(ftrace_target_other, &after.regs);
	for (unsigned i = 0; i < REGISTERS; i++)
		if (!(SCRATCH & BIT(i)))
			EXPECT_EQ(after.words[i], before.words[i]);
	EXPECT_EQ(seen.regs.di, before.regs.di);
	EXPECT_EQ(seen.regs.si, before.regs.si);
	EXPECT_EQ(seen.regs.dx, before.regs.dx);
	EXPECT_EQ(seen.regs.cx, before.regs.cx);
	EXPECT_EQ(seen.regs.r8, before.regs.r8);
	EXPECT_EQ(seen.regs.r9, before.regs.r9);
	EXPECT(!seen_all);
	EXPECT_EQ(seen_ip, (unsigned long)ftrace_target_other);
}

/* The callback gets all registers and the flags, and its changes to them take effect. */
static void call_with_all(struct selftest *test, u64 change)
{
	union registers before, after;

	fill(&before);
	after = before;
	added = change;
	ftrace_call_with_regs(ftrace_target_other, &after.regs);
	for (unsigned i = 0; i < REGISTERS; i++) {
		EXPECT_EQ(seen.words[i], before.words[i]);
		EXPECT_EQ(after.words[i], before.words[i] + change);
	}
	EXPECT_EQ(seen_ip, (unsigned long)ftrace_target_other);
	EXPECT(seen_all);
	EXPECT_EQ(seen.regs.flags, FLAGS_BEFORE);
	EXPECT_EQ(after.regs.flags, change ? FLAGS_BEFORE ^ FLAGS_CHANGED : FLAGS_BEFORE);
}

static int begin(struct ftrace_ops *ops)
{
	int error = ftrace_set_filter_ip(ops, (unsigned long)ftrace_target_other, false, true);

	return error ? error : register_ftrace_function(ops);
}

static void end(struct selftest *test, struct ftrace_ops *ops)
{
	EXPECT_EQ(unregister_ftrace_function(ops), 0);
	ftrace_free_filter(ops);
}

/* First through the trampoline of the ops, then through the list function. */
SELFTEST(ftrace_regs, arguments_reach_the_callback_and_nothing_is_changed)
{
	ASSERT(begin(&arguments) == 0);
	call_with_arguments(test);
	ASSERT(begin(&second) == 0);
	call_with_arguments(test);
	end(test, &second);
	end(test, &arguments);
}

SELFTEST(ftrace_regs, every_register_reaches_the_callback_and_can_be_changed)
{
	ASSERT(begin(&all) == 0);
	call_with_all(test, 0);
	call_with_all(test, 0x1000);
	ASSERT(begin(&second) == 0);
	call_with_all(test, 0);
	call_with_all(test, 0x1000);
	end(test, &second);
	end(test, &all);
}

SELFTEST(ftrace_regs, a_changed_ip_in_the_registers_chooses_where_execution_continues)
{
	unsigned long site = (unsigned long)ftrace_target_add;

	ASSERT(ftrace_set_filter_ip(&elsewhere, site, false, true) == 0);
	ASSERT(register_ftrace_function(&elsewhere) == 0);
	EXPECT_EQ(ftrace_target_add(7, 8), 56);
	end(test, &elsewhere);
	EXPECT_EQ(ftrace_target_add(7, 8), 15);
}
