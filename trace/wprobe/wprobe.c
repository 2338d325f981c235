/*
 * Watchpoint events: one for each access to a place in memory, with the code that accesses it
 * (Documentation/trace/wprobetrace.rst of linux-next):
 *
 *	w[:[GROUP/][NAME]] [w|rw]@ADDRESS|SYMBOL[+|-OFFSET][:LENGTH] [ARGUMENT…]
 *
 * The debug registers report the access when the instruction has been executed: the place that an
 * entry shows is the next one. x86 cannot watch reads alone.
 */
#include "trace/wprobe/wprobe.h"

#include "arch/cpu/ptrace.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/preempt.h"
#include "kernel/printk/printk.h"
#include "trace/core/readme.h"
#include "trace/probe_events/probe_place.h"

static struct trace_wprobe *to_trace_wprobe(const struct trace_probe *probe)
{
	return container_of(probe, struct trace_wprobe, probe);
}

/* ---- hits; interrupts off ---- */

/* What the arguments are fetched from. perf has the registers. */
struct wprobe_context {
	struct pt_regs regs;
	u64 address;
};

static __hit void wprobe_hit(struct watch *watch, unsigned long address, struct pt_regs *regs)
{
	const struct trace_wprobe *tw = container_of(watch, struct trace_wprobe, watch);
	struct wprobe_context context = { .regs = *regs, .address = address };

	preempt_disable_notrace();
	trace_probe_hit(&tw->probe, &regs->ip, 1, &context);
	preempt_enable_notrace();
}

/* ---- the probe; E held ---- */

static int enable(struct trace_probe *probe)
{
	struct trace_wprobe *tw = to_trace_wprobe(probe);
	int error = watch_begin(&tw->watch, tw->address);

	if (error)
		pr_warn("trace_wprobe: %s needs a debug register on each CPU, and all %d are "
			"taken\n",
			probe->event->name, HBP_NUM);
	return error;
}

/* On return no handler of the probe runs: this is unregister, too. */
static void disable(struct trace_probe *probe)
{
	watch_end(&to_trace_wprobe(probe)->watch);
}

static int begin(struct trace_probe *probe)
{
	return probe_args_resolve(probe->args, probe->nr_args);
}

/* The registers are those of the hit, all of them. */
static int keep_registers(struct trace_probe *probe __unused)
{
	return 0;
}

static void free_wprobe(struct trace_probe *probe)
{
	struct trace_wprobe *tw = to_trace_wprobe(probe);

	trace_probe_free_args(probe);
	watch_destroy(&tw->watch);
	kfree(tw->place);
	kfree(tw);
}

static bool match_place(const struct trace_probe *probe, const char *word)
{
	return strcmp(to_trace_wprobe(probe)->place, word) == 0;
}

static bool is_same_place(const struct trace_probe *a, const struct trace_probe *b)
{
	return match_place(a, to_trace_wprobe(b)->place);
}

static const struct trace_probe_ops wprobe_ops = {
	.location = "wprobe",
	.begin = begin,
	.log_error = probe_log_begin_error,
	.enable = enable,
	.disable = disable,
	.keep_registers = keep_registers,
	.unregister = disable,
	.free = free_wprobe,
	.match_place = match_place,
	.is_same_place = is_same_place,
	.print_place = probe_print_place,
};

static const struct probe_arg_sources wprobe_sources = {
	.flags = PROBE_FL_WATCH,
	.args = offsetof(struct wprobe_context, address),
};

/* ---- dynamic_events ---- */

static void show(struct seq_file *m, struct dyn_event *dyn)
{
	const struct trace_wprobe *tw = to_trace_wprobe(to_trace_probe(dyn));

	seq_printf(m, "w:%s/%s %s", tw->probe.event->group, tw->probe.event->name, tw->place);
	trace_probe_show_args(m, &tw->probe);
}

/* One of several probes may go while their event is on, but not the one that a trigger changes. */
static int release(struct dyn_event *dyn)
{
	return to_trace_wprobe(to_trace_probe(dyn))->triggers ? -EBUSY : trace_probe_release(dyn);
}

static int create(const char *line);

DYN_EVENT_OPERATIONS(wprobe) = {
	.create = create,
	.show = show,
	.is_busy = trace_probe_is_busy,
	.free = release,
	.match = trace_probe_match,
};

struct trace_wprobe *find_wprobe(const char *name)
{
	struct dyn_event *dyn;

	list_for_each_entry (dyn, &dyn_event_list, list) {
		struct trace_probe *probe = to_trace_probe(dyn);

		if (dyn->ops == &wprobe_dyn_event_ops && strcmp(probe->event->name, name) == 0)
			return to_trace_wprobe(probe);
	}
	return NULL;
}

/* ---- commands ---- */

/* Parses what is before '@'. */
static int parse_type(const struct probe_command *command, size_t length, u8 *type)
{
	const char *word = command->argv[1];

	if (!length || (length == 2 && strstarts(word, "rw")))
		*type = DEBUGREG_RW;
	else if (length == 1 && *word == 'w')
		*type = DEBUGREG_W;
	else
		return probe_error(command, PROBE_ERR_BAD_ACCESS_TYPE, 1, word);
	return 0;
}

/* Parses what is behind the last ':', if it is a number, and cuts it off place. at: in argv[1]. */
static int parse_length(const struct probe_command *command, char *place, const char *at, u8 *len)
{
	char *colon = strrchr(place, ':');
	unsigned bytes = 4;

	if (colon && isdigit(colon[1])) {
		at += colon + 1 - place;
		*colon = '\0';
		if (kstrtouint(colon + 1, 0, &bytes))
			return probe_error(command, PROBE_ERR_BAD_ACCESS_LEN, 1, at);
	}
	for (*len = 0; *len <= DEBUGREG_LEN_4; ++*len)
		if (debugreg_bytes(*len) == bytes)
			return 0;
	return probe_error(command, PROBE_ERR_BAD_ACCESS_LEN, 1, at);
}

/* Parses "ADDRESS|SYMBOL[+|-OFFSET]". at: the same place in argv[1]. */
static int parse_address(const struct probe_command *command, char *place, const char *at,
			 struct trace_wprobe *tw)
{
	char *sign = place + strcspn(place, "+-"), c = *sign;
	long offset = 0;

	if (strcmp(place, "-1") == 0 || !kstrtoul(place, 0, &tw->address))
		return 0;
	if (c && kstrtol(sign + (c == '+'), 0, &offset))
		return probe_error(command, PROBE_ERR_BAD_ACCESS_ADDR, 1, at + (sign - place));
	*sign = '\0';
	tw->address = *place ? kallsyms_lookup_name(place) : 0;
	if (!tw->address)
		return probe_error(command, PROBE_ERR_BAD_ACCESS_ADDR, 1, at);
	tw->address += (unsigned long)offset;
	return 0;
}

/* Parses the second word. */
static int parse_place(const struct probe_command *command, struct trace_wprobe *tw)
{
	const char *word = command->argv[1], *at = strchr(word, '@');
	char *place;
	int error;

	if (!at)
		return probe_error(command, PROBE_ERR_BAD_ACCESS_FMT, 1, word);
	place = kstrdup(++at, GFP_KERNEL);
	if (!place)
		return -ENOMEM;
	tw->address = WATCH_NOTHING;
	error = parse_type(command, (size_t)(at - 1 - word), &tw->watch.type);
	if (!error)
		error = parse_length(command, place, at, &tw->watch.len);
	if (!error)
		error = parse_address(command, place, at, tw);
	kfree(place);
	if (!error && tw->address != WATCH_NOTHING && !watch_may_be_at(&tw->watch, tw->address))
		return probe_error(command, PROBE_ERR_BAD_ACCESS_ADDR, 1, at);
	return error;
}

static int prepare(const struct probe_command *command, struct trace_wprobe *tw)
{
	int error = parse_place(command, tw);

	if (error)
		return error;
	tw->probe.ops = &wprobe_ops;
	tw->probe.sources = &wprobe_sources;
	tw->watch.hit = wprobe_hit;
	tw->place = kstrdup(command->argv[1], GFP_KERNEL);
	return tw->place ? watch_init(&tw->watch) : -ENOMEM;
}

/* Runs a command that has two words at least. */
static int run(struct probe_command *command)
{
	char made[PROBE_EVENT_MAX], *event = strchr(command->argv[0] + 1, ':');
	struct trace_wprobe *tw = kzalloc(sizeof(*tw), GFP_KERNEL);
	int error;

	if (!tw)
		return -ENOMEM;
	error = prepare(command, tw);
	if (error) {
		free_wprobe(&tw->probe);
		return error;
	}
	snprintf(made, sizeof(made), "w_%s", strchr(tw->place, '@') + 1);
	probe_clean_name(made);
	return trace_probe_create(&tw->probe, command, event ? event + 1 : NULL, "wprobes", made,
				  &wprobe_dyn_event_ops);
}

static int create(const char *line)
{
	struct probe_command command;
	int error;

	line = skip_spaces(line);
	if (*line != 'w')
		return -ECANCELED;
	error = probe_command_init(&command, wprobe_ops.location, line);
	if (!error)
		error = command.argc < 2 ? -ECANCELED : run(&command);
	probe_command_free(&command);
	return error;
}

TRACE_README(wprobe_format, "3e1",
	     "\t           w[:[<group>/][<event>]] [r|w|rw]@<addr>[:<len>] [<args>]\n");
TRACE_README(wprobe_args, "3l1", "\t    watchpoints support: $addr, $value, $comm\n");
