/*
 * A workshop with two tools for six workers. A worker takes a tool, uses it, puts it back, and rests. The parameter
 * `load` says how many may work at a time. The write to `run` fails when two had the same tool: Protocol error.
 */
#include "kernel/mm/slab.h"
#include "kernel/sched/mutex.h"
#include "workers.h"

#define TOOLS   2
#define USE_MS  4
#define REST_MS 1

struct tool {
	bool taken;		   /* [tools_lock] */
	bool bought;		   /* by its only user */
	struct task_struct *user;  /* who has taken it last */
};

static DEFINE_MUTEX(tools_lock);
static struct tool tools[TOOLS];
static DECLARE_WAIT_QUEUE_HEAD(returned);
static unsigned load = 6;
module_param(load, uint, 0644);
static atomic_t at_work;

/* Takes a tool that nobody has. NULL: there is none. */
static noinline struct tool *find_tool(void)
{
	struct tool *found = NULL;

	mutex_lock(&tools_lock);
	for (unsigned i = 0; i < TOOLS && !found; i++)
		if (!tools[i].taken)
			found = &tools[i];
	if (found)
		found->taken = true;
	mutex_unlock(&tools_lock);
	return found;
}

static noinline void put_back(struct tool *tool)
{
	if (tool->bought) {
		kfree(tool);
		return;
	}
	mutex_lock(&tools_lock);
	tool->taken = false;
	mutex_unlock(&tools_lock);
	wake_up(&returned);
}

static noinline int use(struct tool *tool)
{
	int error;

	WRITE_ONCE(tool->user, current);
	msleep(USE_MS);
	error = READ_ONCE(tool->user) == current ? 0 : -EPROTO;
	put_back(tool);
	return error;
}

/* Whether one more may work. */
static bool may_begin(void)
{
	if ((unsigned)atomic_inc_return(&at_work) <= READ_ONCE(load))
		return true;
	atomic_dec(&at_work);
	return false;
}

static int work_with(struct tool *(*grab)(void))
{
	struct tool *tool;
	int error = 0;

	msleep(REST_MS);
	if (!may_begin())
		return 0;
	tool = grab();
	if (tool)
		error = use(tool);
	atomic_dec(&at_work);
	return error;
}

/* SHUFFLE */
static noinline struct tool *grab_ash(void)
{
	struct tool *tool;

	wait_event(returned, (tool = find_tool()));
	return tool;
}

/* NEXT */
static noinline struct tool *grab_birch(void)
{
	static unsigned next;
	struct tool *tool = find_tool();

	if (!tool)
		tool = &tools[next++ % TOOLS]; /* FAULT */
	return tool;
}

/* NEXT */
static noinline struct tool *grab_cedar(void)
{
	struct tool *tool = find_tool();

	while (!tool) {
		msleep(1);
		tool = find_tool();
	}
	return tool;
}

/* NEXT */
static noinline struct tool *grab_elm(void)
{
	return find_tool();
}

/* NEXT */
static noinline struct tool *grab_fir(void)
{
	struct tool *tool = find_tool();

	if (!tool) {
		tool = kzalloc(sizeof(*tool), GFP_KERNEL);
		if (tool)
			tool->bought = true;
	}
	return tool;
}

/* NEXT */
static noinline struct tool *grab_oak(void)
{
	static struct tool own;
	struct tool *tool = find_tool();

	return tool ? tool : &own;
}

/* END SHUFFLE */
/* SHUFFLE LINES */
static int work_ash(void) { return work_with(grab_ash); }
static int work_birch(void) { return work_with(grab_birch); }
static int work_cedar(void) { return work_with(grab_cedar); }
static int work_elm(void) { return work_with(grab_elm); }
static int work_fir(void) { return work_with(grab_fir); }
static int work_oak(void) { return work_with(grab_oak); }
/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = work_ash },
	{ .name = "bob", .work = work_birch },
	{ .name = "cid", .work = work_cedar },
	{ .name = "dan", .work = work_elm },
	{ .name = "eve", .work = work_fir },
	{ .name = "flo", .work = work_oak },
	/* END SHUFFLE */
};
MODULE_WITH_WORKERS(workers);
