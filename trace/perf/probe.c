/*
 * The PMUs `kprobe` and `uprobe`: a probe of one perf event, which no file of tracefs shows. The
 * children of the event share it.
 *
 *	config	bit 0: at the return; uprobe: bits 32 to 63: where in the file its counter is
 *	config1	the name of the function, or of the file
 *	config2	the offset in it; kprobe without a name: the address
 *
 * A filter reads a record as that of a probe of tracefs without arguments. A program runs at each
 * hit, before all that.
 */
#include "trace/perf/probe.h"

#include "arch/cpu/ptrace.h"
#include "arch/mm/uaccess.h"
#include "kernel/kallsyms.h"
#include "kernel/mm/slab.h"
#include "trace/core/write.h"
#include "trace/events/event.h"
#include "trace/filter/filter.h"
#include "trace/perf/internal.h"
#include "trace/probe_events/trace_probe.h"

/* ---- hits. Any context ---- */

/* head: the words behind the head of the record; the last one is the address. Preemption off. */
static void hit(const struct perf_probe *probe, u8 mode, const unsigned long *head, unsigned nr,
		const struct pt_regs *regs)
{
	struct perf_record_hit hit = {
		.source = probe,
		.data = { .task = current_stable,
			  .mode = mode | (current_stable->pid ? 0 : PERF_MODE_IDLE),
			  .ip = head[nr - 1],
			  .regs = regs },
	};
	struct {
		struct trace_entry ent;
		unsigned long head[2];
	} record;

	if (!perf_hit_without_record(&hit))
		return;
	tracing_entry_init(&record.ent, 0, tracing_gen_ctx(), current_stable->pid);
	for (unsigned i = 0; i < nr; i++)
		record.head[i] = head[i];
	perf_hit_with_record(&hit, &record, (u32)(sizeof(record.ent) + nr * sizeof(*head)));
}

int perf_kprobe_count(struct kprobe *p, struct pt_regs *regs)
{
	unsigned long ip = regs->ip - 1;

	hit(to_perf_probe(p), PERF_MODE_KERNEL, &ip, 1, regs);
	return 0;
}

int perf_kretprobe_count(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	unsigned long head[2];

	if (!rp)
		return 0;
	head[0] = rp->kp.addr;
	head[1] = get_kretprobe_retaddr(ri);
	hit(to_perf_probe(&rp->kp), PERF_MODE_KERNEL, head, 2, regs);
	return 0;
}

static void uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	struct perf_probe *probe = container_of(consumer, struct perf_probe, consumer);
	unsigned long ip = regs->ip;

	preempt_disable();
	if (perf_program_passes(&probe->program, regs))
		hit(probe, PERF_MODE_USER, &ip, 1, regs);
	preempt_enable();
}

static void uretprobe_hit(struct uprobe_consumer *consumer, unsigned long func,
			  struct pt_regs *regs)
{
	struct perf_probe *probe = container_of(consumer, struct perf_probe, consumer);
	const unsigned long head[] = { func, regs->ip };

	preempt_disable();
	if (perf_program_passes(&probe->program, regs))
		hit(probe, PERF_MODE_USER, head, 2, regs);
	preempt_enable();
}

/* ---- what both have. Task context ---- */

static int probe_set_filter(struct perf_event *event, const char *text)
{
	const struct trace_event_call call = {
		.event.fields = trace_probe_head_fields(event->probe->is_return),
	};
	struct event_filter *filter;
	int error = -EEXIST;

	mutex_lock(&event_mutex);
	if (!event->filter)
		error = event_filter_create(NULL, &call, text, &filter);
	if (!error) {
		rcu_assign_pointer(event->filter, filter);
		smp_store_release(&event->needs_record, true);
	}
	mutex_unlock(&event_mutex);
	return error;
}

/* Makes the event's probe, which `begin` fills in and registers. 0 or an errno. */
static int make_probe(struct perf_event *event,
		      int (*begin)(struct perf_probe *probe, const struct perf_event_attr *attr))
{
	struct perf_probe *probe;
	int error;

	if (!perfmon_capable())
		return -EACCES;
	probe = kzalloc(sizeof(*probe), GFP_KERNEL);
	if (!probe)
		return -ENOMEM;
	probe->is_return = event->attr->config & 1;
	error = begin(probe, event->attr);
	if (error) {
		kfree(probe);
		return error;
	}
	event->probe = probe;
	event->source = probe;
	if (event->attr->sample_period && (event->attr->sample_type & PERF_SAMPLE_RAW))
		event->needs_record = true;
	return 0;
}

/* ---- kprobe ---- */

static int copy_function(struct perf_probe *probe, u64 from)
{
	long length;

	if (!from)
		return 0;
	length = strncpy_from_user(probe->name, (const char __user *)from, KSYM_NAME_LEN);
	return length == KSYM_NAME_LEN ? -E2BIG : min((int)length, 0);
}

static int register_probe(struct perf_probe *probe, bool args_only)
{
	probe->rp.args_only = probe->rp.kp.args_only = args_only;
	return probe->is_return ? register_kretprobe(&probe->rp) : register_kprobe(&probe->rp.kp);
}

static void unregister(struct perf_probe *probe)
{
	if (probe->is_return)
		unregister_kretprobe(&probe->rp);
	else
		unregister_kprobe(&probe->rp.kp);
}

/*
 * A hit that has begun may still be in the handler of a program that goes. So the program stays in
 * its place, but no hit that begins reads it there.
 */
static void set_handlers(struct perf_probe *probe, struct perf_program *program)
{
	if (program)
		rcu_assign_pointer(probe->program, program);
	smp_store_release(&probe->rp.kp.pre_handler, program ? program->kprobe : perf_kprobe_count);
	smp_store_release(&probe->rp.handler, program ? program->kretprobe : perf_kretprobe_count);
}

static bool samples_tell_registers(const struct perf_event_attr *attr)
{
	return attr->sample_period &&
	       (attr->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_INTR));
}

static int begin_kprobe(struct perf_probe *probe, const struct perf_event_attr *attr)
{
	struct kprobe *kp = &probe->rp.kp;
	int error = copy_function(probe, attr->config1);

	if (error)
		return error;
	if (probe->name[0] && attr->config2 >> 32)
		return -EINVAL;
	if (probe->name[0]) {
		kp->symbol_name = probe->name;
		kp->offset = (unsigned)attr->config2;
	} else {
		kp->addr = attr->config2;
	}
	set_handlers(probe, NULL);
	return register_probe(probe, !samples_tell_registers(attr));
}

static int kprobe_init(struct perf_event *event)
{
	int error = make_probe(event, begin_kprobe);

	if (!error && event->attr->exclude_kernel)
		event->source = NULL;
	return error;
}

static void kprobe_destroy(struct perf_event *event)
{
	struct perf_probe *probe = event->probe;

	unregister(probe);
	kfree(probe);
}

static int kprobe_set_program(struct perf_event *event, struct perf_program *program)
{
	struct perf_probe *probe = event->probe;
	int error = 0;

	if (program && !program->args_only && probe->rp.args_only) {
		unregister(probe);
		if (probe->name[0])
			probe->rp.kp.addr = 0;
		error = register_probe(probe, false);
	}
	if (error)
		return error;
	set_handlers(probe, program);
	return 0;
}

static void kprobe_place(const struct perf_event *event, struct perf_program_place *place)
{
	const struct perf_probe *probe = event->probe;

	place->is_return = probe->is_return;
	place->name = probe->name[0] ? probe->name : NULL;
	place->offset = probe->rp.kp.offset;
	place->addr = probe->rp.kp.addr;
}

static const struct pmu kprobe PERF_PMU(kprobe) = {
	.name = "kprobe",
	.type = PERF_TYPE_KPROBE,
	.format = { { "retprobe", "config:0" } },
	.event_init = kprobe_init,
	.destroy = kprobe_destroy,
	.set_filter = probe_set_filter,
	.set_program = kprobe_set_program,
	.program_kind = PERF_PROGRAM_KPROBE,
	.program_place = kprobe_place,
};

/* ---- uprobe ---- */

static int find_file(struct perf_probe *probe, u64 from)
{
	char *name;
	long length;
	int error;

	if (!from)
		return -EINVAL;
	name = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	length = strncpy_from_user(name, (const char __user *)from, PATH_MAX);
	if (length <= 0)
		error = length ? -EFAULT : -EINVAL;
	else
		error = length == PATH_MAX ? -E2BIG : kern_path(name, LOOKUP_FOLLOW, &probe->path);
	if (error)
		kfree(name);
	else
		probe->path_name = name;
	return error;
}

static void put_file(struct perf_probe *probe)
{
	path_put(&probe->path);
	kfree(probe->path_name);
}

static int begin_uprobe(struct perf_probe *probe, const struct perf_event_attr *attr)
{
	int error = find_file(probe, attr->config1);
	struct inode *inode;

	if (error)
		return error;
	inode = probe->path.dentry->d_inode;
	if (probe->is_return)
		probe->consumer.ret_handler = uretprobe_hit;
	else
		probe->consumer.handler = uprobe_hit;
	error = S_ISREG(inode->i_mode)
			? uprobe_register_refctr(inode, (loff_t)attr->config2,
						 (loff_t)(attr->config >> 32), &probe->consumer)
			: -EINVAL;
	if (error)
		put_file(probe);
	return error;
}

static int uprobe_init(struct perf_event *event)
{
	return make_probe(event, begin_uprobe);
}

static void uprobe_destroy(struct perf_event *event)
{
	struct perf_probe *probe = event->probe;

	uprobe_unregister(probe->path.dentry->d_inode, (loff_t)event->attr->config2,
			  &probe->consumer);
	put_file(probe);
	kfree(probe);
}

static int uprobe_set_program(struct perf_event *event, struct perf_program *program)
{
	rcu_assign_pointer(event->probe->program, program);
	return 0;
}

static void uprobe_place(const struct perf_event *event, struct perf_program_place *place)
{
	place->is_return = event->probe->is_return;
	place->name = event->probe->path_name;
	place->offset = event->attr->config2;
}

static const struct pmu uprobe PERF_PMU(uprobe) = {
	.name = "uprobe",
	.type = PERF_TYPE_UPROBE,
	.format = { { "ref_ctr_offset", "config:32-63" }, { "retprobe", "config:0" } },
	.event_init = uprobe_init,
	.destroy = uprobe_destroy,
	.set_filter = probe_set_filter,
	.set_program = uprobe_set_program,
	.program_kind = PERF_PROGRAM_UPROBE,
	.program_place = uprobe_place,
};
