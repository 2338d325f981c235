/*
 * The path walk: from a name to a dentry.
 *
 * The walk is a loop over the components of the name. A symbolic link is not a recursion: the text
 * of the link and the rest of the name become the new name, and the loop continues. After
 * MAXSYMLINKS links the walk returns -ELOOP. Each directory on the way must be searchable for the
 * current task.
 */
#include "fs/vfs/namei.h"
#include "fs/file/fd.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/hooks.h"
#include "fs/vfs/internal.h"
#include "fs/mount/namespace.h"
#include "fs/vfs/permission.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

#define LOOKUP_SCOPED (LOOKUP_BENEATH | LOOKUP_IN_ROOT)

void path_get(const struct path *path)
{
	mntget(path->mnt);
	dget(path->dentry);
}

void path_put(const struct path *path)
{
	dput(path->dentry);
	mntput(path->mnt);
}

static void take_root(struct nameidata *nd)
{
	if (!nd->root.mnt)
		get_current_root(&nd->root);
}

/* Moves the walk to its root. */
static int jump_to_root(struct nameidata *nd)
{
	if (nd->flags & LOOKUP_BENEATH)
		return -EXDEV;
	take_root(nd);
	if ((nd->flags & LOOKUP_NO_XDEV) && nd->path.mnt && nd->path.mnt != nd->root.mnt)
		return -EXDEV;
	if (nd->path.mnt)
		path_put(&nd->path);
	nd->path = nd->root;
	path_get(&nd->path);
	return 0;
}

/* Starts the walk at a descriptor. empty: the name is empty, so the object may be of any type. */
static int start_at_fd(struct nameidata *nd, int dfd, bool empty)
{
	struct fd f = { .file = fcheck_light(current, (unsigned)dfd) };
	int err = 0;

	if (!f.file && vfs_hooks.fdget_shared)
		f = vfs_hooks.fdget_shared((unsigned)dfd);
	if (!f.file)
		return -EBADF;
	if (!empty && !S_ISDIR(f.file->f_inode->i_mode)) {
		err = -ENOTDIR;
	} else {
		nd->path = f.file->f_path;
		path_get(&nd->path);
	}
	fdput(f);
	return err;
}

int nameidata_begin(struct nameidata *nd, int dfd, const char *name, unsigned flags)
{
	int err = 0;

	if (IS_ERR(name))
		return (int)PTR_ERR(name);
	if (!name[0] && !(flags & LOOKUP_EMPTY))
		return -ENOENT;
	*nd = (struct nameidata){ .rest = name, .flags = flags };
	if (flags & LOOKUP_SCOPED) {
		nd->rename_seq = read_seqbegin(&rename_lock);
		nd->mount_seq = read_seqbegin(&mount_lock);
	}
	if (name[0] == '/' && !(flags & LOOKUP_SCOPED))
		return jump_to_root(nd);
	if (dfd == AT_FDCWD)
		get_current_pwd(&nd->path);
	else
		err = start_at_fd(nd, dfd, !name[0]);
	if (!err && (flags & LOOKUP_SCOPED)) {
		nd->root = nd->path;
		path_get(&nd->root);
		if (name[0] == '/' && (flags & LOOKUP_BENEATH)) {
			nameidata_end(nd);
			return -EXDEV;
		}
	}
	return err;
}

void nameidata_end(struct nameidata *nd)
{
	if (nd->path.dentry)
		path_put(&nd->path);
	if (nd->root.mnt)
		path_put(&nd->root);
	if (nd->buf)
		kfree(nd->buf);
}

/* Makes the text of a link and the rest of the name the new name. Returns 1 or a negative errno. */
static int walk_text(struct nameidata *nd, const char *text)
{
	size_t text_len = strlen(text), rest_len = strlen(nd->rest);
	char *name;

	if (!text_len)
		return -ENOENT;
	name = kmalloc(text_len + rest_len + 2, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	memcpy(name, text, text_len);
	if (nd->trailing_slash)
		name[text_len++] = '/';
	memcpy(name + text_len, nd->rest, rest_len + 1);
	kfree(nd->buf);
	nd->buf = name;
	nd->rest = name;
	if (name[0] == '/') {
		int err = jump_to_root(nd);

		if (err)
			return err;
	}
	return 1;
}

/* Continues at the object itself that the link names. */
static int jump_to_object(struct nameidata *nd, struct dentry *link)
{
	struct path path;
	int err;

	if (nd->flags & LOOKUP_NO_MAGICLINKS)
		return -ELOOP;
	if (nd->flags & LOOKUP_SCOPED)
		return -EXDEV;
	err = link->d_inode->i_op->get_path(link, &path);
	if (err)
		return err;
	if ((nd->flags & LOOKUP_NO_XDEV) && path.mnt != nd->path.mnt) {
		path_put(&path);
		return -EXDEV;
	}
	path_put(&nd->path);
	nd->path = path;
	/* The walk has arrived, unless more components follow. */
	nd->last_type = LAST_ROOT;
	return 1;
}

int pick_link(struct nameidata *nd, struct dentry *link)
{
	struct inode *inode = link->d_inode;
	char *text = inode->i_link;
	int ret;

	if (++nd->links > MAXSYMLINKS || (nd->flags & LOOKUP_NO_SYMLINKS))
		return -ELOOP;
	if (inode->i_op->get_path)
		return jump_to_object(nd, link);
	if (!text) {
		text = inode->i_op->get_link ? inode->i_op->get_link(link) : ERR_PTR(-EINVAL);
		if (IS_ERR(text))
			return (int)PTR_ERR(text);
	}
	ret = walk_text(nd, text);
	if (text != inode->i_link)
		kfree(text);
	return ret;
}

int complete_walk(const struct nameidata *nd)
{
	return !(nd->flags & LOOKUP_SCOPED) || path_is_under(&nd->path, &nd->root) ? 0 : -EXDEV;
}

static bool same_path(const struct path *a, const struct path *b)
{
	return a->dentry == b->dentry && a->mnt == b->mnt;
}

/*
 * Before ".." at the root of a mount: moves the walk to the place on which the mount stands.
 * Repeats this while the place is the root of another mount. Returns false if ".." stays where the
 * walk is: at the walk's own root, or at the first mount.
 */
static bool leave_mounts(struct nameidata *nd)
{
	struct path up = nd->path;
	bool leaves;

	if (same_path(&up, &nd->root))
		return false;
	if (up.dentry != up.mnt->mnt_root)
		return true;
	path_get(&up);
	do {
		leaves = follow_up(&up) && !same_path(&up, &nd->root);
	} while (leaves && up.dentry == up.mnt->mnt_root);
	if (leaves) {
		path_put(&nd->path);
		nd->path = up;
	} else {
		path_put(&up);
	}
	return leaves;
}

/*
 * Moves path to the parent directory, in the same mount. -ENOENT: a rename has moved the directory
 * out of the part of its file system that a bind mount shows. From there, no way leads up.
 */
static int to_parent(struct path *path)
{
	const struct vfsmount *mnt = path->mnt;
	struct dentry *parent;

	read_seqlock_excl(&rename_lock);
	parent = dget(path->dentry->d_parent);
	read_sequnlock_excl(&rename_lock);
	if (mnt->mnt_root != mnt->mnt_sb->s_root && !d_is_below(parent, mnt->mnt_root)) {
		dput(parent);
		return -ENOENT;
	}
	dput(path->dentry);
	path->dentry = parent;
	return 0;
}

/*
 * For a walk that must stay below its start. Normally it does: each step goes down, and ".." at the
 * start stays there. A rename or a moved mount can break that: ".." may then lead to another
 * directory than the one the walk came from, and past the start. So such a change ends the walk, as
 * in Linux.
 */
static int still_scoped(const struct nameidata *nd)
{
	if (!(nd->flags & LOOKUP_SCOPED))
		return 0;
	return read_seqretry(&rename_lock, nd->rename_seq) ||
			       read_seqretry(&mount_lock, nd->mount_seq)
		       ? -EAGAIN
		       : 0;
}

static int follow_dotdot(struct nameidata *nd)
{
	struct vfsmount *mnt = nd->path.mnt;

	take_root(nd);
	if (leave_mounts(nd)) {
		int err = to_parent(&nd->path);

		if (err)
			return err;
	} else if (nd->flags & LOOKUP_BENEATH) {
		return -EXDEV;
	}
	follow_mounts(&nd->path);
	if ((nd->flags & LOOKUP_NO_XDEV) && nd->path.mnt != mnt)
		return -EXDEV;
	return still_scoped(nd);
}

/* Returns the cached dentry if it is still valid, else NULL. */
static struct dentry *lookup_dcache(struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry = d_lookup(parent, name);

	if (dentry && (READ_ONCE(dentry->d_flags) & DCACHE_REVALIDATE) &&
	    !dentry->d_inode->i_op->revalidate(dentry)) {
		d_drop(dentry);
		dput(dentry);
		return NULL;
	}
	return dentry;
}

struct dentry *lookup_locked(struct dentry *parent, const struct qstr *name)
{
	struct inode *dir = parent->d_inode;
	struct dentry *dentry;
	int err;

	if (name->len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	dentry = lookup_dcache(parent, name);
	if (dentry || !dir->i_op->lookup)
		return dentry;
	dentry = d_alloc(parent, name);
	if (!dentry)
		return ERR_PTR(-ENOMEM);
	err = dir->i_op->lookup(dir, dentry);
	if (err) {
		dput(dentry);
		return ERR_PTR(err);
	}
	return dentry;
}

/*
 * The cached dentry of the next component, or NULL. noinline because tools probe it by this name of
 * Linux's, and read nd.
 */
static noinline struct dentry *lookup_fast(struct nameidata *nd)
{
	return lookup_dcache(nd->path.dentry, &nd->last);
}

/* Returns a counted child, or an ERR_PTR. The caller does not hold the parent's i_mutex. */
static struct dentry *lookup(struct nameidata *nd)
{
	struct dentry *parent = nd->path.dentry, *dentry;

	if (nd->last.len > NAME_MAX)
		return ERR_PTR(-ENAMETOOLONG);
	dentry = lookup_fast(nd);
	if (dentry)
		return dentry;
	if (!parent->d_inode->i_op->lookup)
		return ERR_PTR(-ENOENT);
	mutex_lock(&parent->d_inode->i_mutex);
	dentry = lookup_locked(parent, &nd->last);
	mutex_unlock(&parent->d_inode->i_mutex);
	return dentry ? dentry : ERR_PTR(-ENOENT);
}

/* Enters the mount on nd->path, and makes it first if a walk makes it. 0 or a negative errno. */
static int enter_mounts(struct nameidata *nd)
{
	struct vfsmount *mnt = nd->path.mnt;
	int err = 0;

	follow_mounts(&nd->path);
	if ((READ_ONCE(nd->path.dentry->d_flags) & DCACHE_AUTOMOUNT) &&
	    (nd->trailing_slash || (nd->flags & (LOOKUP_DIRECTORY | LOOKUP_AUTOMOUNT))))
		err = follow_automount(&nd->path);
	if (!err && (nd->flags & LOOKUP_NO_XDEV) && nd->path.mnt != mnt)
		err = -EXDEV;
	return err;
}

int step_into(struct nameidata *nd, struct dentry *dentry)
{
	dput(nd->path.dentry);
	nd->path.dentry = dentry;
	if (likely(!(READ_ONCE(dentry->d_flags) & (DCACHE_MOUNTED | DCACHE_AUTOMOUNT))))
		return 0;
	return enter_mounts(nd);
}

/*
 * Walks to nd->last. Returns 0, or 1 if a link's text has replaced the rest of the name, or a
 * negative errno.
 */
static int walk_component(struct nameidata *nd, bool follow)
{
	struct dentry *dentry;
	int ret;

	if (nd->last_type == LAST_DOT)
		return 0;
	if (nd->last_type == LAST_DOTDOT)
		return follow_dotdot(nd);
	dentry = lookup(nd);
	if (IS_ERR(dentry))
		return (int)PTR_ERR(dentry);
	if (follow && S_ISLNK(dentry->d_inode->i_mode)) {
		ret = pick_link(nd, dentry);
		dput(dentry);
		return ret;
	}
	return step_into(nd, dentry);
}

static inline const char *skip_slashes(const char *s)
{
	while (*s == '/')
		s++;
	return s;
}

/* Moves the next component of nd->rest to nd->last. */
static void next_component(struct nameidata *nd)
{
	const char *s = skip_slashes(nd->rest), *end = s;
	size_t len;

	while (*end && *end != '/')
		end++;
	len = (size_t)(end - s);
	nd->last = (struct qstr){ .name = s, .len = (u32)len };
	nd->last_type = LAST_NORM;
	if (len == 0)
		nd->last_type = LAST_ROOT;
	else if (len == 1 && s[0] == '.')
		nd->last_type = LAST_DOT;
	else if (len == 2 && s[0] == '.' && s[1] == '.')
		nd->last_type = LAST_DOTDOT;
	nd->trailing_slash = *end == '/';
	nd->rest = skip_slashes(end);
}

int link_path_walk(struct nameidata *nd)
{
	for (;;) {
		struct inode *dir = nd->path.dentry->d_inode;
		int ret;

		if (!*nd->rest) { /* behind a link of proc, or the empty name */
			nd->last_type = LAST_ROOT;
			nd->trailing_slash = false;
			return 0;
		}
		if (!S_ISDIR(dir->i_mode))
			return -ENOTDIR;
		ret = inode_permission(dir, MAY_EXEC);
		if (ret)
			return ret;
		next_component(nd);
		if (!*nd->rest)
			return 0;
		ret = walk_component(nd, true);
		if (ret < 0)
			return ret;
	}
}

int path_lookupat(struct nameidata *nd)
{
	bool slash = false;
	int ret;

	do {
		ret = link_path_walk(nd);
		slash |= nd->trailing_slash;
		if (!ret && nd->last_type != LAST_ROOT)
			ret = walk_component(nd, (nd->flags & LOOKUP_FOLLOW) || nd->trailing_slash);
	} while (ret > 0);
	if (!ret)
		ret = complete_walk(nd);
	if (ret)
		return ret;
	if (((nd->flags & LOOKUP_DIRECTORY) || slash) && !S_ISDIR(nd->path.dentry->d_inode->i_mode))
		return -ENOTDIR;
	return 0;
}

int kern_path_at(int dfd, const char *name, unsigned flags, struct path *path)
{
	struct nameidata nd;
	int err = nameidata_begin(&nd, dfd, name, flags);

	if (err)
		return err;
	err = path_lookupat(&nd);
	if (!err) {
		*path = nd.path;
		nd.path.dentry = NULL; /* the reference goes to the caller */
	}
	nameidata_end(&nd);
	return err;
}

int kern_path(const char *name, unsigned flags, struct path *path)
{
	return kern_path_at(AT_FDCWD, name, flags, path);
}
