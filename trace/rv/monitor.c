/* Monitors: switching them on and off, and what an event does. */
#include "kernel/errno.h"
#include "kernel/rcu/rcu.h"
#include "trace/rv/internal.h"

DEFINE_MUTEX(rv_interface_lock);
DEFINE_LINKER_TABLE(data, struct rv_monitor, rv_monitors);

static bool monitoring_on = true;                                  /* [V] */
static u32 last_epoch;                                             /* [V] */
static bool slot_taken[ARRAY_SIZE(((struct task_struct *)0)->rv)]; /* [V] */

/* ---- events; any context, preemption off ---- */

static u64 *instance_of(const struct rv_monitor *mon, struct task_struct *tsk)
{
	if (mon->type == RV_PER_TASK)
		return &tsk->rv[mon->slot];
	return mon->type == RV_PER_CPU ? this_cpu_ptr(mon->instance) : mon->instance;
}

/* Each pair of a tracepoint and the function that calls its probes is constant. */
static void record_event(const struct rv_monitor *mon, const struct task_struct *tsk, u32 state,
			 unsigned event, u32 next)
{
	const struct automaton *a = mon->automaton;

	if (!static_key_enabled(&mon->event->key))
		return;
	if (tsk)
		mon->trace_event_id(tsk->pid, a->state_names[state], a->event_names[event],
				    a->state_names[next], a->final_states[next]);
	else
		mon->trace_event(a->state_names[state], a->event_names[event], a->state_names[next],
				 a->final_states[next]);
}

/* The record comes first: a panic may print the trace. */
static void report_error(const struct rv_monitor *mon, const struct task_struct *tsk, u32 state,
			 unsigned event)
{
	const char *state_name = mon->automaton->state_names[state];
	const char *event_name = mon->automaton->event_names[event];

	if (static_key_enabled(&mon->error->key)) {
		if (tsk)
			mon->trace_error_id(tsk->pid, state_name, event_name);
		else
			mon->trace_error(state_name, event_name);
	}
	rv_react(mon, state_name, event_name);
}

/*
 * An error makes the state unknown. If another event changes the word between the read and the
 * cmpxchg, this one is judged again, in the state to which that one has led.
 */
void rv_handle_event(struct rv_monitor *mon, struct task_struct *tsk, unsigned event,
		     enum rv_start start)
{
	u64 *instance = instance_of(mon, tsk), old, new;
	u32 state, next;

	do {
		u32 epoch = READ_ONCE(mon->epoch);

		if (!epoch)
			return;
		old = READ_ONCE(*instance);
		state = (u32)(old >> 32) == epoch ? (u32)old : 0;
		if (!state && start == RV_START_NOT)
			return;
		if (!state && start == RV_START_AFTER) {
			next = RV_INITIAL_STATE;
		} else {
			if (!state)
				state = RV_INITIAL_STATE;
			next = mon->automaton->function[state][event];
		}
		new = next ? (u64)epoch << 32 | next : 0;
	} while (new != old && cmpxchg(instance, old, new) != old);

	if (!state)
		return;
	if (next)
		record_event(mon, tsk, state, event, next);
	else
		report_error(mon, tsk, state, event);
}

/* ---- switching; V held ---- */

static void begin_epoch(struct rv_monitor *mon)
{
	if (!++last_epoch) /* 0 is no epoch */
		++last_epoch;
	WRITE_ONCE(mon->epoch, last_epoch);
}

static int take_slot(struct rv_monitor *mon)
{
	if (mon->type != RV_PER_TASK)
		return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(slot_taken); i++) {
		if (!slot_taken[i]) {
			slot_taken[i] = true;
			mon->slot = i;
			return 0;
		}
	}
	return -EBUSY;
}

static void detach(struct rv_monitor *mon, const struct rv_probe *end)
{
	for (const struct rv_probe *probe = mon->probes; probe != end; probe++)
		(void)tracepoint_probe_unregister(probe->tp, probe->func, NULL);
	if (mon->type == RV_PER_TASK)
		slot_taken[mon->slot] = false;
}

static const struct rv_probe *end_of_probes(const struct rv_monitor *mon)
{
	const struct rv_probe *probe = mon->probes;

	while (probe->tp)
		probe++;
	return probe;
}

/*
 * Until all tracepoints are on, on all CPUs, the epoch is 0: a monitor that missed one of two
 * events would see an error where there is none.
 */
static int enable_single(struct rv_monitor *mon)
{
	const struct rv_probe *probe = mon->probes;
	int error = mon->enabled ? 0 : take_slot(mon), end;

	if (mon->enabled || error)
		return error;
	tracepoint_batch_begin();
	for (; probe->tp && !error; probe += !error)
		error = tracepoint_probe_register(probe->tp, probe->func, NULL,
						  TRACEPOINT_DEFAULT_PRIO);
	end = tracepoint_batch_end();
	if (!error)
		error = end;
	if (error) {
		tracepoint_batch_begin();
		detach(mon, probe);
		(void)tracepoint_batch_end();
		return error;
	}
	mon->enabled = true;
	if (monitoring_on)
		begin_epoch(mon);
	return 0;
}

/* Inside of a batch, at whose end no handler runs any more. */
static void disable_single(struct rv_monitor *mon)
{
	if (!mon->enabled)
		return;
	WRITE_ONCE(mon->epoch, 0);
	mon->enabled = false;
	if (mon->type != RV_CONTAINER)
		detach(mon, end_of_probes(mon));
}

struct rv_monitor *rv_next_monitor(struct rv_monitor *mon)
{
	mon = mon ? mon + 1 : linker_table_start(rv_monitors);
	return mon == linker_table_end(rv_monitors) ? NULL : mon;
}

static void disable_with_children(struct rv_monitor *mon)
{
	disable_single(mon);
	for (struct rv_monitor *m = rv_next_monitor(NULL); m; m = rv_next_monitor(m))
		if (m->parent == mon)
			disable_single(m);
}

static void disable_monitor(struct rv_monitor *mon)
{
	tracepoint_batch_begin();
	disable_with_children(mon);
	(void)tracepoint_batch_end();
}

static int enable_monitor(struct rv_monitor *mon)
{
	int error = 0;

	if (mon->type != RV_CONTAINER)
		return enable_single(mon);
	for (struct rv_monitor *m = rv_next_monitor(NULL); m && !error; m = rv_next_monitor(m))
		if (m->parent == mon)
			error = enable_single(m);
	mon->enabled = true;
	if (error)
		disable_monitor(mon);
	return error;
}

int rv_switch_monitor(struct rv_monitor *mon, bool on)
{
	int error = 0;

	mutex_lock(&rv_interface_lock);
	if (on)
		error = enable_monitor(mon);
	else
		disable_monitor(mon);
	mutex_unlock(&rv_interface_lock);
	return error;
}

void rv_disable_all(void)
{
	tracepoint_batch_begin();
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon))
		disable_single(mon);
	(void)tracepoint_batch_end();
}

bool rv_monitoring(void)
{
	return monitoring_on;
}

void rv_set_monitoring(bool on)
{
	if (on == monitoring_on)
		return;
	monitoring_on = on;
	for (struct rv_monitor *mon = rv_next_monitor(NULL); mon; mon = rv_next_monitor(mon)) {
		if (!on)
			WRITE_ONCE(mon->epoch, 0);
		else if (mon->enabled)
			begin_epoch(mon);
	}
	synchronize_rcu(); /* handlers that have read an epoch before end */
}
