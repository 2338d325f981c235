/* The first task, which the boot becomes, with the structs that it shares with kernel tasks. */
#include "kernel/task/cred.h"
#include "kernel/task/signal_struct.h"
#include "kernel/sched/livepatch.h"
#include "kernel/sched/sched.h"

extern char boot_stack[]; /* boot/entry.asm: THREAD_SIZE bytes */

static struct group_info init_groups = { .usage = ATOMIC_INIT(1) };

struct cred init_cred = {
	.usage = ATOMIC_INIT(2), /* init_task.cred, init_task.real_cred: never 0 */
	.cap_permitted = CAP_FULL_SET,
	.cap_effective = CAP_FULL_SET,
	.cap_bset = CAP_FULL_SET,
	.user = &root_user,
	.group_info = &init_groups,
};

#define LIMITS(soft, hard)                                                                         \
	{                                                                                          \
		soft, hard                                                                         \
	}

struct signal_struct init_signals = {
	.sigcnt = ATOMIC_INIT(1),
	.live = ATOMIC_INIT(1),
	.nr_threads = 1,
	.thread_head = { &init_task.thread_node, &init_task.thread_node },
	.wait_chldexit = __WAIT_QUEUE_HEAD_INITIALIZER(init_signals.wait_chldexit),
	.shared_pending = { LIST_HEAD_INIT(init_signals.shared_pending.list), 0 },
	.posix_timers = LIST_HEAD_INIT(init_signals.posix_timers),
	.pids = { NULL, &init_struct_pid, &init_struct_pid, &init_struct_pid },
	.rlim = {
		[RLIMIT_CPU] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_FSIZE] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_DATA] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_STACK] = LIMITS(8UL << 20, RLIM_INFINITY),
		[RLIMIT_CORE] = LIMITS(0, RLIM_INFINITY),
		[RLIMIT_RSS] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_NPROC] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_SIGPENDING] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_NOFILE] = LIMITS(1024, 4096),
		[RLIMIT_MEMLOCK] = LIMITS(8UL << 20, 8UL << 20),
		[RLIMIT_AS] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_LOCKS] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
		[RLIMIT_MSGQUEUE] = LIMITS(819200, 819200),
		[RLIMIT_RTTIME] = LIMITS(RLIM_INFINITY, RLIM_INFINITY),
	},
};

struct sighand_struct init_sighand = {
	.count = ATOMIC_INIT(1),
	.siglock = __SPINLOCK_INIT(init_sighand.siglock),
	.signalfd_wqh = __WAIT_QUEUE_HEAD_INITIALIZER(init_sighand.signalfd_wqh),
};

struct task_struct init_task = {
	.stack = boot_stack,
	.flags = PF_KTHREAD | PF_IDLE,
	.timer_slack_ns = 50000,
	.default_timer_slack_ns = 50000,
	.usage = ATOMIC_INIT(1),
	.patch_state = KLP_UNDEFINED,
	.comm = "swapper/0",
	.lock = __SPINLOCK_INIT(init_task.lock),
	.on_rq = 1,
	.on_cpu = 1,
	.nr_cpus_allowed = 1,
	.cpus_allowed = { { 1 } },
	.group_leader = &init_task,
	.thread_node = { &init_signals.thread_head, &init_signals.thread_head },
	.signal = &init_signals,
	.sighand = &init_sighand,
	.cred = &init_cred,
	.real_cred = &init_cred,
	.children = LIST_HEAD_INIT(init_task.children),
	.sibling = LIST_HEAD_INIT(init_task.sibling),
	.tasks = LIST_HEAD_INIT(init_task.tasks),
	.pending = { .list = LIST_HEAD_INIT(init_task.pending.list) },
	.thread_pid = &init_struct_pid,
	.pid_links = {
		LIST_HEAD_INIT(init_task.pid_links[0]),
		LIST_HEAD_INIT(init_task.pid_links[1]),
		LIST_HEAD_INIT(init_task.pid_links[2]),
		LIST_HEAD_INIT(init_task.pid_links[3]),
	},
};
