/*
 * The file inject of an event: writes a record with the values that the user gives, as if the event
 * had occurred. Filters, triggers and histograms see it.
 *
 *	echo 'prev_pid=1 next_comm="cat" next_prio=-3' > events/sched/sched_switch/inject
 *
 * The other fields are 0 or an empty string.
 */
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/preempt.h"
#include "kernel/sched/sched.h"
#include "trace/core/entries.h"
#include "trace/events/files.h"
#include "trace/events/record.h"

#define INJECT_TEXT_MAX 4096U /* bytes of what is written, with a NUL */
#define INJECT_NAME_MAX 128U  /* bytes of a field's name, with its NUL */
#define INJECT_STRING   "STATIC STRING CAN NOT BE INJECTED"

/* The record while it is built. */
struct injection {
	struct trace_event_call *call;
	u8 *record;
	size_t size; /* bytes in use */
	size_t room;
};

/* One "FIELD=VALUE". */
struct assignment {
	const struct trace_event_field *field;
	bool is_text;
	u64 number;
	char *text; /* in the text that was written, terminated */
};

static bool is_string(const struct trace_event_field *field)
{
	enum trace_filter_type type = trace_field_filter_type(field);

	return type == FILTER_STATIC_STRING || type == FILTER_DYN_STRING ||
	       type == FILTER_RDYN_STRING || type == FILTER_PTR_STRING || type == FILTER_COMM;
}

/* ---- parsing ---- */

static char *next_field(char *text, const struct trace_event_call *call, struct assignment *a)
{
	char name[INJECT_NAME_MAX];
	size_t length = 0;

	if (!isalpha(*text) && *text != '_')
		return ERR_PTR(-EINVAL);
	while (isalnum(text[length]) || text[length] == '_')
		length++;
	if (length >= sizeof(name))
		return ERR_PTR(-EINVAL);
	strscpy(name, text, length + 1);
	a->field = trace_find_event_field(call, name);
	if (!a->field)
		return ERR_PTR(-ENOENT);
	text = skip_spaces(text + length);
	return *text == '=' ? skip_spaces(text + 1) : ERR_PTR(-EINVAL);
}

/* A text in quotes. A backslash keeps the character after it as it is. */
static char *parse_text(char *text, struct assignment *a)
{
	char quote = *text++, *to = text;

	if (!is_string(a->field))
		return ERR_PTR(-EINVAL);
	a->is_text = true;
	a->text = text;
	for (; *text != quote; text++) {
		if (*text == '\\' && text[1])
			text++;
		if (!*text)
			return ERR_PTR(-EINVAL);
		*to++ = *text;
	}
	*to = '\0';
	return text + 1;
}

static char *parse_number(char *text, struct assignment *a)
{
	size_t length = *text == '-';
	char c;
	int error;

	if (is_string(a->field))
		return ERR_PTR(-EINVAL);
	while (isalnum(text[length]))
		length++;
	c = text[length];
	if (c && !isspace(c))
		return ERR_PTR(-EINVAL);
	text[length] = '\0';
	if (a->field->is_signed || *text == '-') {
		long value;

		error = kstrtol(text, 0, &value);
		a->number = (u64)value;
	} else {
		unsigned long value;

		error = kstrtoul(text, 0, &value);
		a->number = value;
	}
	text[length] = c;
	return error ? ERR_PTR(-EINVAL) : text + length;
}

/* Parses the assignment at text and returns what follows it, or an errno as an ERR_PTR. */
static char *parse_assignment(char *text, const struct trace_event_call *call, struct assignment *a)
{
	*a = (struct assignment){ .field = NULL };
	text = next_field(text, call, a);
	if (IS_ERR(text))
		return text;
	if (isdigit(*text) || *text == '-')
		return parse_number(text, a);
	if (*text == '"' || *text == '\'')
		return parse_text(text, a);
	return ERR_PTR(-EINVAL);
}

/* ---- the record ---- */

/* Puts a string at the end of the record, and its place into the field. */
static int store_dynamic(struct injection *inj, const struct trace_event_field *field,
			 const char *text)
{
	size_t size = strlen(text) + 1;
	u32 loc = (u32)((inj->size - trace_loc_base(field)) | size << 16);

	if (size > inj->room - inj->size)
		return -EINVAL;
	memcpy(inj->record + inj->size, text, size);
	inj->size += size;
	memcpy(inj->record + field->offset, &loc, sizeof(loc));
	return 0;
}

static int store(struct injection *inj, const struct assignment *a)
{
	const struct trace_event_field *field = a->field;
	u8 *at = inj->record + field->offset;

	switch (trace_field_filter_type(field)) {
	case FILTER_STATIC_STRING:
		strscpy((char *)at, a->text, field->size);
		return 0;
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		return store_dynamic(inj, field, a->text);
	case FILTER_PTR_STRING:
		return 0; /* the address of a text of the user would outlive the text */
	case FILTER_TRACE_FN:
	case FILTER_COMM:
	case FILTER_CPU:
	case FILTER_STACKTRACE:
	case FILTER_CPUMASK:
		return -EINVAL;
	case FILTER_OTHER:
		break;
	}
	if (trace_field_is_loc(field) || field->size > sizeof(a->number))
		return -EINVAL;
	memcpy(at, &a->number, field->size);
	return 0;
}

/* Gives the fields their values for a record without assignments. 0, -EINVAL or -E2BIG. */
static int set_defaults(struct injection *inj)
{
	static const char pointer_text[] = INJECT_STRING;
	const struct trace_event_field *field;
	size_t end = sizeof(struct trace_entry);

	for (field = inj->call->event.fields; field->name; field++)
		end = max(end, (size_t)field->offset + field->size);
	inj->size = ALIGN(end, 8);
	if (inj->size > inj->room)
		return -E2BIG;
	for (field = inj->call->event.fields; field->name; field++) {
		enum trace_filter_type type = trace_field_filter_type(field);
		const char *text = pointer_text;
		int error;

		if (type == FILTER_PTR_STRING) {
			memcpy(inj->record + field->offset, &text, sizeof(text));
		} else if (type == FILTER_DYN_STRING || type == FILTER_RDYN_STRING) {
			error = store_dynamic(inj, field, "");
			if (error)
				return error;
		} else if (trace_field_is_loc(field)) {
			u32 loc = (u32)inj->size - trace_loc_base(field); /* no data */

			memcpy(inj->record + field->offset, &loc, sizeof(loc));
		}
	}
	return 0;
}

static int parse(struct injection *inj, char *text)
{
	struct assignment a;
	int error = set_defaults(inj);

	while (!error && *(text = skip_spaces(text))) {
		text = parse_assignment(text, inj->call, &a);
		if (IS_ERR(text))
			return (int)PTR_ERR(text);
		error = store(inj, &a);
	}
	return error;
}

static void write_record(struct trace_event_file *file, const struct injection *inj)
{
	const struct trace_entry *from = (const struct trace_entry *)inj->record;
	struct trace_event_buffer buffer;
	struct trace_entry *entry;

	preempt_disable_notrace();
	entry = trace_event_buffer_reserve(&buffer, file, inj->size);
	if (entry) {
		u16 type = entry->type;

		memcpy(entry, from, inj->size);
		entry->type = type;
		trace_event_buffer_commit(&buffer);
	}
	preempt_enable_notrace();
}

static ssize_t event_inject_write(struct file *file, const char *buf, size_t count,
				  loff_t *pos __unused)
{
	struct trace_event_file *event_file = file->f_inode->i_private;
	struct injection inj = { .call = event_file->call, .room = 4 * INJECT_TEXT_MAX };
	struct trace_entry *entry;
	char *text;
	int error = -ENOMEM;

	if (count >= INJECT_TEXT_MAX)
		return -EINVAL;
	text = kstrndup(buf, count, GFP_KERNEL);
	inj.record = kzalloc(inj.room, GFP_KERNEL);
	if (text && inj.record) {
		entry = (struct trace_entry *)inj.record;
		tracing_entry_init(entry, 0, tracing_gen_ctx(), current->pid);
		error = parse(&inj, text);
		/* Under E the event stays, and with it its number. */
		mutex_lock(&event_mutex);
		if (!error && trace_event_file_removed(event_file))
			error = -ENODEV;
		if (!error)
			write_record(event_file, &inj);
		mutex_unlock(&event_mutex);
	}
	kfree(inj.record);
	kfree(text);
	return error ? error : (ssize_t)count;
}

static const struct file_operations event_inject_fops = {
	.write = event_inject_write,
};
EVENT_FILE_ENTRY(event_inject_file, "inject") = {
	.name = "inject",
	.mode = 0200,
	.fops = &event_inject_fops,
	.place = EVENT_FILE_EVENT,
	.wanted = trace_event_can_enable,
};
