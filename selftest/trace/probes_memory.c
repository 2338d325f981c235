/*
 * Self-tests of probes without memory: a probe or its event is made whole or not at all, when any
 * of its allocations is refused (selftest/trace/refuse.h).
 */
#include "fs/vfs/fs.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/uprobe_program.h"
#include "selftest/trace/refuse.h"
#include "selftest/trace/tracefs.h"
#include "trace/kprobes/fprobe.h"

static int no_entry(struct fprobe *fp __unused, unsigned long entry_ip __unused,
		    unsigned long ret_ip __unused, struct ftrace_regs *fregs __unused,
		    void *entry_data __unused)
{
	return 0;
}

static int no_return(struct kretprobe_instance *ri __unused, struct pt_regs *regs __unused)
{
	return 0;
}

static struct kprobe at_entry = { .symbol_name = "ftrace_target_add", .pre_handler = kprobe_count };
/* A post_handler, so that the optimizer makes no detour meanwhile. */
static struct kprobe inside = { .symbol_name = "kprobe_kinds",
				.offset = 2,
				.pre_handler = kprobe_count,
				.post_handler = kprobe_post_nothing };
static struct kretprobe returns = { .kp.symbol_name = "ftrace_target_add", .handler = no_return };
static struct fprobe functions = { .entry_handler = no_entry };

static long add_at_entry(void)
{
	return register_kprobe(&at_entry);
}

static long remove_at_entry(void)
{
	unregister_kprobe(&at_entry);
	return 0;
}

static long add_inside(void)
{
	return register_kprobe(&inside);
}

static long remove_inside(void)
{
	unregister_kprobe(&inside);
	return 0;
}

static long add_returns(void)
{
	return register_kretprobe(&returns);
}

static long remove_returns(void)
{
	unregister_kretprobe(&returns);
	return 0;
}

static long add_functions(void)
{
	return register_fprobe(&functions, "ftrace_many_*", NULL);
}

static long remove_functions(void)
{
	return unregister_fprobe(&functions);
}

SELFTEST(probes_memory, a_probe_is_registered_or_changes_nothing)
{
	static const struct attempt attempts[] = {
		{ "a kprobe at an entry", add_at_entry, remove_at_entry },
		{ "a kprobe inside", add_inside, remove_inside },
		{ "a kretprobe", add_returns, remove_returns },
		{ "an fprobe", add_functions, remove_functions },
	};

	ASSERT(start_refusing());
	try_each(test, attempts, ARRAY_SIZE(attempts));
	stop_refusing(test);
}

/* ---- events ---- */

static long add_line(const char *file, const char *line)
{
	return put_mode(file, line, strlen(line), O_APPEND);
}

static long define_kprobe(void)
{
	return add_line("kprobe_events", "p:g/memory ftrace_target_add a=$arg1:u32 comm=$comm "
					 "s=+0(+8($arg2)):string b=@vfs_read:x8[3]");
}

static long define_kretprobe(void)
{
	return add_line("kprobe_events",
			"r8:g/memory ftrace_target_add $retval s=+0($retval):string");
}

static long define_inside(void)
{
	return add_line("kprobe_events", "p:g/memory kprobe_kinds+2 bits=%di:b4@2/32 \\7");
}

static long remove_kprobes(void)
{
	return put("kprobe_events", "\n");
}

static char uprobe_line[2][96];

static long define_uprobe(void)
{
	return add_line("uprobe_events", uprobe_line[0]);
}

static long define_uretprobe(void)
{
	return add_line("uprobe_events", uprobe_line[1]);
}

static long remove_uprobes(void)
{
	return put("uprobe_events", "\n");
}

static long enable_probe(void)
{
	return put("events/g/memory/enable", "1");
}

static long disable_probe(void)
{
	return put("events/g/memory/enable", "0");
}

#define DEFINE(name, begin)                                                                        \
	{                                                                                          \
		name, begin, remove_kprobes                                                        \
	}
static const struct attempt kprobe_events[] = { DEFINE("an event of a kprobe", define_kprobe),
						DEFINE("an event of a return", define_kretprobe),
						DEFINE("an event inside", define_inside) };
static const struct attempt uprobe_events[] = {
	{ "an event of a uprobe", define_uprobe, remove_uprobes },
	{ "an event of a return in a program", define_uretprobe, remove_uprobes }
};

static long remove_by_name(void)
{
	return add_line("dynamic_events", "-:g/memory");
}

/* Defines, enables and removes it. The optimizer is off: it would allocate detours meanwhile. */
static void try_event(struct selftest *test, const struct attempt *define)
{
	static const struct attempt enable = { "enabling it", enable_probe, disable_probe };
	const struct attempt remove = { "removing it", remove_by_name, define->begin };

	try_each(test, define, 1);
	EXPECT_EQ(define->begin(), 0);
	try_each(test, &enable, 1);
	try_each(test, &remove, 1);
	EXPECT_EQ(define->end(), 0);
}

SELFTEST(probes_memory, an_event_of_a_probe_is_made_whole_or_not_at_all)
{
	static loff_t offsets[UPROBE_PROGRAM_INSNS];
	struct uprobe_program program;

	ASSERT(uprobe_program_instructions(offsets) && uprobe_program_make(&program, 0));
	for (unsigned i = 0; i < 2; i++)
		snprintf(uprobe_line[i], sizeof(uprobe_line[i]),
			 "%c:g/memory %s:%#llx %s s=+0(%%sp):ustring", i ? 'r' : 'p', program.path,
			 (unsigned long long)offsets[5], i ? "$retval" : "a=%di:u16");
	EXPECT_EQ(put("/proc/sys/debug/kprobes-optimization", "0"), 0);
	ASSERT(start_refusing());
	for (unsigned i = 0; i < ARRAY_SIZE(kprobe_events); i++)
		try_event(test, &kprobe_events[i]);
	for (unsigned i = 0; i < ARRAY_SIZE(uprobe_events); i++)
		try_event(test, &uprobe_events[i]);
	stop_refusing(test);
	EXPECT_EQ(put("/proc/sys/debug/kprobes-optimization", "1"), 0);
	uprobe_program_remove(&program);
}
