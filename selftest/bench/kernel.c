/*
 * Benchmarks of the kernel: the files in /sys/kernel/debug/bench.
 * Reading a file makes the measurement. They count TSC ticks. Under QEMU's -icount shift=0 one tick
 * is one instruction, and the figures are exact (tests/bench/bench.py).
 */
#include "arch/time/clock.h"
#include "fs/debug/debugfs.h"
#include "fs/vfs/seq_file.h"
#include "fs/vfs/syscalls.h"
#include "kernel/init.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "selftest/lib/kernel_task.h"

#define WARM_UP          1000
#define PIPE_ROUNDS      20000
#define KMALLOC_ROUNDS   100000
#define CALL_ROUNDS      20000
#define KMALLOC_SIZE     64
#define SWITCHES_A_ROUND 2

static void show_figure(struct seq_file *m, u64 ticks, unsigned count)
{
	seq_printf(m, "%llu ticks, %u times, %llu each\n", (unsigned long long)ticks, count,
		   (unsigned long long)(ticks / count));
}

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

/* The cost of kmalloc() and kfree() of one object, which stays on this CPU. */
static int kmalloc_show(struct seq_file *m, void *unused __unused)
{
	u64 start = 0;

	for (unsigned i = 0; i < WARM_UP + KMALLOC_ROUNDS; i++) {
		void *object;

		if (i == WARM_UP)
			start = arch_cycles();
		object = kmalloc(KMALLOC_SIZE, GFP_KERNEL);
		if (!object)
			return -ENOMEM;
		kfree(object);
	}
	show_figure(m, arch_cycles() - start, KMALLOC_ROUNDS);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kmalloc);

void bench_call(unsigned number);

/* Does nothing. A benchmark traces it by this name. */
noinline void bench_call(unsigned number)
{
	(void)number;
	barrier();
}

/* The cost of a function call with its loop. With tracing on, the difference is the cost of
 * tracing. */
static int call_show(struct seq_file *m, void *unused __unused)
{
	u64 start = 0;

	for (unsigned i = 0; i < WARM_UP + CALL_ROUNDS; i++) {
		if (i == WARM_UP)
			start = arch_cycles();
		bench_call(i);
	}
	show_figure(m, arch_cycles() - start, CALL_ROUNDS);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(call);

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

static int __init bench_init(void)
{
	struct dentry *dir = debugfs_create_dir("bench", NULL);

	debugfs_create_file("pipe", 0444, dir, NULL, &pipe_fops);
	debugfs_create_file("call", 0444, dir, NULL, &call_fops);
	debugfs_create_file("syscall", 0444, dir, NULL, &syscall_fops);
	debugfs_create_file("kmalloc", 0444, dir, NULL, &kmalloc_fops);
	return IS_ERR(dir) ? (int)PTR_ERR(dir) : 0;
}
device_initcall(bench_init);
