/*
 * The commands enable_event and disable_event of function probes, which do what the triggers of
 * these names do. They run at a traced call, so in any context.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "trace/events/event.h"
#include "trace/tracers/function/probes.h"

static void switch_event(const struct ftrace_ops *op, bool enable)
{
	struct trace_event_file *file = ftrace_probe_data(op);

	if (trace_event_soft_enabled(file) != enable)
		trace_event_soft_switch(file, enable);
}

/* Only a call that changes something counts. */
static void switch_event_counted(const struct ftrace_ops *op, unsigned long ip, bool enable)
{
	struct trace_event_file *file = ftrace_probe_data(op);

	if (trace_event_soft_enabled(file) == enable || !ftrace_probe_take(op, ip))
		return;
	if (!trace_event_soft_switch(file, enable))
		ftrace_probe_give_back(op, ip); /* another CPU was faster */
}

static void enable_event(unsigned long ip __unused, unsigned long parent_ip __unused,
			 struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event(op, true);
}

static void enable_event_counted(unsigned long ip, unsigned long parent_ip __unused,
				 struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event_counted(op, ip, true);
}

static void disable_event(unsigned long ip __unused, unsigned long parent_ip __unused,
			  struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event(op, false);
}

static void disable_event_counted(unsigned long ip, unsigned long parent_ip __unused,
				  struct ftrace_ops *op, struct ftrace_regs *fregs __unused)
{
	switch_event_counted(op, ip, false);
}

/* The parameter is "SYSTEM:EVENT[:COUNT]". */
static int event_parse(struct trace_array *tr, char **parameter, void **data)
{
	const char *system = strsep(parameter, ":"), *name = strsep(parameter, ":");

	*data = name ? find_event_file(tr, system, name) : NULL;
	return *data ? 0 : -EINVAL;
}

/* The event is in soft mode while the probe exists. */
static int event_start(struct trace_array *tr __unused, void *data)
{
	return trace_event_enable_disable(data, true, true);
}

static void event_stop(struct trace_array *tr __unused, void *data)
{
	(void)trace_event_enable_disable(data, false, true);
}

static void event_print(struct seq_file *m, void *data)
{
	const struct trace_event_file *file = data;

	seq_printf(m, "%s:%s:", trace_event_system(file->call), trace_event_name(file->call));
}

#define DEFINE_EVENT_COMMAND(name_)                                                                \
	DEFINE_FUNC_COMMAND(name_) = {                                                             \
		.name = #name_,                                                                    \
		.func = name_,                                                                     \
		.counted = name_##_counted,                                                        \
		.parse = event_parse,                                                              \
		.start = event_start,                                                              \
		.stop = event_stop,                                                                \
		.print = event_print,                                                              \
	}
DEFINE_EVENT_COMMAND(enable_event);
DEFINE_EVENT_COMMAND(disable_event);
