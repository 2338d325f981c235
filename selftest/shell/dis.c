/*
 * Self-tests of dis on rare states of a call site: a jmp, and the int3 of a patch that is half
 * done.
 */
#include "arch/text_patch.h"
#include "fs/syscalls.h"
#include "kernel/irq/irq.h"
#include "kernel/lib/vsprintf.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/selftest.h"
#include "selftest/lib/threads.h"
#include "shell/shell.h"

#define INT3 0xcc

/*
 * A task that runs dis when `go` is complete. The task is made before the test blocks a CPU,
 * because its creation may need that CPU.
 */
struct dis {
	int pipe[2];
	struct completion go;
	char text[256];
};

static int run_dis(void *arg)
{
	char *argv[] = { "dis", "ftrace_target_add", NULL };
	struct dis *dis = arg;

	if (sys_dup2(dis->pipe[1], 1) != 1)
		return 1;
	wait_for_completion(&dis->go);
	return run_command(argv);
}

/* Makes the task. Returns its PID, or an error. */
static pid_t start_dis(struct dis *dis)
{
	pid_t pid;

	init_completion(&dis->go);
	if (sys_pipe(dis->pipe))
		return -EMFILE;
	pid = kernel_clone(run_dis, dis, "dis");
	sys_close(dis->pipe[1]);
	return pid;
}

/* Lets dis run, and reads its output to dis->text. */
static void read_dis(struct dis *dis)
{
	ssize_t n;

	complete(&dis->go);
	for (size_t length = 0; length < sizeof(dis->text) - 1; length += (size_t)n) {
		n = sys_read(dis->pipe[0], dis->text + length, sizeof(dis->text) - 1 - length);
		if (n <= 0)
			break;
	}
	sys_close(dis->pipe[0]);
}

static void expect_dis(struct selftest *test, const char *line)
{
	static struct dis dis;
	int sig = 0;
	pid_t pid;

	memset(dis.text, 0, sizeof(dis.text));
	pid = start_dis(&dis);
	ASSERT(pid > 0);
	read_dis(&dis);
	EXPECT_EQ(wait_for_child(pid, &sig), 0);
	if (!strstr(dis.text, line))
		selftest_diag(test, "no '%s' in '%s'", line, dis.text);
	EXPECT(strstr(dis.text, line));
}

static struct text_patch to_jmp(void)
{
	struct text_patch patch = { .addr = (unsigned long)ftrace_target_add };

	memcpy(patch.old, text_nop5, TEXT_PATCH_SIZE);
	text_encode_jmp(patch.new, patch.addr, (unsigned long)ftrace_target_multiply);
	return patch;
}

static struct text_patch undone(struct text_patch patch)
{
	struct text_patch back = { .addr = patch.addr };

	memcpy(back.old, patch.new, TEXT_PATCH_SIZE);
	memcpy(back.new, patch.old, TEXT_PATCH_SIZE);
	return back;
}

/* Tells if functions have call sites: a build with FTRACE=0 has none. */
static bool has_site(void)
{
	return !memcmp((const void *)ftrace_target_add, text_nop5, TEXT_PATCH_SIZE);
}

SELFTEST(dis, a_site_that_jumps_is_shown_with_where_it_jumps)
{
	struct text_patch jmp = to_jmp(), back = undone(jmp);
	char line[64];
	size_t bad;

	if (!has_site())
		return;
	expect_dis(test, "\n  nop\n");
	ASSERT(text_patch_apply(&jmp, 1, &bad) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	snprintf(line, sizeof(line), "\n  jmp %016lx <ftrace_target_multiply>\n",
		 (unsigned long)ftrace_target_multiply);
	expect_dis(test, line);
	ASSERT(text_patch_apply(&back, 1, &bad) == 0);
	expect_dis(test, "\n  nop\n");
}

/* ---- a CPU with interrupts off keeps a patch in its first step ---- */

struct held_patch {
	struct text_patch patch;
	bool held, let_go;
	int error;
};

static void hold_cpu(void *arg, unsigned index __unused)
{
	struct held_patch *h = arg;
	unsigned long flags;

	local_irq_save(flags);
	WRITE_ONCE(h->held, true);
	while (!READ_ONCE(h->let_go))
		cpu_relax();
	local_irq_restore(flags);
}

static void apply(void *arg, unsigned index __unused)
{
	struct held_patch *h = arg;
	size_t bad;

	h->error = text_patch_apply(&h->patch, 1, &bad);
}

static u8 first_byte(unsigned long addr)
{
	return READ_ONCE(*(const u8 *)addr);
}

SELFTEST(dis, a_half_patched_site_is_shown_as_int3)
{
	struct cpumask before = current->cpus_allowed, here = { { 0 } };
	struct held_patch h = { .patch = to_jmp() };
	struct test_group holder, patcher;
	static struct dis dis;
	int sig = 0;
	size_t bad;
	pid_t pid;

	/* One CPU has interrupts off, one patches and waits, and one runs dis. */
	if (!has_site() || num_online_cpus() < 3)
		return;
	cpumask_set_cpu(nth_online_cpu(2), &here);
	ASSERT(set_cpus_allowed(current, &here) == 0);
	pid = start_dis(&dis); /* inherits this task's CPU */
	ASSERT(pid > 0);
	ASSERT(test_group_start(&holder, 1, nth_online_cpu(1), hold_cpu, &h));
	while (!READ_ONCE(h.held))
		yield();
	ASSERT(test_group_start(&patcher, 1, nth_online_cpu(0), apply, &h));
	while (first_byte(h.patch.addr) != INT3)
		yield();
	read_dis(&dis);
	EXPECT_EQ(first_byte(h.patch.addr), INT3);
	WRITE_ONCE(h.let_go, true);
	test_group_wait(&holder);
	test_group_wait(&patcher);
	EXPECT_EQ(wait_for_child(pid, &sig), 0);
	EXPECT_EQ(set_cpus_allowed(current, &before), 0);
	if (!strstr(dis.text, "\n  int3\n"))
		selftest_diag(test, "dis printed '%s'", dis.text);
	EXPECT(strstr(dis.text, "\n  cc 1f 44 00 00 ") && strstr(dis.text, "\n  int3\n"));

	EXPECT_EQ(h.error, 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	h.patch = undone(h.patch);
	EXPECT(text_patch_apply(&h.patch, 1, &bad) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
}
