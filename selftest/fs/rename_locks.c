/*
 * Self-tests of the order in which renames lock: two or three calls whose locks depend on each
 * other, each of them stopped at a lock that the test holds. If they then wait for each other, the
 * test does not end.
 */
#include "kernel/time/timer.h"
#include "selftest/lib/files.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define DIR "/tmp/selftest-rename/"

struct names {
	const char *x, *x_file, *y, *y_file;
	const char *below, *below_file; /* a directory in x */
};

#define NAMES(x, y)                                                                                \
	{                                                                                          \
		DIR x, DIR x "/file", DIR y, DIR y "/file", DIR x "/dir", DIR x "/dir/file"        \
	}
#define LONG60 "_12345678901234567890123456789012345678901234567890123456789"
#define LONG   LONG60 LONG60 LONG60 LONG60

/*
 * An order by address depends on where the objects lie. So each test makes x before y, and y before
 * x, and with names that are as long or longer, because a long one is in another slab.
 */
static const struct names layouts[] = { NAMES("x", "y"), NAMES("x" LONG, "y"),
					NAMES("x", "y" LONG) };
#define LAYOUTS (2 * (int)ARRAY_SIZE(layouts)) /* each of them in both orders */

static bool make_dir(const char *name)
{
	return do_mkdirat(AT_FDCWD, name, 0755) == 0;
}

static bool make_file(const char *name)
{
	struct file *file = file_open(name, O_WRONLY | O_CREAT);

	if (IS_ERR(file))
		return false;
	fput(file);
	return true;
}

static int rename_as(const char *from, const char *to, unsigned flags)
{
	return do_renameat2(AT_FDCWD, from, AT_FDCWD, to, flags);
}

/* The i_mutex of an object that exists and keeps a name. */
static struct mutex *mutex_of(const char *name)
{
	struct path path;

	if (kern_path(name, 0, &path))
		return NULL;
	path_put(&path);
	return &path.dentry->d_inode->i_mutex;
}

static void until_asleep(const struct task_struct *task)
{
	while (READ_ONCE(task->__state) != TASK_UNINTERRUPTIBLE || READ_ONCE(task->on_rq) ||
	       READ_ONCE(task->on_cpu))
		msleep(1);
}

/* Starts a task that calls fn, and waits until it sleeps at a lock. */
static struct task_struct *start(int (*fn)(void *names), const struct names *n)
{
	struct task_struct *task = test_task_start(fn, (void *)n, "rename");

	if (task)
		until_asleep(task);
	return task;
}

/* ---- what the tasks do ---- */

static int exchange(void *names)
{
	const struct names *n = names;

	return rename_as(n->x, n->y, RENAME_EXCHANGE);
}

static int move_file(void *names)
{
	const struct names *n = names;

	return rename_as(n->x_file, n->y_file, 0);
}

static int move_from_below(void *names)
{
	const struct names *n = names;

	return rename_as(n->below_file, n->y_file, 0);
}

static int remove_below(void *names)
{
	const struct names *n = names;

	return do_rmdirat(AT_FDCWD, n->below);
}

static int unlink_file(void *names)
{
	const struct names *n = names;

	return do_unlinkat(AT_FDCWD, n->y_file);
}

/* ---- the tests ---- */

/* A file moves from x to y while the two change places. So it is in x again at the end. */
static void exchange_and_move(struct selftest *test, const struct names *n)
{
	struct mutex *mutex = mutex_of(n->x);
	struct task_struct *first, *second;

	ASSERT(mutex);
	mutex_lock(mutex);
	first = start(exchange, n);
	second = start(move_file, n);
	mutex_unlock(mutex);
	ASSERT(first && second);
	EXPECT_EQ(test_task_end(first), 0);
	EXPECT_EQ(test_task_end(second), 0);
}

SELFTEST(rename, siblings_change_places_while_a_file_moves_between_them)
{
	ASSERT(make_dir(DIR));
	for (int i = 0; i < LAYOUTS; i++) {
		const struct names *n = &layouts[i / 2];
		bool x_first = i % 2;

		ASSERT(make_dir(x_first ? n->x : n->y) && make_dir(x_first ? n->y : n->x));
		ASSERT(make_file(n->x_file));
		exchange_and_move(test, n);
		exchange_and_move(test, n);
		EXPECT_EQ(do_unlinkat(AT_FDCWD, n->x_file), 0);
		EXPECT_EQ(do_rmdirat(AT_FDCWD, n->x), 0);
		EXPECT_EQ(do_rmdirat(AT_FDCWD, n->y), 0);
	}
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR), 0);
}

/*
 * A file moves from a directory below x to y; x and y change places; and rmdir holds x and waits
 * for the directory below it, which is not empty. Orders of pairs by address are no order of all
 * three.
 */
static void exchange_above(struct selftest *test, const struct names *n)
{
	struct mutex *below = mutex_of(n->below), *y = mutex_of(n->y);
	struct task_struct *tasks[3];

	ASSERT(below && y);
	mutex_lock(y);
	mutex_lock(below);
	tasks[0] = start(exchange, n);
	tasks[1] = start(move_from_below, n);
	tasks[2] = start(remove_below, n);
	mutex_unlock(below);
	if (tasks[1])
		until_asleep(tasks[1]);
	mutex_unlock(y);
	for (int i = 0; i < 3; i++) {
		ASSERT(tasks[i]);
		test_task_end(tasks[i]);
	}
}

SELFTEST(rename, siblings_change_places_while_a_file_moves_from_below_one_of_them)
{
	ASSERT(make_dir(DIR));
	for (int i = 0; i < LAYOUTS; i++) {
		const struct names *n = &layouts[i / 2];
		bool below_first = i % 2;

		ASSERT(!below_first || make_dir(DIR "dir"));
		ASSERT(make_dir(below_first ? n->y : n->x));
		ASSERT(make_dir(below_first ? n->x : n->y));
		ASSERT(below_first ? rename_as(DIR "dir", n->below, 0) == 0 : make_dir(n->below));
		ASSERT(make_file(n->below_file));
		exchange_above(test, n);
		EXPECT_EQ(rename_as(n->x, n->y, RENAME_EXCHANGE), 0); /* back */
		(void)do_unlinkat(AT_FDCWD, n->below_file);
		(void)do_unlinkat(AT_FDCWD, n->y_file);
		(void)do_unlinkat(AT_FDCWD, n->x_file);
		(void)do_rmdirat(AT_FDCWD, n->below);
		EXPECT_EQ(do_rmdirat(AT_FDCWD, n->x), 0);
		EXPECT_EQ(do_rmdirat(AT_FDCWD, n->y), 0);
	}
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR), 0);
}

SELFTEST(rename, a_file_and_a_directory_change_places_while_it_loses_a_name_there)
{
	ASSERT(make_dir(DIR));
	for (int i = 0; i < LAYOUTS; i++) {
		const struct names *n = &layouts[i / 2];
		bool file_first = i % 2;
		struct task_struct *tasks[2];
		struct mutex *file;

		ASSERT(!file_first || make_file(n->x));
		ASSERT(make_dir(n->y));
		ASSERT(file_first || make_file(n->x));
		ASSERT(do_linkat(AT_FDCWD, n->x, AT_FDCWD, n->y_file, 0) == 0);
		file = mutex_of(n->x);
		ASSERT(file);
		mutex_lock(file);
		tasks[0] = start(exchange, n);
		tasks[1] = start(unlink_file, n);
		mutex_unlock(file);
		ASSERT(tasks[0] && tasks[1]);
		EXPECT_EQ(test_task_end(tasks[0]), 0);
		EXPECT_EQ(test_task_end(tasks[1]), 0);
		EXPECT_EQ(do_rmdirat(AT_FDCWD, n->x), 0);
		EXPECT_EQ(do_unlinkat(AT_FDCWD, n->y), 0);
	}
	EXPECT_EQ(do_rmdirat(AT_FDCWD, DIR), 0);
}
