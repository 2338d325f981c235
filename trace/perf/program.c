/* Programs of events: which event has which one. See program.h. */
#include "trace/perf/program.h"

#include "kernel/sched/mutex.h"
#include "trace/events/event.h"
#include "trace/perf/internal.h"
#include "trace/perf/tracepoint.h"

const struct perf_program_ops *perf_program_ops __ro_after_init;

enum perf_program_kind perf_program_kind(const struct perf_event *event)
{
	if (!event->pmu->set_program)
		return PERF_PROGRAM_SAMPLE;
	return event->tp ? perf_tp_program_kind(event) : event->pmu->program_kind;
}

DEFINE_STATIC_KEY_FALSE(perf_programs_key);

/* E held. */
static int set_program(struct perf_event *event, struct perf_program *program)
{
	int error = 0;

	if (event->pmu->set_program)
		error = event->pmu->set_program(event, program);
	else
		rcu_assign_pointer(event->sample_program, program);
	if (!error)
		event->program = program;
	return error;
}

/* E held. */
static int set_first(struct perf_event *event, struct perf_program *program)
{
	int error = event->program ? -EEXIST : static_branch_inc(&perf_programs_key);

	if (error)
		return error;
	error = set_program(event, program);
	if (error)
		(void)static_branch_dec(&perf_programs_key);
	return error;
}

int perf_program_set(struct perf_event *event, struct perf_program *program)
{
	int error;

	mutex_lock(&event_mutex);
	error = set_first(event, program);
	mutex_unlock(&event_mutex);
	return error;
}

static void free_program(struct rcu_head *rcu)
{
	struct perf_program *program = container_of(rcu, struct perf_program, rcu);

	program->free(program);
}

void perf_program_clear(struct perf_event *event)
{
	struct perf_program *program;

	mutex_lock(&event_mutex);
	program = event->program;
	if (program) {
		(void)set_program(event, NULL);
		(void)static_branch_dec(&perf_programs_key);
	}
	mutex_unlock(&event_mutex);
	if (program)
		call_rcu(&program->rcu, free_program);
}

void perf_program_call(struct perf_event *event, perf_program_fn *fn, void *data)
{
	mutex_lock(&event_mutex);
	if (event->program)
		fn(event->program, data);
	mutex_unlock(&event_mutex);
}

void perf_program_place(const struct perf_event *event, struct perf_program_place *place)
{
	*place = (struct perf_program_place){ 0 };
	if (event->pmu->program_place)
		event->pmu->program_place(event, place);
}

bool perf_program_wants_sample(struct perf_event *event, const struct perf_sample_data *data)
{
	struct perf_program *program = rcu_dereference(perf_original(event)->sample_program);
	struct perf_program_hit hit = {
		.regs = data->regs,
		.ip = data->ip,
		.frame = data->frame,
		.event = perf_original(event),
		.period = READ_ONCE(event->period),
		.addr = data->addr,
	};

	return !program || program->run(program, &hit);
}
