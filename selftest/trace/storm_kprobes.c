/* The storm's probes: kprobes, return probes and function probes come and go, and count exactly. */
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/kprobe_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/trace/storm.h"
#include "trace/kprobes/fprobe.h"
#include "trace/kprobes/kprobes.h"

/* The probes of a round. Only the hits of its task count: others call the functions, too. */
struct storm_kprobes {
	struct kprobe inside, entry;
	struct kretprobe ret;
	struct fprobe both;
	struct task_struct *owner;
	u64 inside_hits, entry_hits, returns, exits;
};

/* Other tasks call the functions as well. They must not write: the counters are not atomic. */
static bool is_own(const struct storm_kprobes *s)
{
	return current == s->owner && in_task();
}

static int count_inside(struct kprobe *p, struct pt_regs *regs __unused)
{
	struct storm_kprobes *s = container_of(p, struct storm_kprobes, inside);

	if (is_own(s))
		s->inside_hits++;
	return 0;
}

static int count_entry(struct kprobe *p, struct pt_regs *regs __unused)
{
	struct storm_kprobes *s = container_of(p, struct storm_kprobes, entry);

	if (is_own(s))
		s->entry_hits++;
	return 0;
}

static int count_return(struct kretprobe_instance *ri, struct pt_regs *regs __unused)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct storm_kprobes *s = rp ? container_of(rp, struct storm_kprobes, ret) : NULL;

	if (s && is_own(s))
		s->returns++;
	return 0;
}

static void count_exit(struct fprobe *fp, unsigned long entry_ip __unused,
		       unsigned long ret_ip __unused, struct ftrace_regs *fregs __unused,
		       void *entry_data __unused)
{
	struct storm_kprobes *s = container_of(fp, struct storm_kprobes, both);

	if (is_own(s))
		s->exits++;
}

static void count_calls(struct storm_kprobes *s, unsigned depth, bool entry, bool ret, bool both)
{
	u64 missed;

	STORM_EXPECT(ftrace_target_recurse(depth) == depth);
	missed = (u64)(atomic64_read(&s->entry.nmissed) + atomic64_read(&s->ret.nmissed) +
		       atomic64_read(&s->ret.kp.nmissed) + atomic64_read(&s->both.nmissed));
	/* A call is missed if calls of other tasks have all instances. */
	STORM_EXPECT(!entry || s->entry_hits + missed >= depth + 1);
	STORM_EXPECT(!ret || s->returns + missed >= depth + 1);
	STORM_EXPECT(!both || s->exits + missed >= depth + 1);
	STORM_EXPECT(s->entry_hits <= depth + 1 && s->returns <= depth + 1 &&
		     s->exits <= depth + 1);
}

/* Any instruction of kprobe_kinds(): most addresses are refused, as no instruction starts there. */
static void probe_inside(struct storm_task *task, struct storm_kprobes *s)
{
	u64 n = test_random(&task->seed) % 10, expected = kprobe_kinds(n);

	s->inside.addr =
		(unsigned long)kprobe_kinds +
		test_random(&task->seed) % (unsigned)(kprobe_kinds_end - (const u8 *)kprobe_kinds);
	s->inside.pre_handler = count_inside;
	if (!STORM_DONE(task, "kprobe", register_kprobe(&s->inside), -EILSEQ, -EOPNOTSUPP, -ENOMEM))
		return;
	STORM_EXPECT(kprobe_kinds(n) == expected);
	STORM_EXPECT(disable_kprobe(&s->inside) == 0);
	STORM_EXPECT(kprobe_kinds(n) == expected);
	unregister_kprobe(&s->inside);
	STORM_EXPECT(kprobe_kinds(n) == expected);
}

/* kprobe_kinds_add() has no call site, and is called four times. */
static void probe_returns_inside(struct storm_task *task, struct storm_kprobes *s)
{
	u64 n = test_random(&task->seed) % 10, expected = kprobe_kinds(n), missed;

	s->ret = (struct kretprobe){ .kp.symbol_name = "kprobe_kinds_add",
				     .handler = count_return,
				     .maxactive = 64 };
	if (!STORM_DONE(task, "kretprobe inside", register_kretprobe(&s->ret), -ENOMEM, -ENOSPC))
		return;
	STORM_EXPECT(kprobe_kinds(n) == expected);
	missed = (u64)(atomic64_read(&s->ret.nmissed) + atomic64_read(&s->ret.kp.nmissed));
	STORM_EXPECT(s->returns <= 4 && s->returns + missed >= 4);
	unregister_kretprobe(&s->ret);
	STORM_EXPECT(kprobe_kinds(n) == expected);
	s->returns = 0;
}

void storm_kprobes(struct storm_task *task)
{
	static const char *const name = "ftrace_target_recurse";
	struct storm_kprobes *s = kzalloc(sizeof(*s), GFP_KERNEL);
	bool entry, ret, both;

	if (!s)
		return;
	s->owner = current;
	probe_inside(task, s);
	probe_returns_inside(task, s);
	s->entry = (struct kprobe){ .symbol_name = name,
				    .pre_handler = count_entry,
				    .args_only = test_random(&task->seed) % 2 };
	s->ret = (struct kretprobe){ .kp.symbol_name = name,
				     .handler = count_return,
				     .maxactive = 64,
				     .args_only = test_random(&task->seed) % 2 };
	s->both.exit_handler = count_exit;
	entry = STORM_DONE(task, "entry", register_kprobe(&s->entry), -ENOMEM);
	ret = STORM_DONE(task, "kretprobe", register_kretprobe(&s->ret), -ENOMEM, -ENOSPC);
	both = STORM_DONE(task, "fprobe", register_fprobe(&s->both, name, NULL), -ENOMEM, -ENOSPC);
	count_calls(s, test_random(&task->seed) % 8, entry, ret, both);
	if (both)
		unregister_fprobe(&s->both);
	if (entry)
		unregister_kprobe(&s->entry);
	if (ret)
		unregister_kretprobe(&s->ret);
	kfree(s);
}
