/*
 * The triggers set_wprobe and clear_wprobe: an event that has met an object says what a watchpoint
 * event watches (wprobetrace.rst, "Combination with trigger action"):
 *
 *	set_wprobe:WPROBE:FIELD[+|-ADJUST][:COUNT] [if FILTER]
 *	clear_wprobe:WPROBE[:FIELD[+|-ADJUST][:COUNT]] [if FILTER]
 *
 * With BTF, "(STRUCT)FIELD->MEMBER" stands for FIELD and the offset of the member.
 *
 * The watchpoint event is in soft mode while such a trigger exists: its registers are reserved, and
 * the first set_wprobe that runs lets it record.
 */
#include "trace/wprobe/wprobe.h"

#include "arch/mm/uaccess.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/core/readme.h"
#include "trace/events/fields.h"
#include "trace/trigger/trigger.h"

/* event_trigger_data.private */
struct wprobe_trigger {
	struct trace_wprobe *tw;
	struct trace_event_file *target;       /* of the watchpoint event */
	const struct trace_event_field *field; /* NULL: clear whatever is watched */
	long adjust;
	char *text;   /* FIELD and what follows, as the command has it */
	bool started; /* target is in soft mode for this trigger, which tw counts */
};

/* ---- any context, preemption off ---- */

/* The address that the record has. */
static unsigned long field_address(const struct wprobe_trigger *trigger, const void *rec)
{
	unsigned long address;

	__builtin_memcpy(&address, (const u8 *)rec + trigger->field->offset, sizeof(address));
	return address + (unsigned long)trigger->adjust;
}

/* Only a call that changes something counts. */
static void set_wprobe(struct event_trigger_data *data, const void *rec,
		       const struct trace_event_buffer *buffer __unused)
{
	const struct wprobe_trigger *trigger = data->private;
	struct watch *watch = &trigger->tw->watch;
	unsigned long address = field_address(trigger, rec);

	if (READ_ONCE(watch->address) != WATCH_NOTHING || address < TASK_SIZE_MAX ||
	    !watch_may_be_at(watch, address) || !event_trigger_take(data))
		return;
	/* It stays on: what is not watched has no hits. */
	(void)trace_event_soft_switch(trigger->target, true);
	if (!watch_set(watch, address))
		event_trigger_give_back(data); /* another CPU was faster */
}

static void clear_wprobe(struct event_trigger_data *data, const void *rec,
			 const struct trace_event_buffer *buffer __unused)
{
	const struct wprobe_trigger *trigger = data->private;
	struct watch *watch = &trigger->tw->watch;
	unsigned long address = trigger->field ? field_address(trigger, rec) : WATCH_NOTHING;
	unsigned long watched = READ_ONCE(watch->address);

	if (watched == WATCH_NOTHING || (trigger->field && watched != address) ||
	    !event_trigger_take(data))
		return;
	if (!watch_clear(watch, address))
		event_trigger_give_back(data);
}

/* ---- lines; E held ---- */

/*
 * Parses "(STRUCT[,FIELD])" in front of the name of the event's field, and "->MEMBER[.MEMBER…]",
 * which follows it: the same as an adjustment.
 */
static int parse_cast(char **text, const char *members, struct wprobe_trigger *trigger)
{
	const struct btf_type *t;
	u32 base, offset, bits;
	const char *name = probe_find_cast(*text, &t, &base);

	if (!name || !probe_find_fields(&t, &members, &offset, &bits) || *members || bits)
		return -EINVAL;
	*text += name - *text;
	trigger->adjust = (long)(offset / 8) - (long)base;
	return 0;
}

static int parse_adjust(char sign, const char *number, long *adjust)
{
	int error = isdigit(*number) ? kstrtol(number, 0, adjust) : -EINVAL;

	if (sign == '-')
		*adjust = -*adjust;
	return error;
}

/* Parses "FIELD[+|-ADJUST]" or "(STRUCT)FIELD->MEMBER". */
static int parse_field(const struct event_trigger_data *data, char *text,
		       struct wprobe_trigger *trigger)
{
	char *end = text + strcspn(text, "+-"), c = *end;
	int error = 0;

	trigger->text = kstrdup(text, GFP_KERNEL);
	if (!trigger->text)
		return -ENOMEM;
	*end = '\0';
	if (*text == '(')
		error = c == '-' && end[1] == '>' ? parse_cast(&text, end + 2, trigger) : -EINVAL;
	else if (c)
		error = parse_adjust(c, end + 1, &trigger->adjust);
	if (error)
		return -EINVAL;
	trigger->field = trace_find_event_field(data->file->call, text);
	return trigger->field && trigger->field->size == sizeof(unsigned long) ? 0 : -EINVAL;
}

/* Whether a word is a count, as a command has it or as the trigger file shows it. */
static bool is_count(const char *word)
{
	return isdigit(*word) || strstarts(word, "count=") || strcmp(word, "unlimited") == 0;
}

static int parse_param(struct event_trigger_data *data, char **param)
{
	struct wprobe_trigger *trigger = kzalloc(sizeof(*trigger), GFP_KERNEL);
	const char *name = strsep(param, ":");
	bool is_set = data->cmd->trigger == set_wprobe;

	if (!trigger)
		return -ENOMEM;
	data->private = trigger;
	trigger->tw = find_wprobe(name);
	if (!trigger->tw)
		return -ENOENT;
	trigger->target = find_event_file(data->file->tr, trigger->tw->probe.event->group, name);
	if (!trigger->target)
		return -ENOENT;
	if (*param && (is_set || !is_count(*param)))
		return parse_field(data, strsep(param, ":"), trigger);
	return is_set ? -EINVAL : 0;
}

static bool same(const struct event_trigger_data *a, const struct event_trigger_data *b)
{
	const struct wprobe_trigger *x = a->private, *y = b->private;

	return a->cmd == b->cmd && x->tw == y->tw;
}

static int init(struct event_trigger_data *data)
{
	struct wprobe_trigger *trigger = data->private;
	int error;

	if (trigger->target->flags & EVENT_FILE_FL_ENABLED &&
	    !(trigger->target->flags & EVENT_FILE_FL_SOFT_MODE))
		return -EBUSY;
	error = trace_event_enable_disable(trigger->target, true, true);
	trigger->started = !error;
	trigger->tw->triggers += trigger->started;
	return error;
}

static void free_trigger(struct event_trigger_data *data)
{
	struct wprobe_trigger *trigger = data->private;

	if (!trigger)
		return;
	if (trigger->started) {
		/* What a trigger has switched on ends with the last one. */
		(void)trace_event_soft_switch(trigger->target, false);
		(void)trace_event_enable_disable(trigger->target, false, true);
		trigger->tw->triggers--;
	}
	kfree(trigger->text);
	kfree(trigger);
}

static void print(struct seq_file *m, struct event_trigger_data *data)
{
	const struct wprobe_trigger *trigger = data->private;

	seq_printf(m, "%s:", data->cmd->name);
	if (!trigger->field) {
		event_trigger_print(m, trigger->tw->probe.event->name, data);
		return;
	}
	seq_printf(m, "%s:", trigger->tw->probe.event->name);
	event_trigger_print(m, trigger->text, data);
}

#define WPROBE_COMMAND(object, place, name_)                                                       \
	EVENT_COMMAND(object, place) = { .name = #name_,                                           \
					 .type = ETT_EVENT_WPROBE,                                 \
					 .flags = EVENT_CMD_FL_NEEDS_REC,                          \
					 .parse = event_trigger_parse,                             \
					 .trigger = name_,                                         \
					 .print = print,                                           \
					 .free = free_trigger,                                     \
					 .param_required = true,                                   \
					 .parse_param = parse_param,                               \
					 .same = same,                                             \
					 .init = init }

WPROBE_COMMAND(set_wprobe_command, "91", set_wprobe);
WPROBE_COMMAND(clear_wprobe_command, "92", clear_wprobe);

TRACE_README(wprobe_triggers, "4c1",
	     "\t            set_wprobe:<wprobe>:<field>[+|-<adjust>],\n"
	     "\t            clear_wprobe:<wprobe>[:<field>[+|-<adjust>]]\n");
