/*
 * The life of user events: registering and deleting them, their switches, and the files
 * user_events_status and kernel.user_events_max.
 *
 * An event has users: enablers, and files with an index for it. The last user that goes queues
 * unused_work, which removes all events without users, because that takes E, and because the last
 * user may be an address space that ends. What else holds an event (it is on, or an event probe is
 * made of it) is no user, and delays the removal. An open file of the event does not: it keeps only
 * the memory.
 */
#include "fs/proc/proc_fs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/task/cred.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/core/files.h"
#include "trace/core/readme.h"
#include "trace/user_events/internal.h"

#define SYSTEM       "user_events"
#define MULTI_SYSTEM "user_events_multi"
#define USER_EVENT_NAME_MAX                                                                        \
	(MAX_EVENT_NAME - 18) /* with MULTI_FORMAT there is room for ".NUMBER" */
#define RETRY_DELAY        NSEC_PER_SEC
#define PAGES_FOR_AN_EVENT 16 /* the share of memory that the default of user_events_max means */

DEFINE_MUTEX(user_event_mutex);
static int user_events_max = 32768; /* [E] */
static int nr_user_events;          /* [E] */
static u64 next_number;             /* [E] behind the name of an event with MULTI_FORMAT */

static void remove_unused(struct work_struct *work);
static struct delayed_work unused_work;

static struct user_event *to_user_event(const struct dyn_event *event)
{
	return container_of(event, struct user_event, dyn);
}

static bool may_persist(void)
{
	return capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN);
}

/* ---- the end of an event ---- */

static void free_event(struct user_event *event)
{
	user_event_format_free(&event->format);
	if (event->call.event.name != event->name)
		kfree(event->call.event.name);
	kfree(event->name);
	kfree(event->print_fmt);
	kfree(event);
}

static void free_event_rcu(struct rcu_head *head)
{
	free_event(container_of(head, struct user_event, rcu));
}

/* No file is open any more. Readers of traces may still print with the event. */
static void release_event(struct trace_event_call *call)
{
	call_rcu_tasks(&((struct user_event *)call->data)->rcu, free_event_rcu);
}

/* E held. It has no users, and gets none: they come with E. */
static int remove_event(struct user_event *event)
{
	int error = READ_ONCE(event->refs) ? -EBUSY : trace_remove_event_call(&event->call);

	if (error)
		return error;
	nr_user_events--;
	dyn_event_remove(&event->dyn);
	trace_event_call_put(&event->call);
	return 0;
}

/* Whether the event is to go by itself. U held, or E. */
static bool is_unused(const struct user_event *event)
{
	return !READ_ONCE(event->refs) && !(event->flags & USER_EVENT_REG_PERSIST);
}

void user_event_put(struct user_event *event)
{
	event->refs--;
	if (is_unused(event))
		(void)mod_delayed_work(&unused_work, 0);
}

/* ---- switching ---- */

static int user_event_reg(struct trace_event_call *call, enum trace_reg type,
			  struct trace_event_file *file)
{
	struct user_event *event = call->data;
	unsigned *users = file->flags & EVENT_FILE_FL_PERF ? &event->perf : &event->ftrace;
	int error = trace_event_reg(call, type, file);

	if (error && type == TRACE_REG_REGISTER)
		return error;
	mutex_lock(&user_event_mutex);
	*users += type == TRACE_REG_REGISTER ? 1U : -1U;
	user_enablers_update(event);
	if (!user_event_is_on(event) && is_unused(event))
		(void)mod_delayed_work(&unused_work, 0);
	mutex_unlock(&user_event_mutex);
	return error;
}

/* ---- making an event ---- */

/* The name is that of a directory beside the files `enable` and `filter`. */
static bool is_event_name(const char *name)
{
	if (!*name || strlen(name) >= USER_EVENT_NAME_MAX || *name == '.' ||
	    strcmp(name, "enable") == 0 || strcmp(name, "filter") == 0)
		return false;
	for (; *name; name++)
		if (!isalnum(*name) && !strchr("_-.", *name))
			return false;
	return true;
}

static struct user_event *make_event(const char *name, struct user_event_format *format,
				     unsigned flags)
{
	bool multi = flags & USER_EVENT_REG_MULTI_FORMAT;
	struct user_event *event = kzalloc(sizeof(*event), GFP_KERNEL);

	if (!event)
		return NULL;
	INIT_LIST_HEAD(&event->enablers);
	event->flags = flags;
	event->name = kstrdup(name, GFP_KERNEL);
	event->print_fmt = user_event_format_print_fmt(format);
	event->call.event.name =
		multi ? kasprintf(GFP_KERNEL, "%s.%llx", name, (unsigned long long)next_number)
		      : event->name;
	if (!event->name || !event->print_fmt || !event->call.event.name) {
		free_event(event);
		return NULL;
	}
	next_number += multi;
	event->format = *format;
	*format = (struct user_event_format){ .fields = NULL };
	event->tp.name = event->call.event.name;
	event->call.event.system = multi ? MULTI_SYSTEM : SYSTEM;
	event->call.event.trace = user_event_print;
	event->call.event.fields = event->format.fields;
	event->call.event.print_fmt = event->print_fmt;
	event->call.tp = &event->tp;
	event->call.probe = user_event_record;
	event->call.reg = user_event_reg;
	event->call.release = release_event;
	atomic_set(&event->call.keepers, 1);
	event->call.flags = TRACE_EVENT_FL_TRACEPOINT | TRACE_EVENT_FL_DYNAMIC;
	event->call.data = event;
	return event;
}

DYN_EVENT_OPERATIONS(user);

/* E held, as below. */
static struct user_event *add_event(const char *name, struct user_event_format *format,
				    unsigned flags)
{
	struct user_event *event;
	int error;

	if (nr_user_events >= user_events_max)
		return ERR_PTR(-EMFILE);
	event = make_event(name, format, flags);
	if (!event)
		return ERR_PTR(-ENOMEM);
	error = trace_add_event_call(&event->call);
	if (error) {
		trace_event_call_put(&event->call);
		return ERR_PTR(error);
	}
	nr_user_events++;
	dyn_event_add(&event->dyn, &user_dyn_event_ops);
	return event;
}

/*
 * The event with that name and format; NULL: there is none. -EADDRINUSE: the name has another
 * format, or the format is wrong (NULL). Events with MULTI_FORMAT have names of their own.
 */
static struct user_event *find_event(const char *name, const struct user_event_format *format,
				     unsigned flags)
{
	struct dyn_event *dyn;

	list_for_each_entry (dyn, &dyn_event_list, list) {
		struct user_event *event = to_user_event(dyn);

		if (dyn->ops != &user_dyn_event_ops || strcmp(event->name, name) != 0 ||
		    ((event->flags ^ flags) & USER_EVENT_REG_MULTI_FORMAT))
			continue;
		if (format && user_event_format_equal(&event->format, format))
			return event;
		if (!(flags & USER_EVENT_REG_MULTI_FORMAT))
			return ERR_PTR(-EADDRINUSE);
	}
	return NULL;
}

static struct user_event *find_or_add(const char *name, const char *fields, unsigned flags)
{
	struct user_event_format format;
	int error = user_event_format_parse(fields, &format);
	struct user_event *event = find_event(name, error ? NULL : &format, flags);

	if (!event)
		event = error ? ERR_PTR(error) : add_event(name, &format, flags);
	if (!error)
		user_event_format_free(&format);
	return event;
}

/* command is a copy. */
static struct user_event *register_copy(char *command, unsigned flags)
{
	char *fields = strchrnul(command, ' ');
	struct user_event *event;

	if (*fields)
		*fields++ = '\0';
	if (!is_event_name(command))
		return ERR_PTR(-EINVAL);
	mutex_lock(&event_mutex);
	event = find_or_add(command, fields, flags);
	if (!IS_ERR(event)) {
		mutex_lock(&user_event_mutex);
		event->refs++;
		mutex_unlock(&user_event_mutex);
	}
	mutex_unlock(&event_mutex);
	return event;
}

struct user_event *user_event_register(const char *command, unsigned flags)
{
	struct user_event *event;
	char *copy;

	if ((flags & USER_EVENT_REG_PERSIST) && !may_persist())
		return ERR_PTR(-EPERM);
	copy = kstrdup(command, GFP_KERNEL);
	event = copy ? register_copy(copy, flags) : ERR_PTR(-ENOMEM);
	kfree(copy);
	return event;
}

/* ---- removing events ---- */

static int user_free(struct dyn_event *dyn)
{
	struct user_event *event = to_user_event(dyn);

	if (!READ_ONCE(event->refs) && (event->flags & USER_EVENT_REG_PERSIST) && !may_persist())
		return -EPERM;
	return remove_event(event);
}

int user_event_delete(const char *name)
{
	struct dyn_event *dyn, *next;
	int error = -ENOENT;

	mutex_lock(&event_mutex);
	list_for_each_entry_safe (dyn, next, &dyn_event_list, list) {
		if (dyn->ops != &user_dyn_event_ops || strcmp(to_user_event(dyn)->name, name) != 0)
			continue;
		error = user_free(dyn);
		if (error)
			break;
	}
	mutex_unlock(&event_mutex);
	return error;
}

/* An event that is on is tried again when it goes off. */
static void remove_unused(struct work_struct *work __unused)
{
	struct dyn_event *dyn, *next;
	bool again = false;

	mutex_lock(&event_mutex);
	list_for_each_entry_safe (dyn, next, &dyn_event_list, list)
		if (dyn->ops == &user_dyn_event_ops && is_unused(to_user_event(dyn)) &&
		    remove_event(to_user_event(dyn)) && !READ_ONCE(to_user_event(dyn)->tp.funcs))
			again = true;
	mutex_unlock(&event_mutex);
	if (again)
		(void)schedule_delayed_work(&unused_work, RETRY_DELAY);
}

/* ---- dynamic_events ---- */

/* "u:NAME FIELDS". Such an event would go at once if it did not persist. */
static int user_create(const char *command)
{
	struct user_event *event;

	if (!strstarts(command, "u:"))
		return -ECANCELED;
	event = user_event_register(skip_spaces(command + 2), USER_EVENT_REG_PERSIST);
	if (IS_ERR(event))
		return (int)PTR_ERR(event);
	mutex_lock(&user_event_mutex);
	user_event_put(event);
	mutex_unlock(&user_event_mutex);
	return 0;
}

static void user_show(struct seq_file *m, struct dyn_event *dyn)
{
	const struct user_event *event = to_user_event(dyn);

	seq_printf(m, "u:%s", event->name);
	user_event_format_show(m, &event->format);
	seq_putc(m, '\n');
}

static bool user_is_busy(struct dyn_event *dyn, bool all)
{
	const struct user_event *event = to_user_event(dyn);

	return READ_ONCE(event->refs) || trace_event_call_busy(&event->call, !all);
}

/* Only an event with these fields: its name may have several formats. */
static int user_match(const struct dyn_event *dyn, const char *system, const char *name,
		      const char *rest)
{
	const struct user_event *event = to_user_event(dyn);
	struct user_event_format format;
	int error;
	bool equal;

	if (strcmp(event->name, name) != 0 ||
	    (system && strcmp(system, SYSTEM) != 0 && strcmp(system, MULTI_SYSTEM) != 0))
		return 0;
	error = user_event_format_parse(rest, &format);
	if (error)
		return error == -ENOMEM ? error : 0;
	equal = user_event_format_equal(&event->format, &format);
	user_event_format_free(&format);
	return equal;
}

DYN_EVENT_OPERATIONS(user) = {
	.create = user_create,
	.show = user_show,
	.is_busy = user_is_busy,
	.free = user_free,
	.match = user_match,
};

/* ---- files ---- */

/* Prints the event, and returns whether it is on. E held. */
static bool show_status(struct seq_file *m, const struct user_event *event)
{
	unsigned ftrace = READ_ONCE(event->ftrace), perf = READ_ONCE(event->perf);

	seq_puts(m, trace_event_name(&event->call));
	if (ftrace || perf)
		seq_printf(m, " # Used by%s%s", ftrace ? " ftrace" : "", perf ? " perf" : "");
	seq_putc(m, '\n');
	return ftrace || perf;
}

static int user_events_status_show(struct seq_file *m, void *v __unused)
{
	unsigned active = 0, busy = 0;
	struct dyn_event *dyn;

	mutex_lock(&event_mutex);
	list_for_each_entry (dyn, &dyn_event_list, list) {
		if (dyn->ops != &user_dyn_event_ops)
			continue;
		active++;
		busy += show_status(m, to_user_event(dyn));
	}
	mutex_unlock(&event_mutex);
	seq_printf(m, "\nActive: %u\nBusy: %u\n", active, busy);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(user_events_status);

TRACE_FILE(user_events_status, 0440, &user_events_status_fops, .only_top = true);
TRACE_README(user_events, "3c",
	     "  user_events_data\t- programs register events of their own, and write them\n"
	     "  user_events_status\t- these events, and what uses them\n");

static int proc_user_events_max(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int result;

	mutex_lock(&event_mutex);
	result = proc_dointvec_positive(table, write, buf, size);
	mutex_unlock(&event_mutex);
	return result;
}
SYSCTL_INT(user_events_max, "kernel", user_events_max, proc_user_events_max);

/* Linux's default, but on a small machine no more than fit in a part of its memory. */
static int user_events_init(void)
{
	user_events_max =
		(int)min((unsigned long)user_events_max, total_pages() / PAGES_FOR_AN_EVENT);
	INIT_DELAYED_WORK(&unused_work, remove_unused);
	return 0;
}
core_initcall(user_events_init);
