/* Opening a program by its name, to execute it. */
#include "fs/exec/binprm.h"
#include "fs/vfs/internal.h"
#include "fs/vfs/permission.h"

struct file *open_exec(int dfd, const char *name, int at_flags)
{
	unsigned lookup = at_flags & AT_SYMLINK_NOFOLLOW ? 0 : LOOKUP_FOLLOW;
	struct file *file;
	struct path path;
	int err;

	if (at_flags & AT_EMPTY_PATH)
		lookup |= LOOKUP_EMPTY;
	err = kern_path_at(dfd, name, lookup, &path);
	if (err)
		return ERR_PTR(err);
	if (S_ISLNK(path.dentry->d_inode->i_mode))
		file = ERR_PTR(-ELOOP);
	else if (!S_ISREG(path.dentry->d_inode->i_mode))
		file = ERR_PTR(-EACCES);
	else
		file = ERR_PTR(path_permission(&path, MAY_EXEC));
	if (!file)
		file = dentry_open(&path, O_RDONLY | O_LARGEFILE);
	path_put(&path);
	return file;
}
