/*
 * Events at the entry and at the return of functions (Documentation/trace/fprobetrace.rst):
 *
 *	f[:[GROUP/][NAME]] [MODULE:]SYMBOL [ARGUMENT…]
 *	f[MAXACTIVE][:[GROUP/][NAME]] [MODULE:]SYMBOL%return [ARGUMENT…]
 *
 * The probe is registered only while the event is enabled, so that an event that is off costs
 * nothing. MAXACTIVE is only shown: the arguments of a call are on the shadow stack of its task,
 * and so there is no limit.
 */
#include "trace/kprobes/fprobe.h"

#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "trace/kprobes/partial_regs.h"
#include "trace/probe_events/probe_place.h"

#define RETURN_SUFFIX "%return"

struct trace_fprobe {
	struct trace_probe probe;
	struct fprobe fp;
	bool is_return;
	bool registered; /* [E] */
	char *symbol;    /* "[MODULE:]SYMBOL" */
	int maxactive;   /* as the command has it; 0: it has none */
	/* [E] to write, constant while hits can happen. 0: the module is not there. */
	unsigned long addr;
}; /* no letter: constant */

static struct trace_fprobe *to_trace_fprobe(const struct trace_probe *probe)
{
	return container_of(probe, struct trace_fprobe, probe);
}

/* ---- hits; any context, preemption off ---- */

static __hit int entry_hit(struct fprobe *fp, unsigned long entry_ip __unused,
			   unsigned long ret_ip __unused, struct ftrace_regs *fregs,
			   void *entry_data __unused)
{
	const struct trace_fprobe *tf = container_of(fp, struct trace_fprobe, fp);

	trace_probe_hit(&tf->probe, &tf->addr, 1, ftrace_partial_regs(fregs));
	return 0;
}

/* The same for an event without arguments, which keeps fewer registers. */
static __hit int entry_hit_without_args(struct fprobe *fp, unsigned long entry_ip __unused,
					unsigned long ret_ip __unused,
					struct ftrace_regs *fregs __unused,
					void *entry_data __unused)
{
	const struct trace_fprobe *tf = container_of(fp, struct trace_fprobe, fp);

	trace_probe_hit_without_args(&tf->probe, &tf->addr, 1);
	return 0;
}

/* Keeps the arguments of the call for its return. */
static int keep_args(struct fprobe *fp, unsigned long entry_ip __unused,
		     unsigned long ret_ip __unused, struct ftrace_regs *fregs, void *entry_data)
{
	const struct trace_fprobe *tf = container_of(fp, struct trace_fprobe, fp);

	probe_entry_args_store(&tf->probe.entry_args, ftrace_partial_regs(fregs), entry_data);
	return 0;
}

static __hit void return_hit(struct fprobe *fp, unsigned long entry_ip __unused,
			     unsigned long ret_ip, struct ftrace_regs *fregs, void *entry_data)
{
	const struct trace_fprobe *tf = container_of(fp, struct trace_fprobe, fp);
	const unsigned long head[] = { tf->addr, ret_ip };

	fregs->regs.sp = (unsigned long)(fgraph_return_slot(fregs) + 1);
	fregs->regs.orig_ax = (unsigned long)entry_data; /* struct probe_entry_args */
	trace_probe_hit(&tf->probe, head, 2, &fregs->regs);
}

/* ---- the probe ---- */

static int enable(struct trace_probe *probe)
{
	struct trace_fprobe *tf = to_trace_fprobe(probe);
	int error;

	if (tf->registered || !tf->addr)
		return 0;
	error = register_fprobe_ips(&tf->fp, &tf->addr, 1);
	tf->registered = !error;
	return error;
}

/* On return no handler of the probe runs: this is unregister, too. */
static void disable(struct trace_probe *probe)
{
	struct trace_fprobe *tf = to_trace_fprobe(probe);

	if (tf->registered)
		(void)unregister_fprobe(&tf->fp);
	tf->registered = false;
}

static void set_handlers(struct trace_fprobe *tf)
{
	const struct trace_probe *probe = &tf->probe;

	if (!tf->is_return) {
		tf->fp.entry_handler = probe->nr_args ? entry_hit : entry_hit_without_args;
		return;
	}
	tf->fp.exit_handler = return_hit;
	tf->fp.entry_handler = probe->entry_args.count ? keep_args : NULL;
	tf->fp.entry_data_size = probe->entry_args.count * sizeof(u64);
}

static int begin(struct trace_probe *probe)
{
	struct trace_fprobe *tf = to_trace_fprobe(probe);
	int error = probe_args_resolve(probe->args, probe->nr_args);
	unsigned long addr;

	if (error)
		return error;
	set_handlers(tf);
	if (!probe_module_is_there(tf->symbol)) { /* module_coming() will be called */
		probe_warn_of_waiting(probe->ops);
		return 0;
	}
	addr = kallsyms_lookup_name(tf->symbol);
	if (!addr || !ftrace_location(addr))
		return -ENOENT;
	tf->addr = addr;
	return 0;
}

static void free_fprobe(struct trace_probe *probe)
{
	struct trace_fprobe *tf = to_trace_fprobe(probe);

	trace_probe_free_args(probe);
	kfree(tf->symbol);
	kfree(tf);
}

/* Whether word is "SYMBOL" or "SYMBOL%return". */
static bool match_place(const struct trace_probe *probe, const char *word)
{
	const struct trace_fprobe *tf = to_trace_fprobe(probe);
	size_t length = strlen(tf->symbol);

	return strncmp(tf->symbol, word, length) == 0 &&
	       strcmp(word + length, tf->is_return ? RETURN_SUFFIX : "") == 0;
}

static bool is_same_place(const struct trace_probe *a, const struct trace_probe *b)
{
	return strcmp(to_trace_fprobe(a)->symbol, to_trace_fprobe(b)->symbol) == 0;
}

static const struct trace_probe_ops fprobe_ops = {
	.location = fprobe_location,
	.begin = begin,
	.log_error = probe_log_begin_error,
	.enable = enable,
	.disable = disable,
	.unregister = disable,
	.free = free_fprobe,
	.match_place = match_place,
	.is_same_place = is_same_place,
	.print_place = probe_print_place,
};

static const struct probe_arg_sources entry_sources = { .flags = PROBE_FL_ENTRY | PROBE_FL_BTF };
static const struct probe_arg_sources return_sources = { .flags = PROBE_FL_RETURN | PROBE_FL_BTF };

/* ---- dynamic_events ---- */

/* Prints the event as a command that creates it. E held. */
static void show(struct seq_file *m, struct dyn_event *dyn)
{
	const struct trace_fprobe *tf = to_trace_fprobe(to_trace_probe(dyn));

	seq_putc(m, 'f');
	if (tf->maxactive)
		seq_printf(m, "%d", tf->maxactive);
	seq_printf(m, ":%s/%s %s%s", tf->probe.event->group, tf->probe.event->name, tf->symbol,
		   tf->is_return ? RETURN_SUFFIX : "");
	trace_probe_show_args(m, &tf->probe);
}

static int create(const char *line);

DYN_EVENT_OPERATIONS(fprobe) = {
	.create = create,
	.show = show,
	.is_busy = trace_probe_is_busy,
	.free = trace_probe_release,
	.match = trace_probe_match,
};

/* ---- commands ---- */

/* What the first two words of a command say. */
struct definition {
	bool is_return;
	int maxactive;
	char *event;  /* behind the colon, in the first word; or NULL */
	char *symbol; /* allocated */
};

/* Parses "SYMBOL[%return]". As on Linux, an argument $retval makes it a return, too. */
static int parse_symbol(const struct probe_command *command, struct definition *def)
{
	const char *word = command->argv[1];
	char *suffix;

	def->symbol = kstrdup(word, GFP_KERNEL);
	if (!def->symbol)
		return -ENOMEM;
	suffix = strchr(def->symbol, '%');
	if (suffix && strcmp(suffix, RETURN_SUFFIX) != 0)
		return probe_error(command, PROBE_ERR_BAD_ADDR_SUFFIX, 1,
				   word + (suffix - def->symbol));
	if (suffix)
		*suffix = '\0';
	def->is_return = suffix || probe_find_retval(command);
	return 0;
}

static int parse_definition(const struct probe_command *command, struct definition *def)
{
	int error = parse_symbol(command, def);

	def->event = strchr(command->argv[0] + 1, ':');
	if (def->event)
		def->event++;
	if (!error)
		error = probe_parse_maxactive(command, def->is_return, &def->maxactive);
	return error ? error : probe_check_symbol(command, def->symbol);
}

/* Runs a command that has two words at least. */
static int run(struct probe_command *command, struct definition *def)
{
	int error = parse_definition(command, def);
	struct trace_fprobe *tf;
	char made[PROBE_EVENT_MAX];

	if (error)
		return error;
	tf = kzalloc(sizeof(*tf), GFP_KERNEL);
	if (!tf)
		return -ENOMEM;
	tf->probe.ops = &fprobe_ops;
	tf->probe.sources = def->is_return ? &return_sources : &entry_sources;
	tf->is_return = def->is_return;
	tf->maxactive = def->maxactive;
	tf->symbol = def->symbol;
	def->symbol = NULL;
	command->func = kallsyms_lookup_name(tf->symbol);
	snprintf(made, sizeof(made), "%s__%s", tf->symbol, tf->is_return ? "exit" : "entry");
	probe_clean_name(made);
	return trace_probe_create(&tf->probe, command, def->event, "fprobes", made,
				  &fprobe_dyn_event_ops);
}

static int create(const char *line)
{
	struct definition def = { .symbol = NULL };
	struct probe_command command;
	int error;

	line = skip_spaces(line);
	if (*line != 'f')
		return -ECANCELED;
	error = probe_command_init(&command, fprobe_location, line);
	if (!error)
		error = command.argc < 2 ? -ECANCELED : run(&command, &def);
	probe_command_free(&command);
	kfree(def.symbol);
	return error;
}

/* ---- modules that come and go ---- */

/* E held. */
static void begin_again(struct trace_fprobe *tf, const struct module *module)
{
	int error;

	disable(&tf->probe);
	error = begin(&tf->probe);
	if (!error && trace_probe_is_enabled(&tf->probe))
		error = enable(&tf->probe);
	if (error)
		probe_warn_of_module(&tf->probe, module, error);
}

static int module_coming(struct module *module)
{
	struct dyn_event *dyn;

	mutex_lock(&event_mutex);
	list_for_each_entry (dyn, &dyn_event_list, list) {
		struct trace_fprobe *tf = to_trace_fprobe(to_trace_probe(dyn));

		if (dyn->ops == &fprobe_dyn_event_ops && probe_names_module(tf->symbol, module))
			begin_again(tf, module);
	}
	mutex_unlock(&event_mutex);
	return 0;
}

static void module_going(struct module *module)
{
	struct dyn_event *dyn;

	mutex_lock(&event_mutex);
	list_for_each_entry (dyn, &dyn_event_list, list) {
		struct trace_fprobe *tf = to_trace_fprobe(to_trace_probe(dyn));

		if (dyn->ops != &fprobe_dyn_event_ops || !within_module(tf->addr, module))
			continue;
		disable(&tf->probe);
		tf->addr = 0;
	}
	mutex_unlock(&event_mutex);
}

MODULE_NOTIFIER(MODULE_CHAIN_PROBE_EVENTS) = { .coming = module_coming, .going = module_going };
