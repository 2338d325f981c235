/*
 * Six clerks write into one book, and tell everybody who waits for news. The task "clock" has the highest
 * priority: it reads the book at each news, and must not be late. The task "archive" comes second. It needs
 * some time for each news. All run on one CPU.
 */
#include "kernel/time/ktime.h"
#include "kernel/sched/mutex.h"
#include "workers.h"

#define CLERKS     6
#define PAUSE_MS   5
#define ARCHIVE_US 15000

static DEFINE_MUTEX(book);
static int pages; /* [book] */
static DECLARE_WAIT_QUEUE_HEAD(news);
static atomic_t number; /* of news */

static noinline void write_page(void)
{
	pages++;
	udelay(20);
}

static noinline void tell(void)
{
	atomic_inc(&number);
	wake_up_all(&news);
}

static noinline void tick(void)
{
	mutex_lock(&book);
	pages++;
	mutex_unlock(&book);
}

/* In each turn, each of the clerks has news. */
static int clock_work(void)
{
	static int seen;

	for (int i = 0; i < CLERKS; i++) {
		wait_event(news, atomic_read(&number) != seen);
		seen++;
		tick();
	}
	return 0;
}

static noinline void store(void)
{
	udelay(ARCHIVE_US);
}

static int archive_work(void)
{
	static int seen;

	for (int i = 0; i < CLERKS; i++) {
		wait_event(news, atomic_read(&number) != seen);
		seen++;
		store();
	}
	return 0;
}

/* SHUFFLE */
static noinline int file_ash(void)
{
	mutex_lock(&book);
	write_page();
	mutex_unlock(&book);
	tell();
	msleep(PAUSE_MS);
	return 0;
}

/* NEXT */
static noinline int file_birch(void)
{
	mutex_lock(&book); /* FAULT */
	write_page();
	tell(); /* FAULT */
	mutex_unlock(&book);
	msleep(PAUSE_MS);
	return 0;
}

/* NEXT */
static noinline int file_cedar(void)
{
	for (int i = 0; i < 3; i++) {
		mutex_lock(&book);
		write_page();
		mutex_unlock(&book);
	}
	msleep(PAUSE_MS);
	tell();
	return 0;
}

/* NEXT */
static noinline int file_elm(void)
{
	tell();
	mutex_lock(&book);
	write_page();
	mutex_unlock(&book);
	msleep(PAUSE_MS);
	return 0;
}

/* NEXT */
static noinline int file_fir(void)
{
	if (mutex_trylock(&book)) {
		write_page();
		mutex_unlock(&book);
	}
	tell();
	msleep(2 * PAUSE_MS);
	return 0;
}

/* NEXT */
static noinline int file_oak(void)
{
	mutex_lock(&book);
	write_page();
	write_page();
	mutex_unlock(&book);
	msleep(PAUSE_MS);
	tell();
	return 0;
}

/* END SHUFFLE */
static struct worker workers[] = {
	/* SHUFFLE LINES */
	{ .name = "ada", .work = file_ash },
	{ .name = "bob", .work = file_birch },
	{ .name = "cid", .work = file_cedar },
	{ .name = "dan", .work = file_elm },
	{ .name = "eve", .work = file_fir },
	{ .name = "flo", .work = file_oak },
	/* END SHUFFLE */
	{ .name = "clock", .work = clock_work },
	{ .name = "archive", .work = archive_work },
};
MODULE_WITH_WORKERS(workers);
