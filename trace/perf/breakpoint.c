/*
 * The PMU `breakpoint`: instructions and data that a debug register watches.
 *
 * A register is reserved while the event is in a context, and loaded while the event is started.
 */
#include "trace/perf/internal.h"

#include "arch/cpu/ptrace.h"
#include "arch/mm/uaccess.h"
#include "kernel/hw_breakpoint.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/task/capability.h"
#include "kernel/task/cred.h"

struct perf_breakpoint {
	struct hw_breakpoint hw;
	struct perf_event *event;
};

/* ---- what a program asks for ---- */

/* DEBUGREG_LEN_* for 1, 2, 4 and 8 bytes. */
static const u8 length_codes[9] = {
	[1] = DEBUGREG_LEN_1, [2] = DEBUGREG_LEN_2, [4] = DEBUGREG_LEN_4, [8] = DEBUGREG_LEN_8
};

/* A range longer than a word is one of AMD's, which are not supported. */
static int parse_data(const struct perf_event_attr *attr, struct debugreg *reg)
{
	u64 len = attr->bp_len;

	if (!len || (len & (len - 1)) || (attr->bp_addr & (len - 1)))
		return -EINVAL;
	if (len > sizeof(long))
		return -EOPNOTSUPP;
	reg->len = length_codes[len];
	return 0;
}

static int parse(const struct perf_event_attr *attr, struct debugreg *reg)
{
	*reg = (struct debugreg){ .address = attr->bp_addr };
	switch (attr->bp_type) {
	case HW_BREAKPOINT_W:
		reg->type = DEBUGREG_W;
		return parse_data(attr, reg);
	case HW_BREAKPOINT_RW:
		reg->type = DEBUGREG_RW;
		return parse_data(attr, reg);
	case HW_BREAKPOINT_X:
		reg->type = DEBUGREG_X;
		return attr->bp_len == sizeof(long) ? 0 : -EINVAL;
	default: /* x86 cannot watch reads alone */
		return -EINVAL;
	}
}

/* Whether the current task may watch it. An aligned range does not cross the border. */
static int check_place(const struct perf_event_attr *attr, const struct debugreg *reg)
{
	if (reg->address < TASK_SIZE_MAX)
		return 0;
	if (!debugreg_may_watch(reg) || attr->exclude_kernel)
		return -EINVAL;
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static int parse_and_check(const struct perf_event_attr *attr, struct debugreg *reg)
{
	int error = parse(attr, reg);

	return error ? error : check_place(attr, reg);
}

/* ---- hits and loading. Interrupts off ---- */

static bool breakpoint_hit(struct hw_breakpoint *hw, struct pt_regs *regs)
{
	struct perf_breakpoint *bp = container_of(hw, struct perf_breakpoint, hw);
	struct perf_sample_data data = {
		.task = current_stable,
		.mode = (user_mode(regs) ? PERF_MODE_USER : PERF_MODE_KERNEL) |
			(current_stable->pid ? 0 : PERF_MODE_IDLE),
		.ip = regs->ip,
		.addr = hw->reg.address,
		.regs = regs,
	};

	perf_hit(bp->event, &data);
	return true;
}

static void breakpoint_start(struct perf_event *event)
{
	debugreg_start(&event->breakpoint->hw);
}

static void breakpoint_stop(struct perf_event *event)
{
	debugreg_stop(&event->breakpoint->hw);
}

/* ---- struct pmu ---- */

/* Sets event->breakpoint. 0 or -ENOMEM. */
static int make_breakpoint(struct perf_event *event, const struct debugreg *reg)
{
	struct perf_breakpoint *bp = kzalloc(sizeof(*bp), GFP_KERNEL);

	if (!bp)
		return -ENOMEM;
	bp->hw.reg = *reg;
	bp->hw.hit = breakpoint_hit;
	bp->hw.cpu = event->cpu;
	bp->event = event;
	event->breakpoint = bp;
	return 0;
}

static int breakpoint_init(struct perf_event *event)
{
	const struct perf_event_attr *attr = event->attr;
	struct debugreg reg;
	int error;

	error = parse_and_check(attr, &reg);
	if (!error)
		error = make_breakpoint(event, &reg);
	if (error)
		return error;
	event->flags = PERF_ON_CPU;
	event->exclude = (attr->exclude_kernel ? PERF_MODE_KERNEL : 0) |
			 (attr->exclude_user ? PERF_MODE_USER : 0) |
			 (attr->exclude_idle ? PERF_MODE_IDLE : 0);
	return event->of_task ? perf_tap_get(&perf_switch_tap) : 0;
}

static void breakpoint_destroy(struct perf_event *event)
{
	if (event->of_task)
		perf_tap_put(&perf_switch_tap);
}

/* A child watches what its original watches now. Its parent's task has as many registers. */
static int breakpoint_join(struct perf_event *event)
{
	int error = event->parent ? make_breakpoint(event, &event->parent->breakpoint->hw.reg) : 0;

	if (error)
		return error;
	event->breakpoint->hw.task = event->ctx->task;
	return hw_breakpoint_reserve(&event->breakpoint->hw);
}

static void breakpoint_leave(struct perf_event *event)
{
	hw_breakpoint_release(&event->breakpoint->hw);
}

/* Only the place, the kind, `disabled` and sig_data may change. */
static bool is_modified_only(const struct perf_event_attr *old, const struct perf_event_attr *new)
{
	struct perf_event_attr same = *old;

	same.bp_addr = new->bp_addr;
	same.bp_type = new->bp_type;
	same.bp_len = new->bp_len;
	same.disabled = new->disabled;
	same.sig_data = new->sig_data;
	return !memcmp(&same, new, sizeof(same));
}

/* All CPUs have stopped the events when they change. M held. */
static void modify_all(struct perf_event *event, const struct perf_event_attr *attr,
		       const struct debugreg *reg)
{
	struct perf_event *child;

	perf_event_set_all(event, false);
	event->breakpoint->hw.reg = *reg;
	list_for_each_entry (child, &event->children, child_node)
		child->breakpoint->hw.reg = *reg;
	WRITE_ONCE(event->sig_data, attr->sig_data);
	if (!attr->disabled)
		perf_event_set_all(event, true);
}

/* The rights are those of the caller, which may not be the task that has opened the event. */
static int breakpoint_modify(struct perf_event *event, const struct perf_event_attr *attr)
{
	struct debugreg reg;
	int error = parse_and_check(attr, &reg);

	if (error)
		return error;
	if (!is_modified_only(event->attr, attr))
		return -EINVAL;
	mutex_lock(&perf_mutex);
	modify_all(event, attr, &reg);
	mutex_unlock(&perf_mutex);
	return 0;
}

static const struct pmu breakpoint PERF_PMU(breakpoint) = {
	.name = "breakpoint",
	.type = PERF_TYPE_BREAKPOINT,
	.event_init = breakpoint_init,
	.destroy = breakpoint_destroy,
	.join = breakpoint_join,
	.leave = breakpoint_leave,
	.start = breakpoint_start,
	.stop = breakpoint_stop,
	.modify = breakpoint_modify,
};
