/*
 * The events of each system call. The table of system calls describes them (SYSCALL_DEFINEn() in
 * kernel/syscalls/syscalls.h), and the two tracepoints of raw_syscalls make them all.
 *
 * A trace_array with an enabled event has one probe at a tracepoint, whatever the number of its
 * events. The probe finds the event file of the call in a table.
 */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/events/event.h"
#include "trace/events/record.h"

/* The two ends of a system call: indexes of tables below. */
enum { ENTER, EXIT, ENDS };

struct syscall_trace_enter {
	struct trace_entry ent;
	int nr;
	unsigned long args[];
};

struct syscall_trace_exit {
	struct trace_entry ent;
	int nr;
	long ret;
};

/* [E] to write, RCU to read. */
struct syscall_files {
	unsigned users[ENDS]; /* [E] files in the table: the probe is registered */
	/* [E] to write, RCU to read: by index of the system call; NULL: not enabled. */
	struct trace_event_file *files[][ENDS];
};

/* The table of the system calls, and its length. Constant after the boot. */
static const struct syscall_metadata *first_call;
static unsigned nr_calls;

static struct trace_array_part syscalls_part;

static struct syscall_files *files_of(struct trace_array *tr)
{
	return *trace_array_private(tr, &syscalls_part);
}

/* ---- recording ---- */

static struct trace_event_file *file_of(struct trace_array *tr, long nr, int end)
{
	int index = syscall_index(nr);

	return index < 0 ? NULL : smp_load_acquire(&files_of(tr)->files[index][end]);
}

/* The probe of sys_enter. data is the trace_array. */
static void record_enter(void *data, const unsigned long *args, long nr)
{
	struct trace_event_file *file = file_of(data, nr, ENTER);
	struct trace_event_buffer buffer;
	struct syscall_trace_enter *entry;
	const struct syscall_metadata *call;
	size_t size;

	if (!file)
		return;
	call = file->call->data;
	size = call->nb_args * sizeof(args[0]);
	entry = trace_event_buffer_reserve(&buffer, file, sizeof(*entry) + size);
	if (!entry)
		return;
	entry->nr = (int)nr;
	memcpy(entry->args, args, size);
	trace_event_buffer_commit(&buffer);
}

/* The probe of sys_exit. */
static void record_exit(void *data, long nr, long ret)
{
	struct trace_event_file *file = file_of(data, nr, EXIT);
	struct trace_event_buffer buffer;
	struct syscall_trace_exit *entry;

	if (!file)
		return;
	entry = trace_event_buffer_reserve(&buffer, file, sizeof(*entry));
	if (!entry)
		return;
	entry->nr = (int)nr;
	entry->ret = ret;
	trace_event_buffer_commit(&buffer);
}

/* ---- switching; E held ---- */

static int register_probe(struct trace_array *tr, int end)
{
	return end == ENTER ? register_trace_sys_enter(record_enter, tr)
			    : register_trace_sys_exit(record_exit, tr);
}

static int unregister_probe(struct trace_array *tr, int end)
{
	return end == ENTER ? unregister_trace_sys_enter(record_enter, tr)
			    : unregister_trace_sys_exit(record_exit, tr);
}

static __always_inline int switch_event(struct trace_event_call *call, enum trace_reg type,
					struct trace_event_file *file, int end)
{
	const struct syscall_metadata *meta = call->data;
	struct syscall_files *table = files_of(file->tr);
	struct trace_event_file **place = &table->files[meta - first_call][end];
	int error = 0;

	switch (type) {
	case TRACE_REG_REGISTER:
		if (!table->users[end])
			error = register_probe(file->tr, end);
		if (error)
			return error;
		table->users[end]++;
		smp_store_release(place, file);
		return 0;
	case TRACE_REG_UNREGISTER:
		smp_store_release(place, NULL);
		return --table->users[end] ? 0 : unregister_probe(file->tr, end);
	}
	return -EINVAL;
}

static int reg_enter(struct trace_event_call *call, enum trace_reg type,
		     struct trace_event_file *file)
{
	return switch_event(call, type, file, ENTER);
}

static int reg_exit(struct trace_event_call *call, enum trace_reg type,
		    struct trace_event_file *file)
{
	return switch_event(call, type, file, EXIT);
}

static bool syscalls_unused(struct trace_array *tr)
{
	const struct syscall_files *table = files_of(tr);

	return !table->users[ENTER] && !table->users[EXIT];
}

/* The files are in the order of the table: all calls' files are created in one loop. */
static struct trace_event_file *enable_all(struct trace_event_file *first, unsigned *count)
{
	struct syscall_files *table = files_of(first->tr);
	struct trace_event_file **place = table->files[0], **last = table->files[nr_calls] - 1;
	struct trace_event_file *file = first;
	int error = register_probe(first->tr, ENTER);

	if (error)
		return ERR_PTR(error);
	error = register_probe(first->tr, EXIT);
	if (error) {
		(void)unregister_probe(first->tr, ENTER);
		return ERR_PTR(error);
	}
	table->users[ENTER] = table->users[EXIT] = nr_calls;
	*count = nr_calls * ENDS;
	for (;; file = list_next_entry(file, list), place++) {
		__atomic_fetch_or(&file->flags, EVENT_FILE_FL_ON, __ATOMIC_SEQ_CST);
		smp_store_release(place, file);
		if (place == last)
			return file;
	}
}

static int files_create(struct trace_array *tr)
{
	struct syscall_files *table =
		kzalloc(sizeof(*table) + nr_calls * sizeof(table->files[0]), GFP_KERNEL);

	*trace_array_private(tr, &syscalls_part) = table;
	return table ? 0 : -ENOMEM;
}

static int files_create_files(struct trace_array *tr __unused)
{
	return 0;
}

/* The detach of trace_events_part disables the events. */
static void files_detach(struct trace_array *tr __unused)
{
}

static void files_destroy(struct trace_array *tr)
{
	kfree(files_of(tr));
	*trace_array_private(tr, &syscalls_part) = NULL;
}

static struct trace_array_part syscalls_part = {
	.create = files_create,
	.create_files = files_create_files,
	.detach = files_detach,
	.destroy = files_destroy,
};

/* ---- text ---- */

/* The call whose event the entry is. NULL: the number in the entry, which inject sets, is wrong. */
static const struct syscall_metadata *call_of(const struct trace_entry *ent, int nr)
{
	const struct syscall_metadata *call = syscall_by_index((unsigned)syscall_index(nr));
	const struct trace_event *event = ftrace_find_event(ent->type);

	return event && container_of(event, struct trace_event_call, event)->data == call ? call
											  : NULL;
}

/* "sys_open(filename: 7ffd…, flags: 0)"; with the option verbose, each type before its name. */
static enum print_line_t print_enter(struct trace_iterator *iter)
{
	const struct syscall_trace_enter *entry = (const void *)iter->ent;
	bool verbose = READ_ONCE(iter->tr->trace_flags) & TRACE_ITER_VERBOSE;
	const struct syscall_metadata *call = call_of(&entry->ent, entry->nr);

	if (!call)
		return TRACE_TYPE_UNHANDLED;
	trace_seq_printf(&iter->seq, "%s(", call->name);
	for (unsigned i = 0; i < call->nb_args; i++)
		trace_seq_printf(&iter->seq, "%s%s%s%s: %lx", i ? ", " : "",
				 verbose ? call->types[i] : "", verbose ? " " : "", call->args[i],
				 entry->args[i]);
	trace_seq_puts(&iter->seq, ")\n");
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_exit(struct trace_iterator *iter)
{
	const struct syscall_trace_exit *entry = (const void *)iter->ent;
	const struct syscall_metadata *call = call_of(&entry->ent, entry->nr);

	if (!call)
		return TRACE_TYPE_UNHANDLED;
	trace_seq_printf(&iter->seq, "%s -> 0x%lx\n", call->name, entry->ret);
	return trace_handle_return(&iter->seq);
}

/* ---- the events ---- */

#define NR_FIELD                                                                                   \
	{                                                                                          \
		"int", "__syscall_nr", offsetof(struct syscall_trace_enter, nr), sizeof(int),      \
			true, FILTER_OTHER, 0                                                      \
	}

static const struct trace_event_field exit_fields[] = {
	NR_FIELD,
	TRACE_FIELD(syscall_trace_exit, ret, "long", true),
	{ .name = NULL },
};

static const struct trace_event_field *make_enter_fields(const struct syscall_metadata *call)
{
	struct trace_event_field *fields = kcalloc(call->nb_args + 2, sizeof(*fields), GFP_KERNEL);

	if (!fields)
		return NULL;
	fields[0] = (struct trace_event_field)NR_FIELD;
	for (unsigned i = 0; i < call->nb_args; i++)
		fields[i + 1] = (struct trace_event_field){
			.type = call->types[i],
			.name = call->args[i],
			.offset = (u16)(offsetof(struct syscall_trace_enter, args) +
					i * sizeof(unsigned long)),
			.size = sizeof(unsigned long),
		};
	return fields;
}

/* Writes the print fmt, and returns its length. */
static size_t write_print_fmt(const struct syscall_metadata *call, char *text, size_t size)
{
	size_t length = (size_t)scnprintf(text, size, "\"");

	for (unsigned i = 0; i < call->nb_args; i++)
		length += (size_t)scnprintf(text + length, size - length, "%s%s: 0x%%08lx",
					    i ? ", " : "", call->args[i]);
	length += (size_t)scnprintf(text + length, size - length, "\"");
	for (unsigned i = 0; i < call->nb_args; i++)
		length += (size_t)scnprintf(text + length, size - length,
					    ", ((unsigned long)(REC->%s))", call->args[i]);
	return length;
}

static int add_calls(void);

TRACE_EVENT_GROUP(syscall_events) = {
	.system = "syscalls",
	.part = &syscalls_part,
	.add_calls = add_calls,
	.unused = syscalls_unused,
	.enable_all = enable_all,
};

static int add_call(const struct syscall_metadata *call, int end)
{
	struct trace_event_call *event = kzalloc(sizeof(*event), GFP_KERNEL);
	char print_fmt[512];
	int error;

	if (!event)
		return -ENOMEM;
	write_print_fmt(call, print_fmt, sizeof(print_fmt));
	event->event.system = syscall_events.system;
	event->event.name = kasprintf(GFP_KERNEL, "%s%s", end == ENTER ? "sys_enter_" : "sys_exit_",
				      call->name + strlen("sys_"));
	event->event.print_fmt =
		end == ENTER ? kstrdup(print_fmt, GFP_KERNEL) : "\"0x%lx\", REC->ret";
	event->event.fields = end == ENTER ? make_enter_fields(call) : exit_fields;
	event->event.trace = end == ENTER ? print_enter : print_exit;
	event->reg = end == ENTER ? reg_enter : reg_exit;
	event->data = (void *)call;
	event->group = &syscall_events;
	if (!event->event.name || !event->event.print_fmt || !event->event.fields)
		return -ENOMEM;
	error = register_trace_event(&event->event);
	if (!error)
		list_add_tail(&event->list, &trace_event_calls);
	return error;
}

/* The events remain for ever. So an error here, in the boot, frees nothing. */
static int add_calls(void)
{
	const struct syscall_metadata *call;
	int error = 0;

	first_call = syscall_by_index(0);
	for (nr_calls = 0; !error && (call = syscall_by_index(nr_calls)); nr_calls++) {
		error = add_call(call, ENTER);
		if (!error)
			error = add_call(call, EXIT);
	}
	return error;
}
