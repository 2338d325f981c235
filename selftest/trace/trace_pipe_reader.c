/* A buffer and a reader for the self-tests of trace_pipe: trace_pipe_reader.h. */
#include "selftest/trace/trace_pipe_reader.h"

#include "kernel/mm/slab.h"
#include "selftest/lib/files.h"
#include "selftest/lib/threads.h"

bool trace_pipe_begin(unsigned percent)
{
	struct cpumask here = { { 1 } };
	bool ok;

	mutex_lock(&trace_types_lock);
	ok = tracing_resize(&global_trace, PAGES * PAGE_SIZE, RING_BUFFER_ALL_CPUS) == 0;
	tracing_set_on(&global_trace, true);
	tracing_reset_online_cpus(&global_trace);
	global_trace.buffer_percent = percent;
	mutex_unlock(&trace_types_lock);
	return ok && set_cpus_allowed(current, &here) == 0;
}

void trace_pipe_end(void)
{
	mutex_lock(&trace_types_lock);
	tracing_set_on(&global_trace, true);
	tracing_reset_online_cpus(&global_trace);
	global_trace.buffer_percent = 50;
	mutex_unlock(&trace_types_lock);
	set_cpus_allowed(current, &cpu_possible_mask);
}

void trace_pipe_set_on(bool on)
{
	mutex_lock(&trace_types_lock);
	tracing_set_on(&global_trace, on);
	mutex_unlock(&trace_types_lock);
}

static int read_once(void *data)
{
	struct reader *r = data;
	struct file *file = file_open(r->path, O_RDONLY);

	r->result = IS_ERR(file) ? PTR_ERR(file) : file_read(file, r->buf, PAGE_SIZE);
	if (!IS_ERR(file))
		fput(file);
	WRITE_ONCE(r->done, true);
	return 0;
}

bool is_asleep(struct reader *r)
{
	return READ_ONCE(r->task->__state) == TASK_INTERRUPTIBLE && !READ_ONCE(r->task->on_rq) &&
	       !READ_ONCE(r->task->on_cpu);
}

bool start_reader(struct reader *r, const char *path)
{
	*r = (struct reader){ .path = path, .buf = get_free_page(GFP_KERNEL | __GFP_ZERO) };
	if (!r->buf)
		return false;
	r->task = test_task_start(read_once, r, "pipe_reader");
	if (!r->task)
		return false;
	while (!is_asleep(r) && !READ_ONCE(r->done))
		msleep(1);
	return true;
}

long join_reader(struct reader *r)
{
	test_task_end(r->task);
	return r->result;
}

bool stays_asleep(struct reader *r)
{
	u64 switches;

	do
		msleep(20);
	while (!is_asleep(r) && !READ_ONCE(r->done));
	switches = READ_ONCE(r->task->nvcsw);
	msleep(100);
	return is_asleep(r) && !READ_ONCE(r->done) && READ_ONCE(r->task->nvcsw) == switches;
}
