/* Switching events on and off. E (event_mutex) is held in all functions. */
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rculist.h"
#include "kernel/module_list.h"
#include "kernel/tracepoint.h"
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"
#include "trace/events/event.h"

/* The triggers enable_event and disable_event change flags, too, in any context. */
static void set_flags(struct trace_event_file *file, unsigned long clear, unsigned long set)
{
	unsigned long flags = READ_ONCE(file->flags);

	if (flags & clear)
		__atomic_fetch_and(&file->flags, ~clear, __ATOMIC_SEQ_CST);
	if (~flags & set)
		__atomic_fetch_or(&file->flags, set, __ATOMIC_SEQ_CST);
}

int trace_event_reg(struct trace_event_call *call, enum trace_reg type,
		    struct trace_event_file *file)
{
	switch (type) {
	case TRACE_REG_REGISTER:
		return tracepoint_probe_register(call->tp, call->probe, file,
						 TRACEPOINT_DEFAULT_PRIO);
	case TRACE_REG_UNREGISTER:
		return tracepoint_probe_unregister(call->tp, call->probe, file);
	}
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(trace_event_reg);

/*
 * The names of tasks are saved while an event is recorded and the option record-cmd is set. [E]
 * files with EVENT_FILE_FL_RECORDED_CMD.
 */
static unsigned cmdline_files;

static __always_inline int register_file(struct trace_event_file *file)
{
	int error;

	if (!cmdline_files++)
		tracing_record_cmdline(true);
	error = file->call->reg(file->call, TRACE_REG_REGISTER, file);
	if (likely(!error))
		set_flags(file, 0, EVENT_FILE_FL_ON);
	else if (!--cmdline_files)
		tracing_record_cmdline(false);
	return error;
}

/* The same for all events of a group. Moves *file to the last one, if there is no error. */
static int register_group(struct trace_event_file **file)
{
	struct trace_event_file *last;
	unsigned count;

	last = (*file)->call->group->enable_all(*file, &count);
	if (IS_ERR(last))
		return (int)PTR_ERR(last);
	if (!cmdline_files)
		tracing_record_cmdline(true);
	cmdline_files += count;
	*file = last;
	return 0;
}

/*
 * An error is of the kernel's text: a site keeps its jmp to the tracepoint. The probe is removed in
 * any case, so the event is off, and can be enabled again.
 */
static int unregister_file(struct trace_event_file *file)
{
	int error = file->call->reg(file->call, TRACE_REG_UNREGISTER, file);

	if (!--cmdline_files)
		tracing_record_cmdline(false);
	set_flags(file,
		  EVENT_FILE_FL_ENABLED | EVENT_FILE_FL_SOFT_DISABLED | EVENT_FILE_FL_RECORDED_CMD,
		  0);
	return error;
}

bool trace_event_get_module(const struct trace_event_call *call)
{
	return (!call->mod || READ_ONCE(call->mod->state) == MODULE_STATE_LIVE) &&
	       try_module_get(call->mod);
}

/*
 * The probe is registered while the event is enabled or in soft mode. While it is only in soft
 * mode, the flag SOFT_DISABLED makes it record nothing. Each change computes the flags anew.
 */
int trace_event_enable_disable(struct trace_event_file *file, bool enable, bool soft_disable)
{
	bool registered = file->flags & EVENT_FILE_FL_ENABLED;
	bool recording = registered && !(file->flags & EVENT_FILE_FL_SOFT_DISABLED);
	int error = 0;

	if (soft_disable && enable && !trace_event_get_module(file->call))
		return -ENODEV;
	if (soft_disable && !enable)
		module_put(file->call->mod);
	if (!soft_disable)
		recording = enable;
	else if (enable)
		file->sm_ref++;
	else
		file->sm_ref--;
	set_flags(file, file->sm_ref ? 0 : EVENT_FILE_FL_SOFT_MODE,
		  file->sm_ref ? EVENT_FILE_FL_SOFT_MODE : 0);
	if (!recording && !file->sm_ref)
		return registered ? unregister_file(file) : 0;
	/* Before the first call of the probe, and after the last one that must record. */
	set_flags(file, recording ? EVENT_FILE_FL_SOFT_DISABLED : 0,
		  recording ? 0 : EVENT_FILE_FL_SOFT_DISABLED);
	if (!registered)
		error = register_file(file);
	if (!error)
		return 0;
	if (soft_disable) {
		module_put(file->call->mod);
		if (--file->sm_ref == 0)
			set_flags(file, EVENT_FILE_FL_SOFT_MODE, 0);
	}
	set_flags(file, EVENT_FILE_FL_SOFT_DISABLED, 0);
	return error;
}

struct trace_event_file *find_any_event_file(struct trace_array *tr, const char *system,
					     const char *name)
{
	struct trace_event_file *file;

	list_for_each_entry (file, &trace_events_of(tr)->files, list)
		if (strcmp(trace_event_name(file->call), name) == 0 &&
		    strcmp(trace_event_system(file->call), system) == 0)
			return file;
	return NULL;
}

struct trace_event_file *find_event_file(struct trace_array *tr, const char *system,
					 const char *name)
{
	struct trace_event_file *file = find_any_event_file(tr, system, name);

	return file && !(file->call->flags & TRACE_EVENT_FL_IGNORE_ENABLE) ? file : NULL;
}

/* What a word of set_event asks for. A NULL name stands for all. */
struct event_match {
	const char *either; /* the name of an event or of a system; NULL: see below */
	const char *system, *name;
};

static bool matches(const struct event_match *match, const struct trace_event_call *call)
{
	const char *system = trace_event_system(call), *name = trace_event_name(call);

	if (match->either)
		return strcmp(match->either, name) == 0 || strcmp(match->either, system) == 0;
	return (!match->system || strcmp(match->system, system) == 0) &&
	       (!match->name || strcmp(match->name, name) == 0);
}

/* True if an event of a system matches only because all events of the system do. */
static bool matches_system(const struct event_match *match, const char *system)
{
	if (match->either)
		return strcmp(match->either, system) == 0;
	return !match->name;
}

/* Returns NULL for a part that means all: an empty part, or "*". */
static const char *part(const char *text)
{
	return *text && strcmp(text, "*") != 0 ? text : NULL;
}

/* Splits "SYSTEM:NAME". buf, of MAX_EVENT_NAME bytes, keeps the system. 0, or -EINVAL: too long. */
static int parse_match(const char *text, char *buf, struct event_match *match)
{
	const char *colon = text ? strchr(text, ':') : NULL;

	*match = (struct event_match){ .either = colon ? NULL : text };
	if (!colon)
		return 0;
	if (colon - text >= MAX_EVENT_NAME)
		return -EINVAL;
	strscpy(buf, text, (size_t)(colon - text) + 1);
	match->system = part(buf);
	match->name = part(colon + 1);
	return 0;
}

int trace_set_clr_event(struct trace_array *tr, const char *match_text, const struct module *mod,
			bool enable)
{
	const struct trace_event_group *group;
	struct trace_event_file *file;
	struct event_match match;
	char system[MAX_EVENT_NAME];
	int error = parse_match(match_text, system, &match), failed;
	bool found = false, all;

	if (error)
		return error;
	all = !match.either && !match.system && !match.name;
	tracepoint_batch_begin();
	list_for_each_entry (file, &trace_events_of(tr)->files, list) {
		if ((file->call->flags & TRACE_EVENT_FL_IGNORE_ENABLE) ||
		    (mod && file->call->mod != mod) || (!all && !matches(&match, file->call)))
			continue;
		found = true;
		group = file->call->group;
		if (enable && group && matches_system(&match, group->system) && group->unused(tr) &&
		    !register_group(&file))
			continue;
		/*
		 * An event that is off is enabled without looking at soft mode: it is not in use.
		 */
		failed = enable && !file->sm_ref && !(file->flags & EVENT_FILE_FL_ENABLED)
				 ? register_file(file)
				 : trace_event_enable_disable(file, enable, false);
		error = error ? error : failed;
	}
	failed = tracepoint_batch_end();
	if (!found)
		return -EINVAL;
	return error ? error : failed;
}
