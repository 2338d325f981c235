/* The threads of osnoise and timerlat, one for each CPU, and the instances that they serve. */
#include "trace/tracers/noise/workload.h"

#include "kernel/errno.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sched/kthread.h"
#include "trace/core/write.h"
#include "trace/tracers/noise/noise.h"

struct instance {
	struct trace_array *tr; /* constant */
	struct list_head list;  /* [T] to write, RCU to read */
};
static LIST_HEAD(instances);                         /* [T] to write, RCU to read */
static const struct workload *running;               /* [T] NULL: none */
static DEFINE_PER_CPU(struct task_struct *, thread); /* [T] NULL: none */

/* ---- threads ---- */

static void stop_threads(void)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct task_struct **task = per_cpu_ptr(&thread, cpu);

		if (*task)
			kthread_stop(*task);
		*task = NULL;
		noise_set_sampling(cpu, false);
	}
}

static int start_thread(unsigned cpu)
{
	struct task_struct *task;

	if (!running->always && !osnoise_option(OSN_WORKLOAD)) {
		noise_set_sampling(cpu, true); /* all threads of the CPU are noise */
		return 0;
	}
	task = kthread_create(running->main, (void *)(unsigned long)cpu, "%s/%u", running->name,
			      cpu);
	if (IS_ERR(task))
		return (int)PTR_ERR(task);
	kthread_bind(task, cpu);
	*per_cpu_ptr(&thread, cpu) = task;
	wake_up_process(task);
	return 0;
}

static int start_threads(void)
{
	unsigned cpu;
	int error = 0;

	for_each_cpu (cpu, &osnoise_settings.cpus)
		if (cpu_online(cpu) && !error)
			error = start_thread(cpu);
	if (error)
		stop_threads();
	return error;
}

void workload_pause(void)
{
	if (running)
		stop_threads();
}

void workload_resume(void)
{
	int error = running ? start_threads() : 0;

	if (error)
		pr_warn("tracing: %s has no threads: %pe\n", running->name, ERR_PTR(error));
}

void workload_thread_begin(unsigned cpu)
{
	noise_set_workload(cpu, current);
}

void workload_thread_end(unsigned cpu)
{
	noise_set_sampling(cpu, false);
	noise_set_workload(cpu, NULL);
}

void workload_sleep_until(ktime_t when)
{
	ktime_t now;

	while ((now = ktime_get()) < when) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop()) {
			__set_current_state(TASK_RUNNING);
			return;
		}
		schedule_timeout(when - now);
	}
}

/* ---- begin and end ---- */

static struct instance *find_instance(const struct trace_array *tr)
{
	struct instance *instance;

	list_for_each_entry (instance, &instances, list)
		if (instance->tr == tr)
			return instance;
	return NULL;
}

static int start_workload(const struct workload *workload)
{
	int error = noise_start();

	if (error)
		return error;
	running = workload;
	error = start_threads();
	if (error) {
		running = NULL;
		noise_stop();
	}
	return error;
}

int workload_begin(const struct workload *workload, struct trace_array *tr)
{
	struct instance *instance;
	int error;

	if (running && running != workload)
		return -EBUSY;
	if (find_instance(tr))
		return 0;
	instance = kmalloc(sizeof(*instance), GFP_KERNEL);
	if (!instance)
		return -ENOMEM;
	error = running ? 0 : start_workload(workload);
	if (error) {
		kfree(instance);
		return error;
	}
	instance->tr = tr;
	list_add_tail_rcu(&instance->list, &instances);
	return 0;
}

void workload_end(struct trace_array *tr)
{
	struct instance *instance = find_instance(tr);

	if (!instance)
		return; /* tracing_on was 0 */
	list_del_rcu(&instance->list);
	if (list_empty(&instances)) {
		stop_threads();
		noise_stop();
		running = NULL;
	}
	synchronize_rcu();
	kfree(instance);
}

/* ---- instances ---- */

void workload_for_each_instance(void (*fn)(struct trace_array *tr, const void *arg),
				const void *arg)
{
	struct instance *instance;

	preempt_disable_notrace();
	list_for_each_entry_rcu (instance, &instances, list)
		fn(instance->tr, arg);
	preempt_enable_notrace();
}

static void report_max(struct trace_array *tr, const void *arg)
{
	trace_max_raise(tr, *(const u64 *)arg);
}

void workload_report_max(u64 latency)
{
	workload_for_each_instance(report_max, &latency);
}

static void stop_tracing(struct trace_array *tr, const void *arg __unused)
{
	char text[40];
	int length =
		scnprintf(text, sizeof(text), "stop tracing hit on cpu %u\n", smp_processor_id());

	trace_write_print(tr, (unsigned long)workload_stop_tracing, text, (size_t)length);
	if (osnoise_option(OSN_PANIC_ON_STOP))
		panic("tracer hit stop condition on CPU %u", smp_processor_id());
	tracing_record_off_tr(tr);
}

void workload_stop_tracing(void)
{
	workload_for_each_instance(stop_tracing, NULL);
}
