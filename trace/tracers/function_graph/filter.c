/*
 * Chooses the calls that the function graph tracer records: set_graph_function, set_graph_notrace,
 * max_graph_depth (Documentation/trace/ftrace.rst, "The File System").
 *
 * A function of set_graph_function is recorded with all calls inside it, until it returns. A call
 * is inside such a function if its parent is; the parent's flags are on the shadow stack. So no
 * counter is needed, which a task could leave in a wrong state.
 */
#include "kernel/init.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/rcu/rcu.h"
#include "kernel/time/ktime.h"
#include "trace/ftrace_files/filter.h"
#include "trace/ftrace/internal.h"
#include "trace/tracers/function_graph/record.h"
#include "trace/core/files.h"

/* A set of functions, and its bit in graph_checks, which is set while the set is not empty. */
struct graph_filter {
	struct ftrace_hash *hash; /* [F] to write, read by callbacks */
	u32 check;
};

static struct graph_filter graph_function = { .check = GRAPH_CHECK_FUNCTION };
static struct graph_filter graph_notrace = { .check = GRAPH_CHECK_NOTRACE };
static u32 fgraph_max_depth; /* calls at this depth or deeper are not recorded; 0: no limit */

static bool filter_has(const struct graph_filter *filter, unsigned long func)
{
	const struct ftrace_hash *hash = READ_ONCE(filter->hash);

	return !ftrace_hash_empty(hash) &&
	       ftrace_hash_contains(hash, (u32)(func - KERNEL_IMAGE_BASE));
}

u32 graph_choose(const struct ftrace_graph_ent *trace, const struct fgraph_ops *gops, u32 checks)
{
	u32 flags = 0, depth = READ_ONCE(fgraph_max_depth);
	const struct graph_call *outer = NULL;
	int size;

	if (checks & (GRAPH_CHECK_FUNCTION | GRAPH_CHECK_NOTRACE))
		outer = fgraph_retrieve_parent_data(gops->idx, &size, 1);
	if (outer) {
		if (outer->flags & GRAPH_CALL_NOTRACE)
			return GRAPH_CALL_SKIP;
		flags = outer->flags & (GRAPH_CALL_INSIDE | GRAPH_CALL_IRQ);
	}
	if ((checks & GRAPH_CHECK_NOTRACE) && filter_has(&graph_notrace, trace->func))
		return flags | GRAPH_CALL_NOTRACE;
	if ((checks & GRAPH_CHECK_FUNCTION) && !(flags & GRAPH_CALL_INSIDE)) {
		if (!filter_has(&graph_function, trace->func))
			return GRAPH_CALL_SKIP;
		flags = GRAPH_CALL_INSIDE | GRAPH_CALL_FIRST | (in_hardirq() ? GRAPH_CALL_IRQ : 0);
	}
	if (depth && (u32)trace->depth >= depth)
		return GRAPH_CALL_SKIP;
	if ((checks & GRAPH_CHECK_IRQS) && !(flags & GRAPH_CALL_IRQ) && in_hardirq())
		return GRAPH_CALL_SKIP;
	if (checks & GRAPH_CHECK_THRESH)
		flags |= GRAPH_CALL_THRESH;
	if (checks & GRAPH_CHECK_SLEEP)
		flags |= GRAPH_CALL_SLEEP;
	if (checks & GRAPH_CHECK_RETVAL)
		flags |= GRAPH_CALL_RETVAL;
	return flags;
}

/* ---- set_graph_function, set_graph_notrace ---- */

static struct ftrace_hash *get_hash(void *owner)
{
	return ((struct graph_filter *)owner)->hash;
}

static int replace_hash(void *owner, struct ftrace_hash *hash)
{
	struct graph_filter *filter = owner;
	struct ftrace_hash *old = filter->hash;

	if (ftrace_hash_empty(hash))
		graph_check(filter->check, false);
	smp_store_release(&filter->hash, hash);
	if (!ftrace_hash_empty(hash))
		graph_check(filter->check, true);
	/* Callbacks that use the old hash run with preemption off. */
	synchronize_rcu();
	ftrace_hash_free(old);
	return 0;
}

/* Accepts names and patterns, but no numbers. A function to remove must be in the set. */
static int match_word(const struct ftrace_hash *hash, const char *word, struct ftrace_hash **result)
{
	bool remove = *word == '!';
	int error;

	if (isdigit(word[remove]))
		return -EINVAL;
	error = ftrace_match_records(hash, word, result);
	if (error || !remove || (hash && (*result)->count != hash->count))
		return error;
	ftrace_hash_free(*result);
	return -EINVAL;
}

static const struct ftrace_filter function_filter = {
	.when_empty = "#### all functions enabled ####\n",
	.get = get_hash,
	.replace = replace_hash,
	.match = match_word,
	.owner = &graph_function,
};

static const struct ftrace_filter notrace_filter = {
	.when_empty = "#### no functions disabled ####\n",
	.get = get_hash,
	.replace = replace_hash,
	.match = match_word,
	.owner = &graph_notrace,
};

/* ---- max_graph_depth ---- */

static ssize_t graph_depth_read(struct file *file __unused, char *buf, size_t count, loff_t *pos)
{
	char text[16];
	int length = scnprintf(text, sizeof(text), "%d\n", (int)READ_ONCE(fgraph_max_depth));

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

/* Uses the lower 32 bits, as Linux does. */
static void set_max_depth(unsigned long depth)
{
	WRITE_ONCE(fgraph_max_depth, (u32)depth);
	graph_check(GRAPH_CHECK_DEPTH, (u32)depth);
}

static ssize_t graph_depth_write(struct file *file __unused, const char *buf, size_t count,
				 loff_t *pos)
{
	unsigned long depth;
	int error = trace_get_number(buf, count, 10, &depth);

	if (error)
		return error;
	mutex_lock(&trace_types_lock);
	set_max_depth(depth);
	mutex_unlock(&trace_types_lock);
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations graph_depth_fops = {
	.read = graph_depth_read,
	.write = graph_depth_write,
	.llseek = generic_file_llseek,
};

TRACE_FILE(max_graph_depth, 0640, &graph_depth_fops, .only_top = true);

/* ---- the command line ---- */

static char early_filter[256] __initdata, early_notrace[256] __initdata;

__setup_string("ftrace_graph_filter", early_filter);
__setup_string("ftrace_graph_notrace", early_notrace);

static int __init set_early_depth(const char *value)
{
	unsigned long depth;
	int error = value ? kstrtoul(value, 0, &depth) : -EINVAL;

	if (!error)
		set_max_depth(depth);
	return error;
}
__setup("ftrace_graph_max_depth", set_early_depth);

static void check_thresh(void)
{
	graph_check(GRAPH_CHECK_THRESH, READ_ONCE(tracing_thresh));
}

void __init graph_set_early_filters(void)
{
	ftrace_set_early(&function_filter, early_filter);
	ftrace_set_early(&notrace_filter, early_notrace);
	tracing_thresh_hook = check_thresh;
	check_thresh();
}

static int __init init_graph_filter_files(void)
{
	int error = ftrace_create_set_file("set_graph_function", 0640, NULL, &function_filter);

	return error ? error
		     : ftrace_create_set_file("set_graph_notrace", 0640, NULL, &notrace_filter);
}
device_initcall(init_graph_filter_files);
