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
		file = alloc_empty_file(O_RDONLY | O_LARGEFILE);
	if (!IS_ERR(file)) {
		err = path_permission(&path, MAY_EXEC);
		err = err ? err : vfs_open(&path, file);
		if (err) {
			fput(file);
			file = ERR_PTR(err);
		}
	}
	path_put(&path);
	return file;
}
