/* Self-tests of functions that tasks call on their way to user mode; of files released there. */
#include "kernel/task/task_work.h"

#include "fs/vfs/fs.h"
#include "kernel/errno.h"
#include "kernel/process/wait.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/user_work.h"
#include "kernel/task/pid.h"
#include "kernel/time/timer.h"
#include "selftest/arch/ring3.h"
#include "selftest/lib/threads.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

extern const char ring3_spin[], ring3_spin_end[];

/* A work that says what it has found. */
struct note {
	struct callback_head work;
	struct completion done;
	struct task_struct *task;
	bool atomic, had_memory;
	unsigned place; /* the how-many-th call it was */
};

static unsigned calls;

static void take_note(struct callback_head *work)
{
	struct note *note = container_of(work, struct note, work);

	note->task = current;
	note->atomic = !preemptible();
	note->had_memory = current->mm;
	note->place = ++calls;
	complete(&note->done);
}

static void note_init(struct note *note)
{
	*note = (struct note){ .work.func = take_note };
	init_completion(&note->done);
}

SELFTEST(task_work, task_in_user_mode_calls_it_before_it_goes_on)
{
	struct ring3 program;
	struct note note;

	note_init(&note);
	run_on_nth_cpu(0);
	ASSERT(ring3_start(&program, ring3_spin, ring3_spin_end, nth_online_cpu(1)));
	get_task_struct(program.task);
	while (!program.data[0])
		msleep(1); /* then it runs in user mode, and makes no system call */
	EXPECT_EQ(task_work_add(program.task, &note.work), 0);
	kick_process(program.task);
	wait_for_completion(&note.done);
	EXPECT(note.task == program.task);
	EXPECT(!note.atomic);
	EXPECT(note.had_memory);
	program.data[1] = 1;
	ring3_wait(&program);
	EXPECT_EQ(task_work_add(note.task, &note.work), -ESRCH);
	put_task_struct(note.task);
	ring3_free(&program);
	run_on_any_cpu();
}

static struct note notes[3];

/* Adds one more, from a work. */
static void add_another(struct callback_head *work)
{
	take_note(work);
	(void)task_work_add(current, &notes[2].work); /* else it has no place */
}

/* A child of PID 1 that ends as programs do. */
static int add_two_and_end(void *unused __unused)
{
	notes[0].work.func = add_another;
	return task_work_add(current, &notes[0].work) || task_work_add(current, &notes[1].work);
}

SELFTEST(task_work, task_that_ends_calls_what_waits_and_what_that_adds)
{
	int status = -1;
	pid_t pid;

	calls = 0;
	for (unsigned i = 0; i < ARRAY_SIZE(notes); i++)
		note_init(&notes[i]);
	pid = kernel_thread(add_two_and_end, NULL, "works");
	ASSERT(pid > 0);
	EXPECT_EQ(kernel_wait4(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	/* All have run before the parent learns of the end. */
	EXPECT_EQ(notes[1].place, 1);
	EXPECT_EQ(notes[0].place, 2);
	EXPECT_EQ(notes[2].place, 3);
	EXPECT(!notes[0].had_memory);
}

/* A file that a program may map and an epoll may watch, and what its release has found. */
static struct mm_struct *mapper;
static struct task_struct *released_by;
static bool release_found_mmap_lock;
static struct completion released;

static int watched_mmap(struct file *file __unused, struct vm_area_struct *vma __unused)
{
	return 0; /* anonymous pages are good enough */
}

static int watched_release(struct inode *inode __unused, struct file *file __unused)
{
	released_by = current;
	release_found_mmap_lock = rwsem_is_locked(&mapper->mmap_lock);
	complete(&released);
	return 0;
}

static const struct file_operations watched_fops = {
	.mmap = watched_mmap,
	.release = watched_release,
};

/* Maps the file, so that the area has its last reference, and unmaps it; or the memory goes. */
static int map_and_unmap(void *unmap)
{
	struct file *file = anon_inode_getfile("[watched]", &watched_fops, NULL, O_RDWR);
	unsigned long addr;
	int error;

	if (IS_ERR(file))
		return 1;
	mapper = test_mm_begin();
	if (!mapper)
		return 1;
	mmgrab(mapper); /* the release looks at its lock */
	addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ, MAP_PRIVATE, 0);
	fput(file);
	error = unmap ? vm_munmap(addr, PAGE_SIZE) : 0;
	test_mm_end(mapper);
	return IS_ERR_VALUE(addr) || error;
}

SELFTEST(task_work, file_is_released_without_mmap_lock_before_its_last_mapper_is_reaped)
{
	for (unsigned long unmap = 0; unmap < 2; unmap++) {
		int status = -1;
		pid_t pid;

		released_by = NULL;
		init_completion(&released);
		pid = kernel_thread(map_and_unmap, (void *)unmap, "mapper");
		ASSERT(pid > 0);
		EXPECT_EQ(kernel_wait4(pid, &status, 0), pid);
		EXPECT_EQ(status, 0);
		EXPECT(released_by);
		EXPECT(!release_found_mmap_lock);
		mmdrop(mapper);
	}
}

SELFTEST(task_work, file_that_a_kernel_thread_unmaps_is_released_by_a_worker)
{
	struct task_struct *task;

	released_by = NULL;
	init_completion(&released);
	task = test_task_start(map_and_unmap, (void *)1L, "mapper");
	ASSERT(task);
	EXPECT_EQ(test_task_end(task), 0);
	wait_for_completion(&released); /* perhaps while the task still had the lock */
	EXPECT(released_by->worker);
	mmdrop(mapper);
}
