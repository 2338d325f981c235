/* Iterators over tasks, and over the open files of tasks. */
#include "fs/file/file.h"
#include "fs/proc/task/task.h"
#include "fs/vfs/fs.h"
#include "kernel/init.h"
#include "kernel/task/pid.h"
#include "kernel/task/task.h"
#include "trace/bpf/attach/iter.h"

struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};
struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd __aligned(8);
	struct file *file;
};
BUILD_BUG_ON(sizeof(struct bpf_iter__task_file) > BPF_ITER_WORDS * sizeof(u64));

DEFINE_BPF_ITER_FUNC(task, struct bpf_iter_meta *meta __unused, struct task_struct *task __unused)
DEFINE_BPF_ITER_FUNC(task_file, struct bpf_iter_meta *meta __unused,
		     struct task_struct *task __unused, u32 fd __unused, struct file *file __unused)

static int choose(const union bpf_iter_link_info *info, struct bpf_iter_choice *choice)
{
	/* pidfds tell no number to this room */
	if (info->task.pid_fd || (info->task.tid && info->task.pid))
		return -EINVAL;
	choice->tid = info->task.tid;
	choice->pid = info->task.pid;
	return 0;
}

static bool is_chosen(const struct bpf_iter_choice *choice, const struct task_struct *task)
{
	return (!choice->tid || choice->tid == (u32)task->pid) &&
	       (!choice->pid || choice->pid == (u32)task->tgid);
}

/* The next chosen task from session->id on, counted; NULL: none. */
static struct task_struct *next_task(struct bpf_iter_session *session)
{
	struct task_struct *task;

	for (; (task = next_task_from((pid_t)session->id)); session->id++) {
		if ((u32)task->pid != session->id)
			session->fd = 0;
		session->id = (u32)task->pid;
		if (is_chosen(&session->choice, task))
			return task;
		put_task_struct(task);
	}
	return NULL;
}

/* ---- tasks ---- */

static bool get_task(struct bpf_iter_session *session)
{
	struct bpf_iter__task *context = (void *)session->context;

	context->task = next_task(session);
	return context->task;
}

static void put_task(struct bpf_iter_session *session)
{
	put_task_struct(((struct bpf_iter__task *)session->context)->task);
}

static void advance_task(struct bpf_iter_session *session)
{
	session->id++;
}

BPF_ITER_TARGET(task) = {
	.name = "task",
	.choose = choose,
	.get = get_task,
	.put = put_task,
	.advance = advance_task,
};

/* ---- files ---- */

/* Threads that share the files of their leader show none. */
static bool shares_files(const struct task_struct *task)
{
	return task != task->group_leader && task->files == task->group_leader->files;
}

static bool get_file_of_task(struct bpf_iter_session *session)
{
	struct bpf_iter__task_file *context = (void *)session->context;

	while ((context->task = next_task(session))) {
		context->file = shares_files(context->task)
					? NULL
					: fget_task_next(context->task, &session->fd);
		context->fd = session->fd;
		if (context->file)
			return true;
		put_task_struct(context->task);
		session->id++;
		session->fd = 0;
	}
	return false;
}

static void put_file_of_task(struct bpf_iter_session *session)
{
	struct bpf_iter__task_file *context = (void *)session->context;

	fput(context->file);
	put_task_struct(context->task);
}

static void advance_file(struct bpf_iter_session *session)
{
	session->fd++;
}

BPF_ITER_TARGET(task_file) = {
	.name = "task_file",
	.choose = choose,
	.get = get_file_of_task,
	.put = put_file_of_task,
	.advance = advance_file,
};
