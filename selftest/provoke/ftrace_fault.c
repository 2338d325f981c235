/*
 * /sys/kernel/debug/ftrace_fault: makes a callback fault, so that you can see how the kernel
 * handles it (trace/ftrace/oops.c). Writing `FUNCTION HOW` attaches a callback that reads from
 * address 0 to the functions, a name or a pattern. HOW is one of the names below, by default the
 * first. Use it once per boot.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/locking/spinlock.h"
#include "kernel/sched/sched.h"
#include "trace/fgraph/inline.h"
#include "trace/core/files.h"
#include "trace/kprobes/kprobes.h"

static DEFINE_SPINLOCK(faulty_lock);

static __always_inline void fault(void)
{
	volatile int *volatile null = NULL;

	(void)*null;
}

static void ftrace_faulty_callback(unsigned long ip __unused, unsigned long parent_ip __unused,
				   struct ftrace_ops *op __unused,
				   struct ftrace_regs *fregs __unused)
{
	fault();
}

static void ftrace_faulty_locked(unsigned long ip __unused, unsigned long parent_ip __unused,
				 struct ftrace_ops *op __unused, struct ftrace_regs *fregs __unused)
{
	if (spin_trylock(&faulty_lock)) {
		fault();
		spin_unlock(&faulty_lock);
	}
}

static __always_inline int ftrace_faulty_entry(struct ftrace_graph_ent *trace __unused,
					       struct fgraph_ops *gops __unused,
					       struct ftrace_regs *fregs __unused)
{
	fault();
	return 0;
}

static int ftrace_sound_entry(struct ftrace_graph_ent *trace __unused,
			      struct fgraph_ops *gops __unused, struct ftrace_regs *fregs __unused)
{
	return 1;
}

static __always_inline void ftrace_faulty_return(struct ftrace_graph_ret *trace __unused,
						 struct fgraph_ops *gops __unused,
						 struct ftrace_regs *fregs __unused)
{
	fault();
}

/* Both are compiled into fgraph's code, as the ones of the graph tracer and the profiler. */
DEFINE_FGRAPH_STUBS(ftrace_faulty, ftrace_faulty_entry, ftrace_faulty_return)

static struct ftrace_ops plain = { .func = ftrace_faulty_callback };
static struct ftrace_ops regs = { .func = ftrace_faulty_callback,
				  .flags = FTRACE_OPS_FL_SAVE_REGS };
static struct ftrace_ops guarded = { .func = ftrace_faulty_callback,
				     .flags = FTRACE_OPS_FL_RECURSION };
static struct ftrace_ops locked = { .func = ftrace_faulty_locked };
static struct fgraph_ops entry = { .entryfunc = ftrace_faulty_entry,
				   .retfunc = ftrace_faulty_return };
static struct fgraph_ops at_return = { .entryfunc = ftrace_sound_entry,
				       .retfunc = ftrace_faulty_return };

static struct fgraph_ops inline_entry = { .entryfunc = ftrace_faulty_entry,
					  .retfunc = ftrace_faulty_return,
					  FGRAPH_STUBS(ftrace_faulty) };
static struct fgraph_ops inline_return = { .entryfunc = ftrace_sound_entry,
					   .retfunc = ftrace_faulty_return,
					   .return_stub = ftrace_faulty_return_stub };

static int ftrace_faulty_pre_handler(struct kprobe *p __unused, struct pt_regs *regs __unused)
{
	fault();
	return 0;
}

static void ftrace_post_handler(struct kprobe *p __unused, struct pt_regs *regs __unused,
				unsigned long flags __unused)
{
}

static int ftrace_faulty_handler(struct kretprobe_instance *ri __unused,
				 struct pt_regs *regs __unused)
{
	fault();
	return 0;
}

static char probed[KSYM_NAME_LEN]; /* the function of a probe */
static struct kprobe kprobe = { .symbol_name = probed, .pre_handler = ftrace_faulty_pre_handler };
static struct kprobe kprobe_inside = { .symbol_name = probed,
				       .offset = 5, /* behind the call site: an int3 */
				       .pre_handler = ftrace_faulty_pre_handler,
				       .post_handler = ftrace_post_handler };
static struct kprobe kprobe_jump = { .symbol_name = probed,
				     .offset = 5, /* without a post handler: a jump later */
				     .pre_handler = ftrace_faulty_pre_handler };
static struct kretprobe kretprobe_entry = { .kp.symbol_name = probed,
					    .entry_handler = ftrace_faulty_handler };
static struct kretprobe kretprobe = { .kp.symbol_name = probed, .handler = ftrace_faulty_handler };

static const struct {
	const char *name;
	struct ftrace_ops *ops;
	struct fgraph_ops *gops;
	struct kprobe *kp;
	struct kretprobe *rp;
} ways[] = {
	{ "plain", &plain, NULL, NULL, NULL },
	{ "regs", &regs, NULL, NULL, NULL },
	{ "guarded", &guarded, NULL, NULL, NULL },
	{ "locked", &locked, NULL, NULL, NULL },
	{ "entry", &entry.ops, &entry, NULL, NULL },
	{ "return", &at_return.ops, &at_return, NULL, NULL },
	{ "inline-entry", &inline_entry.ops, &inline_entry, NULL, NULL },
	{ "inline-return", &inline_return.ops, &inline_return, NULL, NULL },
	{ "kprobe", NULL, NULL, &kprobe, NULL },
	{ "kprobe-inside", NULL, NULL, &kprobe_inside, NULL },
	{ "kprobe-jump", NULL, NULL, &kprobe_jump, NULL },
	{ "kretprobe-entry", NULL, NULL, NULL, &kretprobe_entry },
	{ "kretprobe", NULL, NULL, NULL, &kretprobe },
};

static int ftrace_fault_show(struct seq_file *m, void *unused __unused)
{
	for (unsigned i = 0; i < ARRAY_SIZE(ways); i++)
		seq_printf(m, "%s\n", ways[i].name);
	return 0;
}

static int start_kprobe(struct kprobe *kp)
{
	int error = register_kprobe(kp);

	while (!error && kp == &kprobe_jump && !kprobe_optimized(kp))
		msleep(1);
	return error;
}

static int start(const char *function, const char *how)
{
	for (unsigned i = 0; i < ARRAY_SIZE(ways); i++) {
		int error;

		if (how && strcmp(ways[i].name, how) != 0)
			continue;
		strscpy(probed, function, sizeof(probed));
		if (ways[i].kp)
			return start_kprobe(ways[i].kp);
		if (ways[i].rp)
			return register_kretprobe(ways[i].rp);
		error = ftrace_set_filter(ways[i].ops, function, strlen(function), true);
		if (error)
			return error;
		return ways[i].gops ? register_ftrace_graph(ways[i].gops)
				    : register_ftrace_function(ways[i].ops);
	}
	return -EINVAL;
}

static ssize_t ftrace_fault_write(struct file *file __unused, const char *buf, size_t count,
				  loff_t *pos)
{
	char text[KSYM_NAME_LEN + 16], *how = text, *function;
	int error = trace_get_word(text, sizeof(text), buf, count);

	if (error)
		return error;
	function = strsep(&how, " ");
	error = *function ? start(function, how) : -EINVAL;
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

DEFINE_SHOW_STORE_ATTRIBUTE(ftrace_fault);

static int __init ftrace_fault_init(void)
{
	debugfs_create_file("ftrace_fault", 0600, NULL, NULL, &ftrace_fault_fops);
	return 0;
}
device_initcall(ftrace_fault_init);
