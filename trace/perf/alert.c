/*
 * What a sample does beside its record: SIGIO to the owner of the descriptor, SIGTRAP to the task
 * of the event (attr.sigtrap), and the end of PERF_EVENT_IOC_REFRESH.
 *
 * A hit may be in an NMI, or hold the lock of a run queue. So it only notes what is to be done
 * (event->alerts), and asks a task to do it:
 *
 *	event of a task		that task, on its way to user mode
 *	event of a CPU, or of	a kworker. The hit puts the event in a list and queues an
 *	a kernel task		irq_work, which wakes the kworker
 *
 * An event is asked for again only after the task has begun: so hits that the signal itself causes
 * cannot keep a CPU busy. While the signal is sent, hits of this CPU are only counted.
 */
#include "trace/perf/internal.h"

#include "arch/cpu/ptrace.h"
#include "kernel/preempt.h"
#include "kernel/sched/fasync.h"
#include "kernel/signal/siginfo.h"
#include "kernel/signal/signal.h"
#include "kernel/workqueue/workqueue.h"
#include "trace/perf/sample.h"
#include "trace/perf/wakeup.h"

/* perf_event.alerts */
#define ALERT_ASKED   0x01 /* a task will do it, and has a reference to the event */
#define ALERT_IN      0x02 /* SIGIO: a sample */
#define ALERT_HUP     0x04 /* SIGIO: the last sample of REFRESH */
#define ALERT_OFF     0x08 /* the limit is used up: the event is to be turned off */
#define ALERT_SIGTRAP 0x10

static u32 alerts_add(struct perf_event *event, u32 what)
{
	return __atomic_fetch_or(&event->alerts, what, __ATOMIC_SEQ_CST);
}

/* ---- in a task ---- */

/* M held. */
static void turn_off(struct perf_event *event)
{
	if (!(READ_ONCE(event->alerts) & ALERT_OFF))
		return;
	perf_event_set(event, false);
	perf_forget_limit(event);
}

/*
 * The signal goes to the task of the event only. A program that has begun since is not meant: such
 * an event ends at exec. A blocked or ignored signal stays so.
 */
static void send_sigtrap(const struct perf_event *event)
{
	struct siginfo info;

	if (READ_ONCE(event->state) == PERF_EXIT || (current->flags & PF_EXITING))
		return;
	init_siginfo(&info, SIGTRAP, TRAP_PERF);
	info.si_addr = READ_ONCE(event->alert_addr);
	info.si_perf_data = READ_ONCE(perf_const_original(event)->sig_data);
	info.si_perf_type = event->attr->type;
	if (current->blocked & SIG_BIT(SIGTRAP))
		info.si_perf_flags = TRAP_PERF_FLAG_ASYNC;
	(void)do_send_sig_info(&info, current, PIDTYPE_PID);
}

static void send_signals(struct perf_event *event, u32 what, bool in_its_task)
{
	preempt_disable();
	if (perf_recursion_enter(0)) {
		if ((what & ALERT_SIGTRAP) && in_its_task)
			send_sigtrap(event);
		if (what & (ALERT_IN | ALERT_HUP))
			kill_fasync(&perf_original(event)->fasync, SIGIO,
				    what & ALERT_HUP ? POLL_HUP : POLL_IN);
		perf_recursion_exit(0);
	}
	preempt_enable();
}

/* No lock held. Drops the reference that perf_alert() has taken. */
static void do_alerts(struct perf_event *event, bool in_its_task)
{
	u32 what;

	do {
		if (READ_ONCE(event->alerts) & ALERT_OFF) {
			mutex_lock(&perf_mutex);
			turn_off(event);
			mutex_unlock(&perf_mutex);
		}
		what = READ_ONCE(event->alerts);
	} while ((what & ALERT_OFF) || cmpxchg(&event->alerts, what, 0) != what);
	/* The event may be asked for again from here on. */
	send_signals(event, what, in_its_task);
	perf_event_put(event);
}

static void alert_in_task(struct callback_head *work)
{
	do_alerts(container_of(work, struct perf_event, alert_work), true);
}

/* ---- in a kworker ---- */

static struct callback_head *for_worker; /* [A] alert_work of events, newest first */

static void alert_in_worker(struct work_struct *unused __unused)
{
	struct callback_head *work = xchg(&for_worker, NULL), *next;

	for (; work; work = next) {
		next = work->next;
		do_alerts(container_of(work, struct perf_event, alert_work), false);
	}
}
static DECLARE_WORK(alert_worker, alert_in_worker);

static void wake_worker(struct irq_work *unused __unused)
{
	schedule_work(&alert_worker);
}
static struct irq_work alert_irq_work = { .func = wake_worker };

/* ---- at the hit ---- */

static void ask_worker(struct perf_event *event)
{
	struct callback_head *head, *work = &event->alert_work;

	do {
		head = READ_ONCE(for_worker);
		work->next = head;
	} while (cmpxchg(&for_worker, head, work) != head);
	irq_work_queue(&alert_irq_work);
}

/*
 * The task of the context is current, or gets this CPU now (switch.c): so it comes to its works
 * without a kick.
 */
static bool ask_task(struct perf_event *event)
{
	const struct perf_context *ctx = rcu_dereference(event->ctx);
	struct task_struct *task = ctx ? ctx->task : NULL;

	return task && !(READ_ONCE(task->flags) & PF_KTHREAD) &&
	       !task_work_add(task, &event->alert_work);
}

static void ask(struct perf_event *event, u32 what)
{
	if (alerts_add(event, what | ALERT_ASKED) & ALERT_ASKED)
		return;
	if (!atomic_inc_not_zero(&event->refs))
		return; /* it goes */
	event->alert_work.func = alert_in_task;
	if (!ask_task(event))
		ask_worker(event);
}

/* Counts the sample. True: it is the last one that REFRESH allows. */
static bool limit_is_reached(struct perf_event *event)
{
	int limit;

	do {
		limit = READ_ONCE(event->limit);
		if (!limit)
			return false;
	} while (cmpxchg(&event->limit, limit, limit - 1) != limit);
	return limit == 1;
}

void perf_alert(struct perf_event *event, const struct perf_sample_data *data)
{
	u32 what = READ_ONCE(perf_original(event)->fasync) ? ALERT_IN : 0;

	if (event->attr->sigtrap) {
		bool shown = (data->mode & PERF_MODE_USER) || perf_shows_kernel(event, data);

		WRITE_ONCE(event->alert_addr, shown ? data->addr : 0);
		what |= ALERT_SIGTRAP;
	}
	if (limit_is_reached(event)) {
		/* No hit counts any more, although the event is off only a little later. */
		WRITE_ONCE(event->exclude, PERF_MODE_ALL);
		what |= ALERT_HUP | ALERT_OFF;
	}
	if (what)
		ask(event, what);
}

/* ---- what a program asks for ---- */

void perf_alert_begin(struct perf_event *event)
{
	struct perf_event *child;

	WRITE_ONCE(event->after, event->after | PERF_AFTER_ALERT);
	list_for_each_entry (child, &event->children, child_node)
		WRITE_ONCE(child->after, child->after | PERF_AFTER_ALERT);
}

void perf_forget_limit(struct perf_event *event)
{
	__atomic_fetch_and(&event->alerts, ~ALERT_OFF, __ATOMIC_SEQ_CST);
	WRITE_ONCE(event->exclude, event->asked_exclude);
}

void perf_refresh(struct perf_event *event, int n)
{
	int limit, more;

	perf_alert_begin(event);
	do {
		limit = READ_ONCE(event->limit);
		if (__builtin_add_overflow(limit, n, &more))
			more = n < 0 ? 0 : __INT_MAX__;
	} while (cmpxchg(&event->limit, limit, max(more, 0)) != limit);
	perf_forget_limit(event);
	perf_event_set(event, true);
}
