/* Links: their life, ids and descriptors. See link.h. */
#include "trace/bpf/attach/link.h"

#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "fs/vfs/fs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/lib/string.h"
#include "trace/bpf/syscall/command.h"

static DEFINE_BPF_IDS(bpf_link_ids);
static DEFINE_MUTEX(link_mutex); /* L */

/* ---- life ---- */

void bpf_link_init(struct bpf_link *link, const struct bpf_link_ops *ops, struct bpf_prog *prog)
{
	atomic_set(&link->refs, 1);
	link->ops = ops;
	link->prog = prog;
}

void bpf_link_get(struct bpf_link *link)
{
	atomic_inc(&link->refs);
}

/* Another task may have found the id meanwhile, but gets no reference: refs is 0. */
void bpf_link_put(struct bpf_link *link)
{
	if (!atomic_dec_and_test(&link->refs))
		return;
	bpf_id_remove(&bpf_link_ids, link->id);
	link->ops->release(link);
	bpf_prog_put(link->prog);
	link->ops->free(link);
}

/* Called with the lock of the ids. */
static bool try_get(void *object)
{
	return atomic_add_unless(&((struct bpf_link *)object)->refs, 1, 0);
}

struct bpf_prog *bpf_link_get_prog(struct bpf_link *link)
{
	struct bpf_prog *prog;

	mutex_lock(&link_mutex);
	prog = link->prog;
	bpf_prog_get(prog);
	mutex_unlock(&link_mutex);
	return prog;
}

/* ---- descriptors ---- */

static int link_release(struct inode *inode __unused, struct file *file)
{
	bpf_link_put(file->private_data);
	return 0;
}

static void link_show_fdinfo(struct seq_file *m, struct file *file)
{
	struct bpf_link *link = file->private_data;
	struct bpf_prog *prog = bpf_link_get_prog(link);

	seq_printf(m, "link_type:\t%s\nlink_id:\t%u\nprog_tag:\t", link->ops->name, link->id);
	for (unsigned i = 0; i < BPF_TAG_SIZE; i++)
		seq_printf(m, "%02x", prog->tag[i]);
	seq_printf(m, "\nprog_id:\t%u\n", prog->id);
	bpf_prog_put(prog);
	if (link->ops->show_fdinfo)
		link->ops->show_fdinfo(link, m);
}

/* The name is Linux's: bpftool looks for the descriptors of links by it. */
const struct file_operations bpf_link_fops = {
	.release = link_release,
	.show_fdinfo = link_show_fdinfo,
};

int bpf_link_new_fd(struct bpf_link *link)
{
	return anon_inode_getfd("bpf-link", &bpf_link_fops, link, O_RDWR | O_CLOEXEC);
}

int bpf_link_publish(struct bpf_link *link)
{
	int result = bpf_id_add(&bpf_link_ids, link, &link->id);

	if (!result)
		result = bpf_link_new_fd(link);
	if (result < 0)
		bpf_link_put(link);
	return result;
}

struct bpf_link *bpf_link_of_file(struct file *file)
{
	return file->f_op == &bpf_link_fops ? file->private_data : NULL;
}

struct bpf_link *bpf_link_get_fd(int fd)
{
	struct fd f = fdget((unsigned)fd);
	struct bpf_link *link;

	if (!f.file)
		return ERR_PTR(-EBADF);
	link = bpf_link_of_file(f.file);
	if (link)
		bpf_link_get(link);
	fdput(f);
	return link ? link : ERR_PTR(-EINVAL);
}

/* ---- what user space is told ---- */

int bpf_copy_text(u64 to, u32 size, const char *text)
{
	char __user *buf = (char __user *)to;
	size_t length = strlen(text) + 1;

	if (size >= length)
		return copy_to_user(buf, text, length) ? -EFAULT : 0;
	if (!size)
		return -ENOSPC;
	return copy_to_user(buf, text, size - 1) || put_user('\0', buf + size - 1) ? -EFAULT
										   : -ENOSPC;
}

int bpf_link_get_info(struct bpf_link *link, const union bpf_attr *attr,
		      union bpf_attr __user *uattr)
{
	struct bpf_link_info info;
	int error = bpf_info_in(attr, &info, sizeof(info));
	struct bpf_prog *prog;

	if (error)
		return error;
	prog = bpf_link_get_prog(link);
	info.type = link->ops->type;
	info.id = link->id;
	info.prog_id = prog->id;
	bpf_prog_put(prog);
	error = link->ops->fill_info ? link->ops->fill_info(link, &info) : 0;
	return error ? error : bpf_info_out(attr, uattr, &info, sizeof(info));
}

/* ---- commands ---- */

/* Takes over prog. */
static int attach_tracing(const union bpf_attr *attr, struct bpf_prog *prog)
{
	if (prog->expected_attach_type == BPF_TRACE_RAW_TP)
		return bpf_raw_tp_attach(prog, 0);
	if (prog->expected_attach_type == BPF_TRACE_ITER)
		return bpf_iter_attach(attr, prog);
	if (!attr->link_create.target_fd && !attr->link_create.tracing.target_btf_id)
		return bpf_tracing_attach(prog, attr->link_create.tracing.cookie);
	bpf_prog_put(prog); /* no program is attached to a program */
	return -EINVAL;
}

static bool fits(const struct bpf_prog *prog, u32 attach_type)
{
	switch (prog->type) {
	case BPF_PROG_TYPE_PERF_EVENT:
	case BPF_PROG_TYPE_TRACEPOINT:
		return attach_type == BPF_PERF_EVENT;
	case BPF_PROG_TYPE_KPROBE:
		if (prog->expected_attach_type == BPF_TRACE_KPROBE_MULTI)
			return attach_type == BPF_TRACE_KPROBE_MULTI;
		return attach_type == BPF_PERF_EVENT || attach_type == BPF_TRACE_KPROBE_MULTI;
	case BPF_PROG_TYPE_TRACING:
		return attach_type == prog->expected_attach_type;
	default:
		return false;
	}
}

static long link_create(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			u32 size __unused)
{
	struct bpf_prog *prog = bpf_prog_get_fd((int)attr->link_create.prog_fd);

	if (IS_ERR(prog))
		return PTR_ERR(prog);
	if (!fits(prog, attr->link_create.attach_type)) {
		bpf_prog_put(prog);
		return -EINVAL;
	}
	if (prog->type == BPF_PROG_TYPE_TRACING)
		return attach_tracing(attr, prog);
	if (attr->link_create.attach_type == BPF_TRACE_KPROBE_MULTI)
		return bpf_kprobe_multi_attach(attr, prog);
	return bpf_perf_link_attach(attr, prog);
}
static const struct bpf_command link_create_command BPF_COMMAND(link_create) = {
	BPF_LINK_CREATE, BPF_ATTR_END(link_create.kprobe_multi.cookies), link_create
};

/* Takes over prog. L held. */
static int update(struct bpf_link *link, struct bpf_prog *prog, const struct bpf_prog *old)
{
	struct bpf_prog *former = link->prog;
	int error = link->ops->update ? link->ops->update(link, prog, old) : -EINVAL;

	if (!error)
		link->prog = prog;
	bpf_prog_put(error ? prog : former);
	return error;
}

#define BPF_F_REPLACE 4U

static int update_progs(struct bpf_link *link, const union bpf_attr *attr)
{
	struct bpf_prog *prog = bpf_prog_get_fd((int)attr->link_update.new_prog_fd), *old = NULL;
	int error = 0;

	if (IS_ERR(prog))
		return (int)PTR_ERR(prog);
	if (attr->link_update.flags & BPF_F_REPLACE)
		old = bpf_prog_get_fd((int)attr->link_update.old_prog_fd);
	else if (attr->link_update.old_prog_fd)
		error = -EINVAL;
	if (IS_ERR(old))
		error = (int)PTR_ERR(old);
	if (error) {
		bpf_prog_put(prog);
		return error;
	}
	mutex_lock(&link_mutex);
	error = update(link, prog, old);
	mutex_unlock(&link_mutex);
	if (old)
		bpf_prog_put(old);
	return error;
}

static long link_update(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			u32 size __unused)
{
	struct bpf_link *link;
	int error;

	if (attr->link_update.flags & ~BPF_F_REPLACE)
		return -EINVAL;
	link = bpf_link_get_fd((int)attr->link_update.link_fd);
	if (IS_ERR(link))
		return PTR_ERR(link);
	error = update_progs(link, attr);
	bpf_link_put(link);
	return error;
}
static const struct bpf_command link_update_command BPF_COMMAND(link_update) = {
	BPF_LINK_UPDATE, BPF_ATTR_END(link_update.old_prog_fd), link_update
};

/* Only links whose target may go before them can be detached: none of those here. */
static long link_detach(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			u32 size __unused)
{
	struct bpf_link *link = bpf_link_get_fd((int)attr->link_detach.link_fd);

	if (IS_ERR(link))
		return PTR_ERR(link);
	bpf_link_put(link);
	return -EOPNOTSUPP;
}
static const struct bpf_command link_detach_command BPF_COMMAND(link_detach) = {
	BPF_LINK_DETACH, BPF_ATTR_END(link_detach.link_fd), link_detach
};

static long link_get_fd_by_id(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			      u32 size __unused)
{
	struct bpf_link *link;
	int fd;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	link = bpf_id_get(&bpf_link_ids, attr->link_id, try_get);
	if (!link)
		return -ENOENT;
	fd = bpf_link_new_fd(link);
	if (fd < 0)
		bpf_link_put(link);
	return fd;
}
static const struct bpf_command link_get_fd_by_id_command BPF_COMMAND(link_get_fd_by_id) = {
	BPF_LINK_GET_FD_BY_ID, BPF_ATTR_END(link_id), link_get_fd_by_id
};

static long link_get_next_id(const union bpf_attr *attr, union bpf_attr __user *uattr,
			     u32 size __unused)
{
	return bpf_get_next_id(attr, uattr, &bpf_link_ids);
}
static const struct bpf_command link_get_next_id_command BPF_COMMAND(link_get_next_id) = {
	BPF_LINK_GET_NEXT_ID, BPF_ATTR_END(next_id), link_get_next_id
};
