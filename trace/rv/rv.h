/*
 * Runtime verification: a monitor compares what the kernel does with a model of what it should do
 * (Linux's Documentation/trace/rv/).
 *
 * The model is a deterministic automaton: states, events, and a table that says for each state
 * which events may come, and to which state they lead. A monitor is one file in trace/rv/monitors/:
 * the automaton, which is written by hand or by scripts/rvgen from a graph, and probes at
 * tracepoints, which translate what the kernel does to events of the model.
 *
 * An event that the table does not allow is an error: the monitor records the event error_NAME, and
 * calls its reactor.
 *
 * A monitor has an instance, that is a state of its own, for each CPU, for each task, or one for
 * the whole kernel. An instance is a word of 64 bits: the epoch of the monitor, and the state. Each
 * time a monitor begins, it gets an epoch that no monitor had before. So the words of an earlier
 * epoch, in CPUs and in tasks, say "unknown", without anybody who clears them. An instance whose
 * state is unknown waits for an event that tells the state: da_handle_start_event().
 *
 * Events come in any context, NMI included, from several CPUs at once for a task or for the whole
 * kernel. A transition is one cmpxchg of the word: it takes no lock, and no event is lost between
 * two others.
 */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/linker_table.h"
#include "kernel/sched/sched.h"
#include "kernel/tracepoint.h"
#include "trace/events/event.h"

struct dentry;

/* ---- the model ---- */

#define RV_MAX_STATES 16
#define RV_MAX_EVENTS 16

/*
 * States are numbers from 1 on; the initial state is 1. Events are numbers from 0 on. Constant.
 * With designators the table only names what is allowed: the rest is 0.
 */
struct automaton {
	const char *state_names[RV_MAX_STATES];
	const char *event_names[RV_MAX_EVENTS];
	u8 function[RV_MAX_STATES][RV_MAX_EVENTS]; /* the next state; 0: not allowed */
	bool final_states[RV_MAX_STATES];
};

#define RV_INITIAL_STATE 1

/* ---- the monitor ---- */

enum rv_type { RV_CONTAINER, RV_GLOBAL, RV_PER_CPU, RV_PER_TASK };

/* A handler of the monitor, and the tracepoint that calls it. A NULL tracepoint ends a table. */
struct rv_probe {
	struct tracepoint *tp;
	void *func;
};
/* The compiler checks that the handler has the arguments of the tracepoint. */
#define RV_PROBE(tracepoint, handler)                                                              \
	{                                                                                          \
		.tp = &__tracepoint_##tracepoint,                                                  \
		.func = sizeof(register_trace_##tracepoint(handler, NULL)) ? (void *)(handler)     \
									   : NULL,                 \
	}

struct rv_reactor {
	const char *name;
	/* The text ends with a newline. Any context. */
	void (*react)(const char *text);
};

/* [V] rv_interface_lock; [A] V to write, READ_ONCE() to read; no letter: constant. */
struct rv_monitor {
	const char *name, *description;
	const struct automaton *automaton;
	const struct rv_probe *probes;
	enum rv_type type;
	struct rv_monitor *parent; /* the container that it is in; NULL: none */
	u64 *instance;             /* of the kernel, or a per-CPU word */
	struct tracepoint *event, *error;
	union { /* what calls the probes of `event` and `error` */
		void (*trace_event)(const char *state, const char *event, const char *next,
				    bool final);
		void (*trace_event_id)(int pid, const char *state, const char *event,
				       const char *next, bool final);
	};
	union {
		void (*trace_error)(const char *state, const char *event);
		void (*trace_error_id)(int pid, const char *state, const char *event);
	};
	unsigned slot;                    /* [V] while a monitor of tasks is enabled: task->rv[] */
	bool enabled;                     /* [V] the probes are attached */
	u32 epoch;                        /* [A] 0: events are ignored */
	const struct rv_reactor *reactor; /* [A] */
	struct dentry *dir;               /* [V] */
};

/*
 * Defines the monitor rv_NAME, which uses automaton_NAME and probes_NAME, and its events. The
 * handlers name the monitor before that: RV_DECLARE(NAME) stands at the top of the file. The
 * monitors with IN are in a container.
 *
 *	RV_MONITOR_PER_CPU(wip, "wakeup in preemptive");
 *	RV_MONITOR_PER_CPU_IN(sched, sco, "scheduling context operations.");
 */
#define RV_DECLARE(name) extern struct rv_monitor rv_##name
#define RV_MONITOR_GLOBAL(name, text)                                                              \
	static u64 rv_instance_##name;                                                             \
	RV_MONITOR(name, text, RV_GLOBAL, , &rv_instance_##name, NULL, #name)
#define RV_MONITOR_PER_CPU(name, text)                                                             \
	static DEFINE_PER_CPU(u64, rv_instance_##name);                                            \
	RV_MONITOR(name, text, RV_PER_CPU, , &rv_instance_##name, NULL, #name)
#define RV_MONITOR_PER_CPU_IN(container, name, text)                                               \
	static DEFINE_PER_CPU(u64, rv_instance_##name);                                            \
	RV_MONITOR(name, text, RV_PER_CPU, , &rv_instance_##name, &rv_##container,                 \
		   #container "." #name)
#define RV_MONITOR_PER_TASK(name, text) RV_MONITOR(name, text, RV_PER_TASK, _id, NULL, NULL, #name)
#define RV_MONITOR_PER_TASK_IN(container, name, text)                                              \
	RV_MONITOR(name, text, RV_PER_TASK, _id, NULL, &rv_##container, #container "." #name)
/* A monitor that consists of others. */
#define RV_MONITOR_CONTAINER(name_, text)                                                          \
	struct rv_monitor rv_##name_ LINKER_TABLE_ENTRY(data, rv_monitors, #name_) = {             \
		.name = #name_,                                                                    \
		.description = text,                                                               \
		.type = RV_CONTAINER,                                                              \
	}

/* The key makes a container come before what is in it. */
#define RV_MONITOR(name_, text, type_, id, word, container, key)                                   \
	RV_EVENT(event_##name_, event_da_monitor##id)                                              \
	RV_EVENT(error_##name_, error_da_monitor##id)                                              \
	struct rv_monitor rv_##name_ LINKER_TABLE_ENTRY(data, rv_monitors, key) = {                \
		.name = #name_,                                                                    \
		.description = text,                                                               \
		.automaton = &automaton_##name_,                                                   \
		.probes = probes_##name_,                                                          \
		.type = type_,                                                                     \
		.parent = container,                                                               \
		.instance = word,                                                                  \
		.event = &__tracepoint_event_##name_,                                              \
		.error = &__tracepoint_error_##name_,                                              \
		.trace_event##id = __traceiter_event_##name_,                                      \
		.trace_error##id = __traceiter_error_##name_,                                      \
	}

/* An event of a class of trace/rv/rv_events.h, and its tracepoint. */
#define RV_EVENT(name, class)                                                                      \
	__RV_EVENT(name, class, TRACEPOINT_ARGS(RV_PROTO_##class), TRACEPOINT_ARGS(RV_ARGS_##class))
#define RV_PROTO_event_da_monitor                                                                  \
	const char *state, const char *event, const char *next_state, bool final_state
#define RV_ARGS_event_da_monitor     state, event, next_state, final_state
#define RV_PROTO_error_da_monitor    const char *state, const char *event
#define RV_ARGS_error_da_monitor     state, event
#define RV_PROTO_event_da_monitor_id int id, RV_PROTO_event_da_monitor
#define RV_ARGS_event_da_monitor_id  id, RV_ARGS_event_da_monitor
#define RV_PROTO_error_da_monitor_id int id, RV_PROTO_error_da_monitor
#define RV_ARGS_error_da_monitor_id  id, RV_ARGS_error_da_monitor

#define __RV_EVENT(name_, class, proto, args)                                                      \
	extern struct tracepoint __tracepoint_##name_;                                             \
	void __traceiter_##name_(proto);                                                           \
	TRACEPOINT_DEFINE(name_, TRACEPOINT_ARGS(proto), TRACEPOINT_ARGS(args))                    \
	static struct trace_event_call event_##name_ LINKER_TABLE_ENTRY(data, trace_events,        \
									"rv." #name_) = {          \
		.event = { .system = "rv",                                                         \
			   .name = #name_,                                                         \
			   .trace = rv_print_##class,                                              \
			   .print_fmt = rv_print_fmt_##class },                                    \
		.get_fields = rv_fields_##class,                                                   \
		.tp = &__tracepoint_##name_,                                                       \
		.probe = (void *)rv_record_##class,                                                \
		.reg = trace_event_reg,                                                            \
		.flags = TRACE_EVENT_FL_TRACEPOINT,                                                \
	};

/* trace/rv/events.c: the parts of each class. */
#define RV_EVENT_CLASS_PARTS(class)                                                                \
	const struct trace_event_field *rv_fields_##class(void);                                   \
	enum print_line_t rv_print_##class(struct trace_iterator * iter);                          \
	extern const char rv_print_fmt_##class[];                                                  \
	void rv_record_##class(void *data, RV_PROTO_##class)
RV_EVENT_CLASS_PARTS(event_da_monitor);
RV_EVENT_CLASS_PARTS(error_da_monitor);
RV_EVENT_CLASS_PARTS(event_da_monitor_id);
RV_EVENT_CLASS_PARTS(error_da_monitor_id);

/* ---- what handlers call; any context, preemption off ---- */

/* What the event says of an instance whose state is unknown. */
enum rv_start {
	RV_START_NOT,   /* nothing: it stays unknown */
	RV_START_AFTER, /* the event leads to the initial state */
	RV_START_RUN    /* the state is the initial one, and the event comes now */
};

/* The instance is that of tsk for a monitor of tasks, else tsk is NULL. */
void rv_handle_event(struct rv_monitor *mon, struct task_struct *tsk, unsigned event,
		     enum rv_start start);

static inline void da_handle_event(struct rv_monitor *mon, unsigned event)
{
	rv_handle_event(mon, NULL, event, RV_START_NOT);
}

static inline void da_handle_start_event(struct rv_monitor *mon, unsigned event)
{
	rv_handle_event(mon, NULL, event, RV_START_AFTER);
}

static inline void da_handle_start_run_event(struct rv_monitor *mon, unsigned event)
{
	rv_handle_event(mon, NULL, event, RV_START_RUN);
}

/* The same for monitors of tasks. */
static inline void da_task_event(struct rv_monitor *mon, struct task_struct *tsk, unsigned event)
{
	rv_handle_event(mon, tsk, event, RV_START_NOT);
}

static inline void da_task_start_event(struct rv_monitor *mon, struct task_struct *tsk,
				       unsigned event)
{
	rv_handle_event(mon, tsk, event, RV_START_AFTER);
}

static inline void da_task_start_run_event(struct rv_monitor *mon, struct task_struct *tsk,
					   unsigned event)
{
	rv_handle_event(mon, tsk, event, RV_START_RUN);
}
