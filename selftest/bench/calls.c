/* Benchmarks of system calls of kernel tasks: files in /sys/kernel/debug/bench (kernel.c). */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "fs/vfs/syscalls.h"
#include "kernel/init.h"
#include "kernel/sched/sched.h"
#include "selftest/bench/kernel.h"
#include "selftest/lib/kernel_task.h"

#define PIPE_ROUNDS      20000
#define SWITCHES_A_ROUND 2

/*
 * The child answers each byte. One word holds its descriptors: a pointer into the parent's stack
 * could become invalid.
 */
static int ping_pong_child(void *arg)
{
	int from = (int)((unsigned long)arg & 0xffff), to = (int)((unsigned long)arg >> 16);
	char byte;

	for (unsigned i = 0; i < WARM_UP + PIPE_ROUNDS; i++)
		if (sys_read(from, &byte, 1) != 1 || sys_write(to, &byte, 1) != 1)
			return 1;
	return 0;
}

static int ping_pong_rounds(int to, int from, unsigned count)
{
	char byte = 'x';

	for (unsigned i = 0; i < count; i++)
		if (sys_write(to, &byte, 1) != 1 || sys_read(from, &byte, 1) != 1)
			return -EINTR;
	return 0;
}

static int ping_pong(const int there[2], const int back[2], u64 *ticks)
{
	unsigned long childs = (unsigned long)there[0] | (unsigned long)back[1] << 16;
	pid_t child = kernel_thread(ping_pong_child, (void *)childs, "bench");
	u64 start;
	int error;

	if (child < 0)
		return child;
	error = ping_pong_rounds(there[1], back[0], WARM_UP);
	start = arch_cycles();
	if (!error)
		error = ping_pong_rounds(there[1], back[0], PIPE_ROUNDS);
	*ticks = arch_cycles() - start;
	if (error)
		kill_pid(child, SIGKILL);
	kernel_wait4(child, NULL, 0);
	return error;
}

/* Two tasks on one CPU pass a byte back and forth: the cost of a task switch, with the pipes. */
static int pipe_bench(void *seq_file)
{
	struct seq_file *m = seq_file;
	struct cpumask before = current->cpus_allowed, here = { { 0 } };
	int there[2], back[2], error;
	u64 ticks = 0;

	cpumask_set_cpu(current->cpu, &here);
	error = set_cpus_allowed(current, &here);
	if (error)
		return error;
	error = (int)sys_pipe(there);
	if (error)
		goto out_affinity;
	error = (int)sys_pipe(back);
	if (error)
		goto out_there;
	error = ping_pong(there, back, &ticks);
	if (!error)
		show_figure(m, ticks, PIPE_ROUNDS * SWITCHES_A_ROUND);
	sys_close(back[0]);
	sys_close(back[1]);
out_there:
	sys_close(there[0]);
	sys_close(there[1]);
out_affinity:
	set_cpus_allowed(current, &before);
	return error;
}

static int pipe_show(struct seq_file *m, void *unused __unused)
{
	return run_in_kernel_task(pipe_bench, m);
}
DEFINE_SHOW_ATTRIBUTE(pipe);

/* The cost of a system call with an error, of a kernel task. */
static int syscall_show(struct seq_file *m, void *unused __unused)
{
	u64 start = 0;

	for (unsigned i = 0; i < WARM_UP + CALL_ROUNDS; i++) {
		if (i == WARM_UP)
			start = arch_cycles();
		if (sys_close(-1) != -EBADF)
			return -EIO;
	}
	show_figure(m, arch_cycles() - start, CALL_ROUNDS);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(syscall);

static int __init bench_calls_init(void)
{
	debugfs_create_file("pipe", 0444, bench_directory, NULL, &pipe_fops);
	debugfs_create_file("syscall", 0444, bench_directory, NULL, &syscall_fops);
	return 0;
}
late_initcall(bench_calls_init);
