/*
 * Programs on perf events: PERF_EVENT_IOC_SET_BPF and links. trace/perf/program.h tells when they
 * run. A program's type decides on which events it may be:
 *
 *	KPROBE		kprobe, uprobe. Context: the registers.
 *	TRACEPOINT	tracepoint. Context: the record; its first 8 bytes, which the program
 *			cannot read, lead to registers, for helpers.
 *	PERF_EVENT	other events. Context: the registers, the period, and an address.
 */
#include "arch/cpu/ptrace.h"
#include "arch/mm/uaccess.h"
#include "arch/unwind/perf_regs.h"
#include "arch/unwind/regs.h"
#include "fs/file/file.h"
#include "fs/vfs/fs.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "trace/bpf/attach/link.h"
#include "trace/bpf/attach/run.h"
#include "trace/perf/perf_event.h"
#include "trace/perf/probe.h"
#include "trace/perf/program.h"

/* A program on an event. Constant. */
struct bpf_perf_program {
	struct perf_program program;
	struct bpf_prog *prog;  /* counted */
	struct bpf_run_ctx ctx; /* without an event. func_ip: of a function's entry or return */
};

/* ---- hits. Any context, preemption off ---- */

static __always_inline const struct bpf_perf_program *to_attached(struct perf_program *program)
{
	return container_of(program, struct bpf_perf_program, program);
}

/* context: the registers of a probe, or the record of a tracepoint. */
static __always_inline u32 run(struct perf_program *program, void *context)
{
	const struct bpf_perf_program *attached = to_attached(program);

	return bpf_event_run(attached->prog, &attached->ctx, context);
}

static u32 run_hit(struct perf_program *program, void *context)
{
	return run(program, context);
}

/* The same as the handlers of a kprobe. */
static int kprobe_hit(struct kprobe *p, struct pt_regs *regs)
{
	return unlikely(run(perf_kprobe_program(p), regs)) ? perf_kprobe_count(p, regs) : 0;
}

static int kretprobe_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct perf_program *program = perf_kretprobe_program(ri);

	if (unlikely(!program) || unlikely(run(program, regs)))
		return perf_kretprobe_count(ri, regs);
	return 0;
}

const struct pt_regs *bpf_record_regs(void *record)
{
	struct perf_program_hit *hit = *(struct perf_program_hit **)record;

	if (hit->complete)
		hit->complete(hit);
	return hit->regs;
}

/* regs: room, for a hit of which only the place is known. */
static const struct pt_regs *find_regs(const struct perf_program_hit *hit, struct pt_regs *regs)
{
	if (hit->regs)
		return hit->regs;
	perf_fetch_caller_regs(regs, hit->ip, hit->frame);
	regs->bp = hit->frame;
	return regs;
}

static u32 run_sample(struct perf_program *program, void *context)
{
	const struct bpf_perf_program *attached = to_attached(program);
	const struct perf_program_hit *hit = context;
	const struct bpf_run_ctx ctx = { .cookie = attached->ctx.cookie, .event = hit->event };
	struct pt_regs regs;
	struct {
		struct pt_regs regs;
		u64 sample_period, addr;
	} data = {
		.regs = *find_regs(hit, &regs),
		.sample_period = hit->period,
		.addr = hit->addr,
	};

	return bpf_event_run(attached->prog, &ctx, &data);
}

/* ---- attaching. Task context ---- */

static void free_program(struct perf_program *program)
{
	struct bpf_perf_program *attached = container_of(program, struct bpf_perf_program, program);

	bpf_prog_put(attached->prog);
	kfree(attached);
}

static int check(const struct bpf_prog *prog, struct perf_event *event)
{
	enum perf_program_kind kind = perf_program_kind(event);

	switch (kind) {
	case PERF_PROGRAM_KPROBE:
	case PERF_PROGRAM_UPROBE:
		if (prog->type != BPF_PROG_TYPE_KPROBE || prog->sleepable)
			return -EINVAL;
		return prog->overrides_return ? -EINVAL : 0;
	case PERF_PROGRAM_TRACEPOINT:
		if (prog->type != BPF_PROG_TYPE_TRACEPOINT)
			return -EINVAL;
		return prog->max_ctx_offset > perf_program_record_size(event) ? -EACCES : 0;
	case PERF_PROGRAM_SAMPLE:
		return prog->type == BPF_PROG_TYPE_PERF_EVENT ? 0 : -EINVAL;
	default:
		return -EINVAL;
	}
}

/* Whether the program reads only registers that a kprobe, or a return probe, has in any case. */
static bool reads_few_registers(const struct bpf_prog *prog, bool is_return)
{
	for (u32 i = 0; i < 32; i++) {
		int off = (int)(i * sizeof(u64));

		if (!(prog->ctx_words & (1U << i)) || off == (int)offsetof(struct pt_regs, ip) ||
		    off == (int)offsetof(struct pt_regs, sp))
			continue;
		if (is_return ? off != REGS_RESULT_OFFSET : !regs_is_argument(off))
			return false;
	}
	return true;
}

/* Takes over the reference to prog, also if it fails. 0 or an errno. */
static int attach(struct perf_event *event, struct bpf_prog *prog, u64 cookie)
{
	struct bpf_perf_program *attached;
	struct perf_program_place place;
	int error = check(prog, event);

	attached = error ? NULL : kzalloc(sizeof(*attached), GFP_KERNEL);
	if (!attached) {
		bpf_prog_put(prog);
		return error ? error : -ENOMEM;
	}
	perf_program_place(event, &place);
	attached->prog = prog;
	attached->ctx.cookie = cookie;
	attached->ctx.func_ip = place.offset ? 0 : place.addr;
	attached->program.free = free_program;
	attached->program.args_only = reads_few_registers(prog, place.is_return);
	attached->program.reads_record = prog->ctx_words;
	attached->program.kprobe = kprobe_hit;
	attached->program.kretprobe = kretprobe_hit;
	attached->program.run = prog->type == BPF_PROG_TYPE_PERF_EVENT ? run_sample : run_hit;
	error = perf_program_set(event, &attached->program);
	if (error)
		free_program(&attached->program);
	return error;
}

/* ---- what perf's descriptors ask ---- */

static int set(struct perf_event *event, int fd)
{
	struct bpf_prog *prog = bpf_prog_get_fd(fd);

	return IS_ERR(prog) ? (int)PTR_ERR(prog) : attach(event, prog, 0);
}

struct ids {
	u32 nr, list[PERF_PROGRAMS_MAX];
};

static void add_id(struct perf_program *program, void *data)
{
	struct ids *ids = data;

	ids->list[ids->nr++] = container_of(program, struct bpf_perf_program, program)->prog->id;
}

static int query(struct perf_event *event, struct perf_event_query_bpf __user *arg, u32 room)
{
	struct ids ids = { .nr = 0 };
	size_t size;

	perf_program_for_each(event, add_id, &ids);
	size = min(room, ids.nr) * sizeof(u32);
	if (put_user(ids.nr, &arg->prog_cnt) || copy_to_user(arg->ids, ids.list, size))
		return -EFAULT;
	return room && room < ids.nr ? -ENOSPC : 0;
}

static const struct perf_program_ops ops = { set, query };

static int __init bpf_perf_init(void)
{
	perf_program_ops = &ops;
	return 0;
}
early_initcall(bpf_perf_init);

/* ---- links ---- */

struct bpf_perf_link {
	struct bpf_link link;
	struct file *file; /* of the event; counted */
};

static void release_link(struct bpf_link *link)
{
	struct bpf_perf_link *perf = container_of(link, struct bpf_perf_link, link);

	perf_program_clear(perf_file_event(perf->file));
	fput(perf->file);
}

static void free_link(struct bpf_link *link)
{
	kfree(container_of(link, struct bpf_perf_link, link));
}

static const struct bpf_link_ops perf_link_ops = {
	.type = BPF_LINK_TYPE_PERF_EVENT,
	.name = "perf",
	.release = release_link,
	.free = free_link,
};

/* The open event of a descriptor, counted; or an ERR_PTR. */
static struct file *get_event_file(u32 fd)
{
	struct file *file = fget(fd);

	if (!file || perf_file_event(file))
		return file ? file : ERR_PTR(-EBADF);
	fput(file);
	return ERR_PTR(-EBADF);
}

/* Takes over prog and file, also if it fails. */
static int make_link(struct file *file, struct bpf_prog *prog, u64 cookie)
{
	struct bpf_perf_link *perf = kzalloc(sizeof(*perf), GFP_KERNEL);
	int error = -ENOMEM;

	if (perf) {
		bpf_prog_get(prog); /* for the event */
		error = attach(perf_file_event(file), prog, cookie);
	}
	if (error) {
		bpf_prog_put(prog);
		fput(file);
		kfree(perf);
		return error;
	}
	perf->file = file;
	bpf_link_init(&perf->link, &perf_link_ops, prog);
	return bpf_link_publish(&perf->link);
}

int bpf_perf_link_attach(const union bpf_attr *attr, struct bpf_prog *prog)
{
	struct file *file = attr->link_create.flags ? ERR_PTR(-EINVAL)
						    : get_event_file(attr->link_create.target_fd);

	if (!IS_ERR(file))
		return make_link(file, prog, attr->link_create.perf_event.bpf_cookie);
	bpf_prog_put(prog);
	return (int)PTR_ERR(file);
}

/* ---- for BPF_TASK_FD_QUERY ---- */

static void take_prog(struct perf_program *program, void *data)
{
	struct bpf_prog **prog = data;

	*prog = container_of(program, struct bpf_perf_program, program)->prog;
	bpf_prog_get(*prog);
}

struct bpf_prog *bpf_perf_event_prog(struct perf_event *event)
{
	struct bpf_prog *prog = NULL;

	perf_program_call(event, take_prog, &prog);
	return prog;
}
