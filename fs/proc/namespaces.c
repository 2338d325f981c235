/* /proc/PID/ns: a link for each namespace in which the task is. All tasks are in the same ones. */
#include "fs/vfs/libfs.h"
#include "fs/mount/nsfs.h"
#include "fs/proc/internal.h"
#include "kernel/lib/string.h"

/* In the order in which readdir lists them. */
static const struct ns_link {
	const char *name;
	enum ns_kind kind;
} ns_links[] = {
	{ "net", NS_NET },
	{ "uts", NS_UTS },
	{ "ipc", NS_IPC },
	{ "pid", NS_PID },
	{ "pid_for_children", NS_PID },
	{ "user", NS_USER },
	{ "mnt", NS_MNT },
	{ "cgroup", NS_CGROUP },
	{ "time", NS_TIME },
	{ "time_for_children", NS_TIME },
};

static int ns_link_get_path(struct dentry *dentry, struct path *path)
{
	const struct proc_object *object = proc_object(dentry->d_inode);

	if (lock_trace(object->task, PTRACE_MODE_READ_FSCREDS))
		return -EACCES;
	ns_get_path(ns_links[object->fd].kind, path);
	unlock_trace(object->task);
	return 0;
}

static char *ns_link_get_link(struct dentry *dentry)
{
	return proc_link_text(dentry, ns_link_get_path);
}

static const struct inode_operations ns_link_operations = {
	.get_link = ns_link_get_link,
	.get_path = ns_link_get_path,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static int ns_dir_lookup(struct inode *dir, struct dentry *dentry)
{
	struct proc_object object = *proc_object(dir);

	for (object.fd = 0; object.fd < ARRAY_SIZE(ns_links); object.fd++)
		if (!strcmp(ns_links[object.fd].name, dentry->d_name.name))
			return proc_instantiate(dentry, &object, S_IFLNK | S_IRWXUGO,
						&ns_link_operations, NULL);
	return -ENOENT;
}

const struct inode_operations proc_ns_dir_inode_operations = {
	.lookup = ns_dir_lookup,
	.revalidate = proc_task_revalidate,
	.fixed_mode = true,
};

static int ns_dir_iterate(struct file *file, struct dir_context *ctx)
{
	struct inode *dir = file->f_inode;

	if (!proc_task_alive(proc_object(dir)->task))
		return -ENOENT;
	if (!dir_emit_dots(file->f_path.dentry, ctx))
		return 0;
	for (; (u64)ctx->pos - 2 < ARRAY_SIZE(ns_links); ctx->pos++) {
		const char *name = ns_links[ctx->pos - 2].name;

		if (!ctx->actor(ctx, name, strlen(name), ctx->pos, dir->i_ino + (u64)ctx->pos,
				DT_LNK))
			break;
	}
	return 0;
}

const struct file_operations proc_ns_dir_operations = {
	.iterate = ns_dir_iterate,
	.llseek = dcache_dir_lseek,
};
