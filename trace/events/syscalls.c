/*
 * The events of each system call. The table of system calls describes them (SYSCALL_DEFINEn() in
 * kernel/syscalls/syscalls.h), and the two tracepoints of raw_syscalls make them all.
 *
 * A trace_array with an enabled event has one probe at a tracepoint, whatever the number of its
 * events. The probe finds the event file of the call in a table.
 */
#include "trace/events/syscalls.h"

#include "fs/vfs/fs.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "trace/core/files.h"
#include "trace/core/output.h"
#include "trace/core/readme.h"
#include "trace/events/event.h"
#include "trace/events/record.h"

/* The two ends of a system call: indexes of tables below. */
enum { ENTER, EXIT, ENDS };

/* [E] to write, RCU to read. */
struct syscall_files {
	unsigned users[ENDS]; /* [E] files in the table: the probe is registered */
	unsigned limit;       /* [E] to write: syscall_user_buf_size */
	/* [E] to write, RCU to read: by index of the system call; NULL: not enabled. */
	struct trace_event_file *files[][ENDS];
};

/* The table of the system calls, and its length. Constant after the boot. */
static const struct syscall_metadata *first_call;
static unsigned nr_calls;
/* By index of the call. */
static struct syscall_data *call_data;   /* constant after the boot */
static unsigned short *call_data_wanted; /* [E] to write: files that record the data */

DEFINE_STATIC_KEY_FALSE(syscall_data_key);

static struct trace_array_part syscalls_part;

static struct syscall_files *files_of(struct trace_array *tr)
{
	return *trace_array_private(tr, &syscalls_part);
}

/* ---- recording ---- */

static struct trace_event_file *file_of(struct trace_array *tr, int index, int end)
{
	return index < 0 ? NULL : smp_load_acquire(&files_of(tr)->files[index][end]);
}

/* Records the call with the data that its arguments point to. */
static noinline void record_enter_data(struct trace_event_file *file, const unsigned long *args,
				       const struct syscall_data *data)
{
	const struct syscall_metadata *call = file->call->data;
	size_t size = call->nb_args * sizeof(args[0]);
	struct trace_event_buffer buffer;
	struct syscall_trace_enter *entry;
	struct syscall_copy copy;

	syscall_data_copy(&copy, data, args, READ_ONCE(files_of(file->tr)->limit));
	entry = trace_event_buffer_reserve(&buffer, file, sizeof(*entry) + size + copy.size);
	if (!entry)
		return;
	entry->nr = (int)call->nr;
	memcpy(entry->args, args, size);
	syscall_data_put(&copy, entry, sizeof(*entry) + size);
	trace_event_buffer_commit(&buffer);
}

/* The probe of sys_enter. data is the trace_array. */
static void record_enter(void *data, const unsigned long *args, long nr)
{
	int index = syscall_index(nr);
	struct trace_event_file *file = file_of(data, index, ENTER);
	struct trace_event_buffer buffer;
	struct syscall_trace_enter *entry;
	const struct syscall_metadata *call;
	size_t size;

	if (!file)
		return;
	if (call_data[index].mask) {
		record_enter_data(file, args, &call_data[index]);
		return;
	}
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
	struct trace_event_file *file = file_of(data, syscall_index(nr), EXIT);
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

void syscall_data_bring_in(const unsigned long *args, long nr)
{
	int index = syscall_index(nr);

	if (index >= 0 && READ_ONCE(call_data_wanted[index]))
		syscall_data_read(&call_data[index], args);
}

/* ---- switching; E held ---- */

/*
 * An event sys_enter_NAME with data is enabled or disabled, or gets the limit 0 or another one. The
 * key cannot be changed if a site has wrong bytes: then data that are not there are not recorded.
 */
static void want_data(const struct syscall_files *table, unsigned index, bool on)
{
	if (!table->limit || !call_data[index].mask)
		return;
	WRITE_ONCE(call_data_wanted[index], call_data_wanted[index] + (on ? 1 : -1));
	(void)(on ? static_branch_inc(&syscall_data_key) : static_branch_dec(&syscall_data_key));
}

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
	unsigned index = (unsigned)(meta - first_call);
	struct trace_event_file **place = &table->files[index][end];
	int error = 0;

	switch (type) {
	case TRACE_REG_REGISTER:
		if (!table->users[end])
			error = register_probe(file->tr, end);
		if (error)
			return error;
		table->users[end]++;
		smp_store_release(place, file);
		if (end == ENTER)
			want_data(table, index, true);
		return 0;
	case TRACE_REG_UNREGISTER:
		smp_store_release(place, NULL);
		if (end == ENTER)
			want_data(table, index, false);
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
	for (unsigned i = 0; i < nr_calls; i++)
		want_data(table, i, true);
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
	if (!table)
		return -ENOMEM;
	table->limit = SYSCALL_DATA_DEFAULT;
	return 0;
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

static enum print_line_t print_enter(struct trace_iterator *iter)
{
	const struct syscall_trace_enter *entry = (const void *)iter->ent;
	const struct syscall_metadata *call = call_of(&entry->ent, entry->nr);

	if (!call)
		return TRACE_TYPE_UNHANDLED;
	syscall_print_enter(iter, call, &call_data[call - first_call]);
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

/* ---- syscall_user_buf_size ---- */

static ssize_t limit_read(struct file *file, char *buf, size_t count, loff_t *pos)
{
	char text[16];
	int length = scnprintf(text, sizeof(text), "%u\n",
			       READ_ONCE(files_of(trace_file_tr(file))->limit));

	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

/* With 0 no memory of programs is read. */
static ssize_t limit_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	struct syscall_files *table = files_of(trace_file_tr(file));
	unsigned long limit;
	int error = trace_get_number(buf, count, 10, &limit);

	if (error)
		return error;
	mutex_lock(&event_mutex);
	for (unsigned i = 0; i < nr_calls; i++)
		if (table->files[i][ENTER])
			want_data(table, i, false);
	WRITE_ONCE(table->limit, (unsigned)min(limit, (unsigned long)SYSCALL_DATA_MAX));
	for (unsigned i = 0; i < nr_calls; i++)
		if (table->files[i][ENTER])
			want_data(table, i, true);
	mutex_unlock(&event_mutex);
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations limit_fops = {
	.read = limit_read,
	.write = limit_write,
	.llseek = generic_file_llseek,
};
TRACE_FILE(syscall_user_buf_size, 0640, &limit_fops);
TRACE_README(syscall_user_buf_size, "4b2",
	     "  syscall_user_buf_size\t- bytes of a text or buffer of a program that an event\n"
	     "\t\t\t  of a system call records; 0: none\n");

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

/* The fields: the number, the arguments, and __NAME_val for each argument with data. */
static const struct trace_event_field *make_enter_fields(const struct syscall_metadata *call,
							 const struct syscall_data *data)
{
	struct trace_event_field *fields =
		kcalloc(call->nb_args + SYSCALL_DATA_ARGS + 2, sizeof(*fields), GFP_KERNEL);
	size_t offset = offsetof(struct syscall_trace_enter, args);
	unsigned count = 0;

	if (!fields)
		return NULL;
	fields[count++] = (struct trace_event_field)NR_FIELD;
	for (unsigned i = 0; i < call->nb_args; i++, offset += sizeof(unsigned long))
		fields[count++] = (struct trace_event_field){
			.type = call->types[i],
			.name = call->args[i],
			.offset = (u16)offset,
			.size = sizeof(unsigned long),
		};
	for (unsigned i = 0; i < call->nb_args; i++) {
		if (!(data->mask & BIT(i)))
			continue;
		fields[count] = (struct trace_event_field){
			.type = "__data_loc char[]",
			.name = kasprintf(GFP_KERNEL, "__%s_val", call->args[i]),
			.offset = (u16)offset,
			.size = sizeof(u32),
		};
		if (!fields[count++].name)
			return NULL;
		offset += sizeof(u32);
	}
	return fields;
}

static int add_calls(void);

TRACE_EVENT_GROUP(syscall_events) = {
	.system = "syscalls",
	.part = &syscalls_part,
	.add_calls = add_calls,
	.unused = syscalls_unused,
	.enable_all = enable_all,
};

static void show_enter_fmt(struct seq_file *m, const struct trace_event *event)
{
	const struct syscall_metadata *call =
		container_of(event, struct trace_event_call, event)->data;

	syscall_show_print_fmt(m, call, &call_data[call - first_call]);
}

static int add_call(const struct syscall_metadata *call, const struct syscall_data *data, int end)
{
	struct trace_event_call *event = kzalloc(sizeof(*event), GFP_KERNEL);
	int error;

	if (!event)
		return -ENOMEM;
	event->event.system = syscall_events.system;
	event->event.name = kasprintf(GFP_KERNEL, "%s%s", end == ENTER ? "sys_enter_" : "sys_exit_",
				      call->name + strlen("sys_"));
	if (end == ENTER)
		event->event.show_print_fmt = show_enter_fmt;
	else
		event->event.print_fmt = "\"0x%lx\", REC->ret";
	event->event.fields = end == ENTER ? make_enter_fields(call, data) : exit_fields;
	event->event.trace = end == ENTER ? print_enter : print_exit;
	event->reg = end == ENTER ? reg_enter : reg_exit;
	event->data = (void *)call;
	event->group = &syscall_events;
	if (!event->event.name || !event->event.fields)
		return -ENOMEM;
	error = register_trace_event(&event->event);
	if (!error)
		list_add_tail(&event->list, &trace_event_calls);
	return error;
}

/* The events remain for ever. So an error here, in the boot, frees nothing. */
static int add_calls(void)
{
	int error = 0;

	first_call = syscall_by_index(0);
	while (syscall_by_index(nr_calls))
		nr_calls++;
	call_data = kcalloc(nr_calls, sizeof(*call_data), GFP_KERNEL);
	call_data_wanted = kcalloc(nr_calls, sizeof(*call_data_wanted), GFP_KERNEL);
	if (!call_data || !call_data_wanted)
		return -ENOMEM;
	for (unsigned i = 0; !error && i < nr_calls; i++) {
		syscall_data_describe(&first_call[i], &call_data[i]);
		error = add_call(&first_call[i], &call_data[i], ENTER);
		if (!error)
			error = add_call(&first_call[i], &call_data[i], EXIT);
	}
	return error;
}
