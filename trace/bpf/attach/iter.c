/* Iterators: links, open files, and runs of programs. See iter.h; the kinds are in iter_*.c. */
#include "trace/bpf/attach/iter.h"

#include "arch/mm/uaccess.h"
#include "fs/file/file.h"
#include "kernel/lib/string.h"
#include "kernel/linker_table.h"
#include "kernel/mm/slab.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/attach/run.h"
#include "trace/bpf/core/map.h"
#include "trace/bpf/syscall/command.h"

DEFINE_LINKER_TABLE(rodata, const struct bpf_iter_target, bpf_iter_targets);

struct bpf_iter_link {
	struct bpf_link link;
	/* Constant. */
	const struct bpf_iter_target *target;
	struct bpf_iter_choice choice;
};

static atomic64_t last_session;

/* ---- reading ---- */

int bpf_iter_run(struct bpf_iter_session *session)
{
	u32 result;

	rcu_read_lock();
	result = bpf_prog_run_counted(session->prog, session->context);
	rcu_read_unlock();
	return result ? -EAGAIN : 0;
}

static void *get(struct bpf_iter_session *session)
{
	return session->target->get(session) ? session : NULL;
}

static void *iter_start(struct seq_file *m, loff_t *pos __unused)
{
	struct bpf_iter_session *session = m->private;

	return session->done ? NULL : get(session);
}

static void *iter_next(struct seq_file *m __unused, void *v, loff_t *pos)
{
	struct bpf_iter_session *session = v;

	session->target->put(session);
	session->target->advance(session);
	session->meta.seq_num++;
	++*pos;
	return get(session);
}

static int iter_show(struct seq_file *m, void *v)
{
	struct bpf_iter_session *session = v;

	session->meta.seq = m;
	return session->target->run ? session->target->run(session) : bpf_iter_run(session);
}

/* Text behind the last object that does not fit comes with the next read, or not at all. */
static void finish(struct bpf_iter_session *session, struct seq_file *m)
{
	size_t before = m->count;

	memset(session->context + 1, 0, sizeof(session->context) - sizeof(u64));
	session->meta.seq = m;
	(void)bpf_iter_run(session);
	session->done = true;
	if (m->count < m->size)
		return;
	m->count = before;
	session->done = !before;
}

static void iter_stop(struct seq_file *m, void *v)
{
	struct bpf_iter_session *session = m->private;

	if (v)
		session->target->put(session);
	else if (!session->done && m->size)
		finish(session, m);
}

static const struct seq_operations iter_seq_ops = {
	.start = iter_start,
	.stop = iter_stop,
	.next = iter_next,
	.show = iter_show,
};

static void put_choice(const struct bpf_iter_choice *choice)
{
	if (choice->map)
		bpf_map_put(choice->map);
}

static void free_session(struct bpf_iter_session *session)
{
	put_choice(&session->choice);
	bpf_prog_put(session->prog);
	kvfree(session->room);
	kfree(session);
}

static int iter_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	if (!m)
		return 0;
	free_session(m->private);
	return seq_release(inode, file);
}

static const struct file_operations iter_fops = {
	.read = seq_read,
	.llseek = no_llseek,
	.release = iter_release,
};

/* ---- opening ---- */

static struct bpf_iter_session *new_session(struct bpf_iter_link *link)
{
	struct bpf_iter_session *session = kzalloc(sizeof(*session), GFP_KERNEL);
	int error;

	if (!session)
		return ERR_PTR(-ENOMEM);
	session->target = link->target;
	session->choice = link->choice;
	if (session->choice.map)
		bpf_map_get(session->choice.map);
	session->prog = bpf_link_get_prog(&link->link);
	session->context[0] = (u64)&session->meta;
	session->meta.session_id = (u64)atomic64_inc_return(&last_session);
	error = link->target->open ? link->target->open(session) : 0;
	if (!error)
		return session;
	free_session(session);
	return ERR_PTR(error);
}

/* An open file of a session, which belongs to it. Or an ERR_PTR, and the session is freed. */
static struct file *open_file(struct bpf_iter_session *session)
{
	struct file *file = anon_inode_getfile("bpf_iter", &iter_fops, NULL, O_RDONLY);
	int error;

	if (IS_ERR(file)) {
		free_session(session);
		return file;
	}
	error = seq_open(file, &iter_seq_ops);
	if (error) {
		fput(file);
		free_session(session);
		return ERR_PTR(error);
	}
	((struct seq_file *)file->private_data)->private = session;
	return file;
}

static int open_link(struct bpf_iter_link *link)
{
	struct bpf_iter_session *session = new_session(link);
	struct file *file;
	int fd;

	if (IS_ERR(session))
		return (int)PTR_ERR(session);
	file = open_file(session);
	if (IS_ERR(file))
		return (int)PTR_ERR(file);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0)
		fput(file);
	else
		fd_install((unsigned)fd, file);
	return fd;
}

/* ---- links ---- */

static void release_link(struct bpf_link *link)
{
	put_choice(&container_of(link, struct bpf_iter_link, link)->choice);
}

static void free_link(struct bpf_link *link)
{
	kfree(container_of(link, struct bpf_iter_link, link));
}

/* The verifier did not know how large keys and values are. */
static int check_buf_size(const struct bpf_iter_link *iter, const struct bpf_prog *prog)
{
	return prog->max_buf_access > iter->choice.buf_size ? -EACCES : 0;
}

/* Files that are open already go on with the former program. */
static int update(struct bpf_link *link, struct bpf_prog *prog, const struct bpf_prog *old)
{
	if (old && old != link->prog)
		return -EPERM;
	if (prog->type != link->prog->type ||
	    prog->expected_attach_type != link->prog->expected_attach_type ||
	    prog->attach_btf_id != link->prog->attach_btf_id)
		return -EINVAL;
	return check_buf_size(container_of(link, struct bpf_iter_link, link), prog);
}

static int fill_info(const struct bpf_link *link, struct bpf_link_info *info)
{
	const struct bpf_iter_link *iter = container_of(link, const struct bpf_iter_link, link);
	u64 buf = info->iter.target_name;
	u32 size = info->iter.target_name_len;
	int error = 0;

	if (!size != !buf)
		return -EINVAL;
	info->iter.target_name_len = (u32)strlen(iter->target->name) + 1;
	if (size)
		error = bpf_copy_text(buf, size, iter->target->name);
	if (!error && iter->choice.map)
		info->iter.map.map_id = iter->choice.map->id;
	return error;
}

static void show_fdinfo(const struct bpf_link *link, struct seq_file *m)
{
	const struct bpf_iter_link *iter = container_of(link, const struct bpf_iter_link, link);

	seq_printf(m, "target_name:\t%s\n", iter->target->name);
	if (iter->choice.map)
		seq_printf(m, "map_id:\t%u\n", iter->choice.map->id);
}

static const struct bpf_link_ops iter_link_ops = {
	.type = BPF_LINK_TYPE_ITER,
	.name = "iter",
	.release = release_link,
	.free = free_link,
	.update = update,
	.fill_info = fill_info,
	.show_fdinfo = show_fdinfo,
};

static const struct bpf_iter_target *find_target(const struct bpf_prog *prog)
{
	static const char prefix[] = "bpf_iter_";

	for_each_linker_table_entry (target, bpf_iter_targets)
		if (!strcmp(prog->attach_func_name + sizeof(prefix) - 1, target->name))
			return target;
	return NULL;
}

/* Copies what the user chooses. 0 or an errno. */
static int copy_info(const union bpf_attr *attr, union bpf_iter_link_info *info)
{
	const void __user *from = (const void __user *)attr->link_create.iter_info;
	u32 size = attr->link_create.iter_info_len;
	int error;

	memset(info, 0, sizeof(*info));
	if (attr->link_create.target_fd || attr->link_create.flags || !from != !size)
		return -EINVAL;
	error = bpf_check_uarg_tail_zero(from, sizeof(*info), size);
	if (error)
		return error;
	return copy_from_user(info, from, min((size_t)size, sizeof(*info))) ? -EFAULT : 0;
}

/* Takes over prog, also if it fails. */
static int make_link(struct bpf_prog *prog, const struct bpf_iter_target *target,
		     const union bpf_iter_link_info *info)
{
	struct bpf_iter_link *iter = kzalloc(sizeof(*iter), GFP_KERNEL);
	int error;

	if (!iter) {
		bpf_prog_put(prog);
		return -ENOMEM;
	}
	error = target->choose ? target->choose(info, &iter->choice) : 0;
	if (!error)
		error = check_buf_size(iter, prog);
	if (error) {
		put_choice(&iter->choice);
		bpf_prog_put(prog);
		kfree(iter);
		return error;
	}
	bpf_link_init(&iter->link, &iter_link_ops, prog);
	iter->target = target;
	return bpf_link_publish(&iter->link);
}

int bpf_iter_attach(const union bpf_attr *attr, struct bpf_prog *prog)
{
	const struct bpf_iter_target *target = NULL;
	union bpf_iter_link_info info;
	int error = copy_info(attr, &info);

	if (!error) {
		target = find_target(prog);
		error = target ? 0 : -ENOENT;
	}
	if (!error)
		return make_link(prog, target, &info);
	bpf_prog_put(prog);
	return error;
}

static long iter_create(const union bpf_attr *attr, union bpf_attr __user *uattr __unused,
			u32 size __unused)
{
	struct bpf_link *link;
	int result = -EINVAL;

	if (attr->iter_create.flags)
		return -EINVAL;
	link = bpf_link_get_fd((int)attr->iter_create.link_fd);
	if (IS_ERR(link))
		return PTR_ERR(link);
	if (link->ops == &iter_link_ops)
		result = open_link(container_of(link, struct bpf_iter_link, link));
	bpf_link_put(link);
	return result;
}
static const struct bpf_command iter_create_command BPF_COMMAND(iter_create) = {
	BPF_ITER_CREATE, BPF_ATTR_END(iter_create.flags), iter_create
};
