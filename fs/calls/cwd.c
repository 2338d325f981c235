/* getcwd(2) and umask(2). */
#include "arch/mm/uaccess.h"
#include "fs/vfs/d_path.h"
#include "fs/vfs/fs_struct.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/syscalls/syscalls.h"

/*
 * Fills page with the name of the current directory. Returns its length with the NUL, or an errno.
 */
static long cwd_name(char *page, char **name)
{
	static const char unreachable[] = "(unreachable)";
	struct path pwd, root;
	bool reached;
	long len;

	get_current_pwd(&pwd);
	get_current_root(&root);
	*name = d_path_from(&pwd, &root, &reached, page, PATH_MAX);
	if (d_unlinked(&pwd))
		*name = ERR_PTR(-ENOENT);
	path_put(&root);
	path_put(&pwd);
	if (IS_ERR(*name))
		return PTR_ERR(*name);
	if (!reached) {
		if (*name - page < (long)sizeof(unreachable))
			return -ENAMETOOLONG;
		*name -= sizeof(unreachable) - 1;
		memcpy(*name, unreachable, sizeof(unreachable) - 1);
	}
	len = (long)strlen(*name) + 1;
	return len;
}

SYSCALL_DEFINE2(getcwd, char __user *, buf, unsigned long, size)
{
	char *page = kmalloc(PATH_MAX, GFP_KERNEL), *name;
	long len;

	if (!page)
		return -ENOMEM;
	len = cwd_name(page, &name);
	if (len > 0 && (unsigned long)len > size)
		len = -ERANGE;
	if (len > 0 && copy_to_user(buf, name, (size_t)len))
		len = -EFAULT;
	kfree(page);
	return len;
}

SYSCALL_DEFINE1(umask, int, mask)
{
	struct fs_struct *fs = writable_fs();
	umode_t old;

	if (!fs)
		return -ENOMEM;
	spin_lock(&fs->lock);
	old = fs->umask;
	fs->umask = (umode_t)mask & S_IRWXUGO;
	spin_unlock(&fs->lock);
	return old;
}
