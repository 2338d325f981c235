/*
 * Events on the command line (Linux: Documentation/admin-guide/kernel-parameters.txt):
 *
 *	trace_event=sched:sched_switch,irq		switches events on
 *	trace_trigger="sched_switch.stacktrace if prev_state == 2"	adds triggers, EVENT.LINE
 *	trace_instance=foo,sched:sched_switch,irq	creates an instance with these events
 *	trace_instance=foo^traceoff@trace,irq	the same, off, with its buffer in the area that
 *			reserve_mem=12M:4096:trace has reserved, and that survives a reboot
 *	trace_instance=foo@0x8000000:12M	the same in the memory at that address
 *	trace_instance=foo^traceprintk@trace	takes what trace_printk() prints
 *	trace_instance=copy=foo	keeps what the last boot has left in foo
 *
 * trace_event= and trace_trigger= take effect as soon as there are events, before the first task
 * runs. The events of the system ftrace, and instances, come with the file systems.
 */
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"
#include "kernel/tracepoint.h"
#include "trace/core/options.h"
#include "trace/events/tp_printk.h"
#include "trace/trigger/trigger.h"

#define BOOT_TEXT_MAX 1024
#define BOOT_WORD_MAX 64

/* What follows the parameters; several trace_instance= are on lines of their own. */
static char boot_events[BOOT_TEXT_MAX] __initdata;
static char boot_triggers[BOOT_TEXT_MAX] __initdata;
static char boot_instances[BOOT_TEXT_MAX] __initdata;

__setup_string("trace_event", boot_events);
__setup_string("trace_trigger", boot_triggers);

DEFINE_LINKER_TABLE(rodata, const struct trace_areas, trace_areas);

/* Reserves the memory of NAME@START:SIZE. */
static int __init reserve_area(const char *value)
{
	const char *at = strchr(value, '@'), *comma = strchr(value, ',');

	if (!at || (comma && comma < at) || at[1] < '0' || at[1] > '9')
		return 0;
	for_each_linker_table_entry (areas, trace_areas)
		return areas->reserve(at + 1);
	return -ENOENT;
}

static int __init add_boot_instance(const char *value)
{
	if (!value || strlen(boot_instances) + strlen(value) + 2 > sizeof(boot_instances))
		return -EINVAL;
	strscat(boot_instances, value, sizeof(boot_instances));
	strscat(boot_instances, "\n", sizeof(boot_instances));
	return reserve_area(value);
}
__setup("trace_instance", add_boot_instance);

/* Switches on the events of a list with commas, which is changed. */
static void __init enable_events(struct trace_array *tr, char *list)
{
	char *word;
	int error;

	mutex_lock(&event_mutex);
	mutex_lock(&trace_types_lock);
	error = tracing_expand(tr);
	mutex_unlock(&trace_types_lock);
	if (error)
		pr_warn("The buffer of the boot's trace events stays small: %pe\n", ERR_PTR(error));
	tracepoint_batch_begin();
	while ((word = strsep(&list, ",")))
		if (*word && trace_set_clr_word(tr, word, true))
			pr_warn("Failed to enable trace event: %s\n", word);
	(void)tracepoint_batch_end();
	mutex_unlock(&event_mutex);
}

/* Returns the top level's file of an event by its name, which needs no system. E held. */
static struct trace_event_file *__init find_file(const char *name)
{
	struct trace_event_file *file;

	list_for_each_entry (file, &trace_events_of(&global_trace)->files, list)
		if (strcmp(trace_event_name(file->call), name) == 0)
			return file;
	return NULL;
}

/*
 * Adds the triggers of boot_triggers. Those whose event does not exist yet stay in the list, or the
 * `last` call reports them.
 */
static void __init add_triggers(bool last)
{
	static char list[BOOT_TEXT_MAX] __initdata;
	char *next = list, *word, *line;
	struct trace_event_file *file;
	int error;

	strscpy(list, boot_triggers, sizeof(list));
	*boot_triggers = '\0';
	mutex_lock(&event_mutex);
	while ((word = strsep(&next, ","))) {
		line = word;
		strsep(&line, ".");
		file = line ? find_file(word) : NULL;
		error = file ? event_trigger_apply(file, line) : -ENOENT;
		if (error == -ENOENT && line && !last) {
			strscat(boot_triggers, word, sizeof(boot_triggers));
			strscat(boot_triggers, ".", sizeof(boot_triggers));
			strscat(boot_triggers, line, sizeof(boot_triggers));
			strscat(boot_triggers, ",", sizeof(boot_triggers));
		} else if (error && *word) {
			pr_warn("Failed to register trigger '%s' on event %s\n", line ? line : "",
				word);
		}
	}
	mutex_unlock(&event_mutex);
}

void __init trace_boot_events(void)
{
	tp_printk_start();
	if (*boot_events)
		enable_events(&global_trace, boot_events);
	if (*boot_triggers)
		add_triggers(false);
}

static int __init create_in_area(const char *name, const char *where, struct trace_array **tr)
{
	for_each_linker_table_entry (areas, trace_areas)
		return areas->create(name, where, tr);
	return -ENOENT;
}

/* Finds the AREA of the line of instance `name`. False: it has none. */
static bool __init find_area(const char *name, char *area, size_t size)
{
	size_t length = strlen(name);

	for (const char *line = boot_instances; *line; line = strchr(line, '\n') + 1) {
		const char *at = line + strcspn(line, "@,\n");

		if (strncmp(line, name, length) != 0 || !strchr("^@", line[length]) || *at != '@')
			continue;
		strscpy(area, at + 1, min(size, strcspn(at + 1, ",\n") + 1));
		return true;
	}
	return false;
}

static void __init report_failure(const char *name, int error)
{
	pr_warn("Tracing: could not create the boot instance %s: %pe\n", name, ERR_PTR(error));
}

/* line: another one, or "NAME=OTHER". The copy does not record: it would lose the last boot. */
static void __init create_backup(const char *line)
{
	char word[BOOT_WORD_MAX], area[BOOT_WORD_MAX], *of = word;
	const char *name;
	struct trace_array *tr;
	int error = -ENOENT;

	strscpy(word, line, min(sizeof(word), strcspn(line, "@,\n") + 1));
	name = strsep(&of, "=");
	if (!of)
		return;
	for_each_linker_table_entry (areas, trace_areas)
		if (find_area(of, area, sizeof(area)))
			error = areas->create_copy(name, area, &tr);
	if (error)
		report_failure(name, error);
	else
		tracing_record_off_tr(tr);
}

static bool __init is_printk_flag(const char *flag)
{
	return strcmp(flag, "traceprintk") == 0 || strcmp(flag, "trace_printk") == 0 ||
	       strcmp(flag, "printk") == 0;
}

static void __init take_printk(struct trace_array *tr)
{
	mutex_lock(&trace_types_lock);
	if (set_tracer_flag(tr, TRACE_ITER_TRACE_PRINTK, true))
		pr_warn("Tracing: trace_printk() does not go to %s\n", tr->name);
	mutex_unlock(&trace_types_lock);
}

/* line: "NAME[^FLAG…][@AREA]" or the same with ",EVENT,…". */
static void __init create_instance(char *line)
{
	char *where = strsep(&line, ","), *flags, *flag;
	const char *name;
	struct trace_array *tr;
	int error;

	flags = strsep(&where, "@");
	name = strsep(&flags, "^");
	if (strchr(name, '='))
		return; /* create_backup() has made it */
	error = where ? create_in_area(name, where, &tr) : trace_instance_create(name, NULL, &tr);
	if (error) {
		report_failure(name, error);
		return;
	}
	while ((flag = strsep(&flags, "^"))) {
		if (strcmp(flag, "traceoff") == 0)
			tracing_record_off_tr(tr);
		else if (is_printk_flag(flag))
			take_printk(tr);
		else
			pr_warn("Tracing: the instance %s has no flag '%s'\n", name, flag);
	}
	if (line)
		enable_events(tr, line);
}

static int __init trace_boot_late(void)
{
	char *next = boot_instances, *line;

	if (*boot_triggers)
		add_triggers(true);
	/* Copies first, because the instance itself begins a new trace. */
	for (const char *at = boot_instances; *at; at = strchr(at, '\n') + 1)
		create_backup(at);
	while ((line = strsep(&next, "\n")))
		if (*line)
			create_instance(line);
	return 0;
}
device_initcall(trace_boot_late); /* after trace_instances_init() of trace/core/ */
