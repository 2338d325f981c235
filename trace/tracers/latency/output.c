/* Printing the entries of the wakeup tracers. */
#include "kernel/init.h"
#include "kernel/sched/sched.h"
#include "trace/core/cmdlines.h"
#include "trace/core/output.h"
#include "trace/tracers/latency/entries.h"

static char state_char(u8 state)
{
	static const char chars[] = "RSDTtXZPI";

	return state < sizeof(chars) - 1 ? chars[state] : '?';
}

static enum print_line_t print_switch(struct trace_iterator *iter, const char *arrow)
{
	const struct ctx_switch_entry *field = (const struct ctx_switch_entry *)iter->ent;
	char comm[TASK_COMM_LEN];

	trace_find_cmdline((pid_t)field->next_pid, comm);
	trace_seq_printf(&iter->seq, " %7d:%3d:%c %s [%03d] %7d:%3d:%c %s\n", (int)field->prev_pid,
			 field->prev_prio, state_char(field->prev_state), arrow,
			 (int)field->next_cpu, (int)field->next_pid, field->next_prio,
			 state_char(field->next_state), comm);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_ctx_print(struct trace_iterator *iter)
{
	return print_switch(iter, "==>");
}

static enum print_line_t trace_wake_print(struct trace_iterator *iter)
{
	return print_switch(iter, "  +");
}

static enum print_line_t print_switch_raw(struct trace_iterator *iter, char state)
{
	const struct ctx_switch_entry *field = (const struct ctx_switch_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%d %d %c %d %d %d %c\n", (int)field->prev_pid,
			 field->prev_prio, state, (int)field->next_cpu, (int)field->next_pid,
			 field->next_prio, state_char(field->next_state));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_ctx_raw(struct trace_iterator *iter)
{
	return print_switch_raw(
		iter, state_char(((const struct ctx_switch_entry *)iter->ent)->prev_state));
}

static enum print_line_t trace_wake_raw(struct trace_iterator *iter)
{
	return print_switch_raw(iter, '+');
}

#define SWITCH_FIELDS                                                                              \
	TRACE_FIELD(ctx_switch_entry, prev_pid, "unsigned int", false),                            \
		TRACE_FIELD(ctx_switch_entry, next_pid, "unsigned int", false),                    \
		TRACE_FIELD(ctx_switch_entry, next_cpu, "unsigned int", false),                    \
		TRACE_FIELD(ctx_switch_entry, prev_prio, "unsigned char", false),                  \
		TRACE_FIELD(ctx_switch_entry, prev_state, "unsigned char", false),                 \
		TRACE_FIELD(ctx_switch_entry, next_prio, "unsigned char", false),                  \
		TRACE_FIELD(ctx_switch_entry, next_state, "unsigned char", false)
static const struct trace_event_field switch_fields[] = { SWITCH_FIELDS, { .name = NULL } };
#define SWITCH_ARGS                                                                                \
	"REC->prev_pid, REC->prev_prio, REC->prev_state, REC->next_pid, REC->next_prio, "          \
	"REC->next_state, REC->next_cpu"

#define SWITCH_EVENT(name_, type_, print_, raw_, arrow)                                            \
	static struct trace_event name_##_event = {                                                \
		.type = type_,                                                                     \
		.trace = print_,                                                                   \
		.raw = raw_,                                                                       \
		.name = #name_,                                                                    \
		.fields = switch_fields,                                                           \
		.print_fmt = "\"%u:%u:%u  " arrow " %u:%u:%u [%03u]\", " SWITCH_ARGS,              \
	}
SWITCH_EVENT(context_switch, TRACE_CTX, trace_ctx_print, trace_ctx_raw, "==>");
SWITCH_EVENT(wakeup, TRACE_WAKE, trace_wake_print, trace_wake_raw, "==+");

static int __init init_wakeup_output(void)
{
	int error = register_trace_event(&context_switch_event);

	return error ? error : register_trace_event(&wakeup_event);
}
core_initcall(init_wakeup_output);
