/* BPF_TASK_FD_QUERY: which program a descriptor of a task keeps attached, and where. */
#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/vfs/fs.h"
#include "kernel/lib/string.h"
#include "kernel/task/pid.h"
#include "kernel/task/task.h"
#include "trace/bpf/attach/link.h"
#include "trace/bpf/syscall/command.h"
#include "trace/perf/program.h"

#define ENOTSUPP 524 /* Linux's; no program knows it */

enum bpf_task_fd_type {
	BPF_FD_TYPE_RAW_TRACEPOINT,
	BPF_FD_TYPE_TRACEPOINT,
	BPF_FD_TYPE_KPROBE,
	BPF_FD_TYPE_KRETPROBE,
	BPF_FD_TYPE_UPROBE,
	BPF_FD_TYPE_URETPROBE,
};

struct answer {
	u32 prog_id, fd_type;
	const char *name; /* NULL: none */
	u64 probe_offset, probe_addr;
};

static long reply(const union bpf_attr *attr, union bpf_attr __user *uattr,
		  const struct answer *answer)
{
	const char *name = answer->name ? answer->name : "";
	long error = 0;

	if (put_user((u32)strlen(name), &uattr->task_fd_query.buf_len))
		return -EFAULT;
	if (attr->task_fd_query.buf && attr->task_fd_query.buf_len)
		error = bpf_copy_text(attr->task_fd_query.buf, attr->task_fd_query.buf_len, name);
	if (error == -EFAULT || put_user(answer->prog_id, &uattr->task_fd_query.prog_id) ||
	    put_user(answer->fd_type, &uattr->task_fd_query.fd_type) ||
	    put_user(answer->probe_offset, &uattr->task_fd_query.probe_offset) ||
	    put_user(answer->probe_addr, &uattr->task_fd_query.probe_addr))
		return -EFAULT;
	return error;
}

static int ask_link(struct bpf_link *link, struct answer *answer)
{
	struct bpf_prog *prog;

	answer->name = bpf_raw_tp_link_name(link);
	if (!answer->name)
		return -ENOTSUPP;
	prog = bpf_link_get_prog(link);
	answer->prog_id = prog->id;
	answer->fd_type = BPF_FD_TYPE_RAW_TRACEPOINT;
	bpf_prog_put(prog);
	return 0;
}

static int ask_event(struct perf_event *event, struct answer *answer)
{
	struct bpf_prog *prog = bpf_perf_event_prog(event);
	enum perf_program_kind kind = perf_program_kind(event);
	struct perf_program_place place;

	if (!prog)
		return -ENOENT;
	answer->prog_id = prog->id;
	bpf_prog_put(prog);
	perf_program_place(event, &place);
	answer->name = place.name;
	if (place.of_tracefs) {
		answer->fd_type = BPF_FD_TYPE_TRACEPOINT;
		return 0;
	}
	switch (kind) {
	case PERF_PROGRAM_KPROBE:
		answer->fd_type = place.is_return ? BPF_FD_TYPE_KRETPROBE : BPF_FD_TYPE_KPROBE;
		break;
	case PERF_PROGRAM_UPROBE:
		answer->fd_type = place.is_return ? BPF_FD_TYPE_URETPROBE : BPF_FD_TYPE_UPROBE;
		break;
	default:
		return -EOPNOTSUPP;
	}
	answer->probe_offset = place.name ? place.offset : 0;
	answer->probe_addr = place.name ? 0 : place.addr;
	return 0;
}

static int ask_file(struct file *file, struct answer *answer)
{
	struct perf_event *event = perf_file_event(file);
	struct bpf_link *link = bpf_link_of_file(file);

	if (link)
		return ask_link(link, answer);
	return event ? ask_event(event, answer) : -ENOTSUPP;
}

/* The counted task of a number, or NULL. */
static struct task_struct *get_task(pid_t nr)
{
	struct task_struct *task;

	spin_lock(&tasklist_lock);
	task = find_task_by_pid(nr);
	if (task)
		get_task_struct(task);
	spin_unlock(&tasklist_lock);
	return task;
}

static long task_fd_query(const union bpf_attr *attr, union bpf_attr __user *uattr,
			  u32 size __unused)
{
	struct answer answer = { .name = NULL };
	struct task_struct *task;
	struct file *file;
	long error;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (attr->task_fd_query.flags)
		return -EINVAL;
	task = get_task((pid_t)attr->task_fd_query.pid);
	if (!task)
		return -ENOENT;
	file = fget_task(task, attr->task_fd_query.fd);
	put_task_struct(task);
	if (!file)
		return -EBADF;
	error = ask_file(file, &answer);
	if (!error)
		error = reply(attr, uattr, &answer);
	fput(file);
	return error;
}
static const struct bpf_command task_fd_query_command BPF_COMMAND(task_fd_query) = {
	BPF_TASK_FD_QUERY, BPF_ATTR_END(task_fd_query.probe_addr), task_fd_query
};
