/*
 * Events at tracepoints, with the arguments of the tracepoint itself
 * (Documentation/trace/fprobetrace.rst):
 *
 *	t[:[GROUP/][NAME]] TRACEPOINT [ARGUMENT…]
 *
 * The probe is attached to the tracepoint while the event is enabled. A tracepoint that is not
 * there may be in a module that comes later.
 */
#include "arch/unwind/regs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "kernel/rcu/rcu.h"
#include "trace/kprobes/kprobes.h"
#include "trace/probe_events/probe_place.h"

struct trace_tprobe {
	struct trace_probe probe;
	char *name;      /* of the tracepoint */
	bool registered; /* [E] */
	/* [E] to write, constant while hits can happen. NULL: its module is not there. */
	struct tracepoint *tp;
	struct module *module; /* [E] of the tracepoint; NULL: the kernel */
	unsigned long ip;      /* [E] of __traceiter_NAME(), the place that entries show */
};                             /* no letter: constant */

static struct trace_tprobe *to_trace_tprobe(const struct trace_probe *probe)
{
	return container_of(probe, struct trace_tprobe, probe);
}

/* ---- hits; the context of the tracepoint, preemption off ---- */

/* The arguments of a tracepoint that are in registers: its probe has one more, the first. */
#define TPROBE_WORDS (REGS_ARGUMENTS - 1)

/* What the arguments of a probe are fetched from. */
struct tprobe_context {
	struct pt_regs regs; /* only sp: the stack at the call of the tracepoint's probe */
	u64 args[TPROBE_WORDS];
};

/*
 * The contexts of this CPU that are in tprobe_hit(), a bit each. Reading memory may hit a
 * tracepoint, such as that of page faults; an interrupt in between is another context.
 */
static DEFINE_PER_CPU(unsigned, tprobe_active);

static __always_inline unsigned this_context(void)
{
	u32 count = preempt_count();

	if (count & NMI_MASK)
		return 8;
	if (count & HARDIRQ_MASK)
		return 4;
	return count & SOFTIRQ_OFFSET ? 2 : 1;
}

/*
 * Attached to all kinds of tracepoints: those with fewer arguments leave the last ones undefined.
 */
static __hit void tprobe_hit(void *data, u64 a1, u64 a2, u64 a3, u64 a4, u64 a5)
{
	const struct trace_tprobe *tt = data;
	struct tprobe_context context;
	unsigned bit = this_context(), outer = this_cpu_read(tprobe_active);

	BUILD_BUG_ON(TPROBE_WORDS != 5);
	if (unlikely(outer & bit))
		return;
	this_cpu_write(tprobe_active, outer | bit);
	context.args[0] = a1;
	context.args[1] = a2;
	context.args[2] = a3;
	context.args[3] = a4;
	context.args[4] = a5;
	/* Above the frame pointer is the return address. */
	context.regs.sp = (unsigned long)__builtin_frame_address(0) + sizeof(unsigned long);
	trace_probe_hit(&tt->probe, &tt->ip, 1, &context);
	this_cpu_write(tprobe_active, outer);
}

/* ---- finding a tracepoint ---- */

struct search {
	const char *name;
	struct tracepoint *tp;
	struct module *module;
};

static void match_tracepoint(struct tracepoint *tp, void *data)
{
	struct search *search = data;

	if (strcmp(tp->name, search->name) == 0)
		search->tp = tp;
}

/* Sets tp and module. E held: a module that goes takes its tracepoint away (module_going()). */
static void find_tracepoint(struct search *search)
{
	struct module *module;

	for_each_kernel_tracepoint(match_tracepoint, search);
	if (search->tp)
		return;
	rcu_read_lock();
	list_for_each_entry_rcu (module, &modules, list) {
		if (search->tp || !kprobe_module_is_ready(module))
			continue;
		search->tp = trace_module_tracepoint(module, search->name);
		search->module = module;
	}
	rcu_read_unlock();
}

/* The function that calls the probes of a tracepoint, or 0. */
static unsigned long find_caller(const char *tracepoint)
{
	char symbol[KSYM_NAME_LEN];

	snprintf(symbol, sizeof(symbol), "__traceiter_%s", tracepoint);
	return kallsyms_lookup_name(symbol);
}

/* ---- the probe ---- */

static int enable(struct trace_probe *probe)
{
	struct trace_tprobe *tt = to_trace_tprobe(probe);
	int error;

	if (tt->registered || !tt->tp)
		return 0;
	error = tracepoint_probe_register(tt->tp, (void *)tprobe_hit, tt, TRACEPOINT_DEFAULT_PRIO);
	tt->registered = !error;
	return error;
}

/* On return no handler of the probe runs: this is unregister, too. */
static void disable(struct trace_probe *probe)
{
	struct trace_tprobe *tt = to_trace_tprobe(probe);

	if (tt->registered)
		(void)tracepoint_probe_unregister(tt->tp, (void *)tprobe_hit, tt);
	tt->registered = false;
}

static int begin(struct trace_probe *probe)
{
	struct trace_tprobe *tt = to_trace_tprobe(probe);
	int error = probe_args_resolve(probe->args, probe->nr_args);
	struct search search = { .name = tt->name };

	if (error)
		return error;
	find_tracepoint(&search);
	if (!search.tp) { /* module_coming() will be called */
		probe_warn_of_waiting(probe->ops);
		return 0;
	}
	tt->tp = search.tp;
	tt->module = search.module;
	tt->ip = find_caller(tt->name);
	return 0;
}

static void free_tprobe(struct trace_probe *probe)
{
	struct trace_tprobe *tt = to_trace_tprobe(probe);

	trace_probe_free_args(probe);
	kfree(tt->name);
	kfree(tt);
}

static bool match_place(const struct trace_probe *probe, const char *word)
{
	return strcmp(to_trace_tprobe(probe)->name, word) == 0;
}

static bool is_same_place(const struct trace_probe *a, const struct trace_probe *b)
{
	return match_place(a, to_trace_tprobe(b)->name);
}

static const struct trace_probe_ops tprobe_ops = {
	.location = fprobe_location,
	.begin = begin,
	.log_error = probe_log_begin_error,
	.enable = enable,
	.disable = disable,
	.unregister = disable,
	.free = free_tprobe,
	.match_place = match_place,
	.is_same_place = is_same_place,
	.print_place = probe_print_place,
};

static const struct probe_arg_sources tprobe_sources = {
	.flags = PROBE_FL_ENTRY | PROBE_FL_BTF,
	.args = offsetof(struct tprobe_context, args),
	.nr_args = TPROBE_WORDS,
};

/* ---- dynamic_events ---- */

static void show(struct seq_file *m, struct dyn_event *dyn)
{
	const struct trace_tprobe *tt = to_trace_tprobe(to_trace_probe(dyn));

	seq_printf(m, "t:%s/%s %s", tt->probe.event->group, tt->probe.event->name, tt->name);
	trace_probe_show_args(m, &tt->probe);
}

static int create(const char *line);

DYN_EVENT_OPERATIONS(tprobe) = {
	.create = create,
	.show = show,
	.is_busy = trace_probe_is_busy,
	.free = trace_probe_release,
	.match = trace_probe_match,
};

/* ---- commands ---- */

static int check(const struct probe_command *command)
{
	unsigned word = probe_find_retval(command);
	int none;

	if (word)
		return probe_error(command, PROBE_ERR_RETVAL_ON_PROBE, word,
				   strstr(command->argv[word], "$retval"));
	return probe_parse_maxactive(command, false, &none);
}

static struct trace_tprobe *alloc_tprobe(const char *name)
{
	struct trace_tprobe *tt = kzalloc(sizeof(*tt), GFP_KERNEL);

	if (!tt)
		return NULL;
	tt->probe.ops = &tprobe_ops;
	tt->probe.sources = &tprobe_sources;
	tt->name = kstrdup(name, GFP_KERNEL);
	if (!tt->name) {
		kfree(tt);
		return NULL;
	}
	return tt;
}

/* Runs a command that has two words at least. */
static int run(struct probe_command *command)
{
	char made[PROBE_EVENT_MAX], *event = strchr(command->argv[0] + 1, ':');
	int error = check(command);
	struct trace_tprobe *tt;

	if (error)
		return error;
	tt = alloc_tprobe(command->argv[1]);
	if (!tt)
		return -ENOMEM;
	command->func = find_caller(tt->name);
	snprintf(made, sizeof(made), "%s%s", isdigit(*tt->name) ? "_" : "", tt->name);
	probe_clean_name(made);
	return trace_probe_create(&tt->probe, command, event ? event + 1 : NULL, "tracepoints",
				  made, &tprobe_dyn_event_ops);
}

static int create(const char *line)
{
	struct probe_command command;
	int error;

	line = skip_spaces(line);
	if (*line != 't')
		return -ECANCELED;
	error = probe_command_init(&command, fprobe_location, line);
	if (!error)
		error = command.argc < 2 ? -ECANCELED : run(&command);
	probe_command_free(&command);
	return error;
}

/* ---- modules that come and go ---- */

/* Attaches the probes that wait for a tracepoint of the module. */
static int module_coming(struct module *module)
{
	struct dyn_event *dyn;

	mutex_lock(&event_mutex);
	list_for_each_entry (dyn, &dyn_event_list, list) {
		struct trace_probe *probe = to_trace_probe(dyn);
		int error;

		if (dyn->ops != &tprobe_dyn_event_ops || to_trace_tprobe(probe)->tp)
			continue;
		if (!trace_module_tracepoint(module, to_trace_tprobe(probe)->name))
			continue;
		error = begin(probe);
		if (!error && trace_probe_is_enabled(probe))
			error = enable(probe);
		if (error)
			probe_warn_of_module(probe, module, error);
	}
	mutex_unlock(&event_mutex);
	return 0;
}

static void module_going(struct module *module)
{
	struct dyn_event *dyn;

	mutex_lock(&event_mutex);
	list_for_each_entry (dyn, &dyn_event_list, list) {
		struct trace_tprobe *tt = to_trace_tprobe(to_trace_probe(dyn));

		if (dyn->ops != &tprobe_dyn_event_ops || tt->module != module)
			continue;
		disable(&tt->probe);
		tt->tp = NULL;
		tt->module = NULL;
	}
	mutex_unlock(&event_mutex);
}

MODULE_NOTIFIER(MODULE_CHAIN_PROBE_EVENTS) = { .coming = module_coming, .going = module_going };
