/*
 * Whether runs of programs are counted and timed: while sysctl kernel.bpf_stats_enabled is 1, or a
 * descriptor of BPF_ENABLE_STATS is open.
 */
#include "fs/file/file.h"
#include "fs/proc/proc_fs.h"
#include "kernel/jump_label.h"
#include "kernel/sched/mutex.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/syscall/command.h"

#define BPF_STATS_RUN_TIME 0
#define USERS_MAX          (0x7fffffff / 2)

static DEFINE_MUTEX(stats_mutex);
static int users;  /* [stats_mutex] */
static int sysctl; /* [stats_mutex] */

/* stats_mutex held. */
static void add_users(int n)
{
	users += n;
	if (n > 0)
		(void)static_branch_inc(&bpf_stats_enabled_key);
	else
		(void)static_branch_dec(&bpf_stats_enabled_key);
}

static int stats_release(struct inode *inode __unused, struct file *file __unused)
{
	mutex_lock(&stats_mutex);
	add_users(-1);
	mutex_unlock(&stats_mutex);
	return 0;
}

static const struct file_operations stats_fops = { .release = stats_release };

static long enable_stats(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			 u32 size __unused)
{
	int fd = -EBUSY;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (attr->enable_stats.type != BPF_STATS_RUN_TIME)
		return -EINVAL;
	mutex_lock(&stats_mutex);
	if (users < USERS_MAX)
		fd = anon_inode_getfd("bpf-stats", &stats_fops, NULL, O_CLOEXEC);
	if (fd >= 0)
		add_users(1);
	mutex_unlock(&stats_mutex);
	return fd;
}
static const struct bpf_command enable_stats_command BPF_COMMAND(enable_stats) = {
	BPF_ENABLE_STATS, BPF_ATTR_END(enable_stats.type), enable_stats
};

static int stats_handler(const struct ctl_table *table __unused, bool write, char *buf, size_t size)
{
	int value, error;
	struct ctl_table local = { .data = &value, .maxlen = sizeof(value), .most = 1 };

	if (write && !capable(CAP_SYS_ADMIN))
		return -EPERM;
	mutex_lock(&stats_mutex);
	value = sysctl;
	error = proc_dointvec_positive(&local, write, buf, size);
	if (!error && write && value != sysctl) {
		add_users(value ? 1 : -1);
		sysctl = value;
	}
	mutex_unlock(&stats_mutex);
	return error;
}
SYSCTL(bpf_stats, "kernel", "bpf_stats_enabled", 0644, stats_handler);
