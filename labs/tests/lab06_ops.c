/*
 * What ftrace frees when an ops goes: a log of the calls of trace/ftrace/register.c and ops_hashes.c.
 * sources: trace/ftrace/ops.c trace/ftrace/register.c trace/ftrace/ops_hashes.c trace/ftrace/shutdown.c
 *
 * lab06_ops MODE says what is wrong in one sentence, and ends with status 1; labs/tests/lab06.py names the rules.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/errno.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/rcu/rcu.h"
#include "trace/ftrace/trampoline.h"

static const char *mode, *what;
static unsigned locked, tasks_periods, periods;
static int plan_error, alloc_error, commit_error;
static bool no_trampoline;

/* The one trampoline of a case. */
static struct ftrace_trampoline trampoline;
static bool created, hidden, silenced, freed;
static unsigned hidden_at, tasks_hidden_at; /* periods and tasks_periods when it was hidden */
static unsigned commits_at;                 /* tasks_periods at the last change of sites */

static void broken(const char *format, ...)
{
	va_list args;

	printf("%s: ", what);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	puts("");
	exit(1);
}

void synchronize_rcu_tasks(void)
{
	if (locked)
		broken("a wait for RCU-tasks with ftrace_lock held, so that everybody who wants the lock waits, too");
	tasks_periods++;
	periods++;
}

void synchronize_rcu(void)
{
	if (locked)
		broken("a wait for RCU with ftrace_lock held, so that everybody who wants the lock waits, too");
	periods++;
}

void mutex_lock(struct mutex *m) { (void)m; locked++; }
void mutex_unlock(struct mutex *m) { (void)m; locked--; }

struct ftrace_trampoline *ftrace_trampoline_create(struct ftrace_ops *ops, ftrace_func_t target)
{
	(void)ops, (void)target;
	if (no_trampoline)
		return NULL;
	created = true;
	return &trampoline;
}

int ftrace_trampoline_set_target(struct ftrace_trampoline *tramp, ftrace_func_t target) { (void)tramp, (void)target; return 0; }
void ftrace_trampoline_silence(const struct ftrace_trampoline *tramp) { (void)tramp; silenced = true; }

void ftrace_trampoline_hide(struct ftrace_trampoline *tramp)
{
	(void)tramp;
	hidden = true;
	hidden_at = periods;
	tasks_hidden_at = tasks_periods;
}

static bool was_called; /* sites have called the trampoline */

void ftrace_trampoline_free(struct ftrace_trampoline *tramp)
{
	if (tramp != &trampoline)
		broken("a call of ftrace_trampoline_free() without a trampoline");
	if (freed)
		broken("a trampoline that is freed twice");
	if (silenced)
		broken("a trampoline that is freed although sites still call it");
	if (!hidden || periods == hidden_at)
		broken("a trampoline that is freed without a grace period between ftrace_trampoline_hide() and the free");
	if (was_called && (tasks_periods == tasks_hidden_at || tasks_periods == commits_at))
		broken("a trampoline that is freed without a grace period of RCU-tasks behind the change of its sites: a preempted task may be in it");
	freed = true;
}

int ftrace_change_plan(struct ftrace_change *change) { change->sites = 1; return plan_error; }

int ftrace_change_alloc(unsigned sites, struct text_patch **patches)
{
	(void)sites;
	*patches = NULL;
	return alloc_error;
}

int ftrace_change_commit(const struct ftrace_change *change, struct text_patch *patches)
{
	(void)change, (void)patches;
	commits_at = tasks_periods;
	was_called = true;
	return commit_error;
}

void ftrace_records_restore(void) {}
void vfree(const void *p) { (void)p; }
void preempt_schedule(void) {}
void ftrace_stub(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op, struct ftrace_regs *fregs) { (void)ip, (void)parent_ip, (void)op, (void)fregs; }
bool ftrace_hash_contains_from(const struct ftrace_hash *hash, u32 offset, u32 i) { (void)hash, (void)offset, (void)i; return false; }
u32 __preempt_count;
struct task_struct *current_task;
char _stext[1], _end[1];

/* ---- sets of sites ---- */

static struct ftrace_hash sets[3] = { { .count = 1 }, { .count = 1 }, { .count = 1 } };
static unsigned freed_later[3];

void ftrace_hash_free(struct ftrace_hash *hash)
{
	if (hash)
		broken("a set that is freed at once (ftrace_hash_free()): a list walker may be reading it");
}

void ftrace_hash_free_tasks(struct ftrace_hash *hash)
{
	if (hash)
		freed_later[hash - sets]++;
}

static void expect_freed(const char *case_name, unsigned first, unsigned second, unsigned third)
{
	const unsigned wanted[] = { first, second, third };

	what = case_name;
	for (unsigned i = 0; i < 3; i++) {
		if (freed_later[i] > wanted[i])
			broken(wanted[i] ? "an old set is freed twice" : "a set that is in use is freed");
		if (freed_later[i] < wanted[i])
			broken("an old set is never freed");
	}
}

static void replace_hashes(void)
{
	struct ftrace_ops ops = { .func = ftrace_stub };

	what = "the first sets of an ops";
	(void)ftrace_replace_hashes(&ops, &sets[0], &sets[1]);
	expect_freed(what, 0, 0, 0);
	what = "a new filter, and the same notrace set";
	(void)ftrace_replace_hashes(&ops, &sets[2], &sets[1]);
	expect_freed(what, 1, 0, 0);
	what = "the same filter, and no notrace set";
	(void)ftrace_replace_hashes(&ops, &sets[2], NULL);
	expect_freed(what, 1, 1, 0);
	what = "no sets";
	(void)ftrace_replace_hashes(&ops, NULL, NULL);
	expect_freed(what, 1, 1, 1);
	what = "an ops whose sites cannot be changed, which has its new sets all the same";
	ops.filter_hash = &sets[0];
	ops.flags |= FTRACE_OPS_FL_ENABLED;
	commit_error = -ENODEV;
	if (ftrace_replace_hashes(&ops, &sets[2], NULL) != -ENODEV)
		broken("another result of ftrace_replace_hashes() than -ENODEV");
	expect_freed(what, 2, 1, 1);
}

/* ---- registration ---- */

static void callback(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op, struct ftrace_regs *fregs)
{
	(void)ip, (void)parent_ip, (void)op, (void)fregs;
}

static void begin(const char *case_name)
{
	what = case_name;
	plan_error = alloc_error = commit_error = 0;
	no_trampoline = created = hidden = silenced = freed = was_called = false;
	tasks_periods = periods = hidden_at = tasks_hidden_at = commits_at = 0;
}

static void check_waited(unsigned least, unsigned most)
{
	if (tasks_periods < least)
		broken("no grace period of RCU-tasks before the return: the owner frees its ops, which a task may still use");
	if (periods > most)
		broken("%u grace periods, where %u %s enough", periods, most, most == 1 ? "is" : "are");
}

static void registered(struct ftrace_ops *ops)
{
	int error = register_ftrace_function(ops);

	if (error)
		broken("the error %d of register_ftrace_function()", error);
}

static void unregister(struct ftrace_ops *ops, int wanted)
{
	int error = unregister_ftrace_function(ops);

	if (error != wanted)
		broken("the result %d of unregister_ftrace_function() instead of %d", error, wanted);
}

static void unregister_all(void)
{
	static struct ftrace_ops good = { .func = callback }, stub = { .func = ftrace_stub }, stuck = { .func = callback };

	begin("an ops with a trampoline");
	registered(&good);
	unregister(&good, 0);
	check_waited(1, 1);
	if (!freed)
		broken("a trampoline that is never freed");
	begin("an ops that is not registered");
	unregister(&good, -EINVAL);
	check_waited(0, 0);
	begin("an ops without a trampoline");
	registered(&stub);
	unregister(&stub, 0);
	check_waited(1, 1);
	begin("an ops whose sites cannot be changed");
	registered(&stuck);
	commit_error = -ENODEV;
	unregister(&stuck, -ENODEV);
	check_waited(1, 1);
}

static void fail(const char *case_name, ftrace_func_t func, int *error, int value, unsigned least)
{
	struct ftrace_ops ops = { .func = func };

	begin(case_name);
	if (error)
		*error = value;
	else
		no_trampoline = true;
	if (register_ftrace_function(&ops) >= 0)
		broken("a registration without an error");
	check_waited(least, 1);
	if (created && !freed)
		broken("a trampoline that is never freed");
}

static void register_all(void)
{
	static struct ftrace_ops good = { .func = callback };

	fail("a registration without memory for its patches", callback, &alloc_error, -ENOMEM, 0);
	fail("a registration that conflicts with another one", callback, &plan_error, -EBUSY, 0);
	fail("a registration without memory for its trampoline", callback, NULL, 0, 0);
	begin("a registration that succeeds");
	registered(&good);
	if (periods)
		broken("a wait, although nothing is freed");
	if (freed)
		broken("a trampoline in use that is freed");
	fail("a registration whose sites cannot be changed", callback, &commit_error, -ENODEV, 1);
	fail("a registration without a trampoline whose sites cannot be changed", ftrace_stub, &commit_error, -ENODEV, 1);
}

int main(int argc, char **argv)
{
	mode = argc > 1 ? argv[1] : "";
	if (!strcmp(mode, "unregister"))
		unregister_all();
	else if (!strcmp(mode, "register"))
		register_all();
	else
		replace_hashes();
	return 0;
}
