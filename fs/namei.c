/*
 * The path walk: from a name to a dentry.
 *
 * The walk is a loop over the components of the name. A symbolic link is not a recursion: the text
 * of the link and the rest of the name become the new name, and the loop continues. After
 * MAXSYMLINKS links the walk returns -ELOOP. The only user is root, so permission bits are stored
 * and shown, but no walk checks them.
 */
#include "fs/internal.h"
#include "fs/namei.h"
#include "fs/namespace.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"

static void set_root(struct nameidata *nd)
{
	dput(nd->path.dentry);
	root_path(&nd->path);
}

int nameidata_begin(struct nameidata *nd, const char *name)
{
	size_t len = strnlen(name, PATH_MAX);

	if (len == 0)
		return -ENOENT;
	if (len == PATH_MAX)
		return -ENAMETOOLONG;
	*nd = (struct nameidata){ .rest = name };
	if (name[0] == '/')
		root_path(&nd->path);
	else
		current_cwd(&nd->path);
	return 0;
}

void nameidata_end(struct nameidata *nd)
{
	dput(nd->path.dentry);
	kfree(nd->buf);
}

void path_get(const struct path *path)
{
	dget(path->dentry);
}

void path_put(const struct path *path)
{
	dput(path->dentry);
}

int pick_link(struct nameidata *nd, struct dentry *link)
{
	struct inode *inode = link->d_inode;
	char *text = inode->i_link, *name;
	size_t text_len, rest_len;

	if (++nd->links > MAXSYMLINKS)
		return -ELOOP;
	if (!text) {
		text = inode->i_op->get_link ? inode->i_op->get_link(link) : ERR_PTR(-EINVAL);
		if (IS_ERR(text))
			return (int)PTR_ERR(text);
	}
	text_len = strlen(text);
	rest_len = strlen(nd->rest);
	name = text_len ? kmalloc(text_len + rest_len + 2, GFP_KERNEL) : NULL;
	if (name) {
		memcpy(name, text, text_len);
		if (nd->trailing_slash)
			name[text_len++] = '/';
		memcpy(name + text_len, nd->rest, rest_len + 1);
	}
	if (text != inode->i_link)
		kfree(text);
	if (!name)
		return text_len ? -ENOMEM : -ENOENT;
	kfree(nd->buf);
	nd->buf = name;
	nd->rest = name;
	if (name[0] == '/')
		set_root(nd);
	return 1;
}

/* If a file system is mounted at path, moves path to the root of that mount. */
static void follow_mounts(struct path *path)
{
	struct vfsmount *mnt;

	while (d_mountpoint(path->dentry) && (mnt = lookup_mnt(path))) {
		dput(path->dentry);
		path->mnt = mnt;
		path->dentry = dget(mnt->mnt_root);
	}
}

static void follow_dotdot(struct nameidata *nd)
{
	struct path *path = &nd->path;
	struct dentry *up;

	while (path->dentry == path->mnt->mnt_root && path->mnt->mnt_parent != path->mnt) {
		up = dget(path->mnt->mnt_mountpoint);
		path->mnt = path->mnt->mnt_parent;
		dput(path->dentry);
		path->dentry = up;
	}
	up = dget(path->dentry->d_parent);
	dput(path->dentry);
	path->dentry = up;
	follow_mounts(path);
}

/* Returns the cached dentry if it is still valid, else NULL. */
static struct dentry *lookup_fast(struct dentry *parent, const struct qstr *name)
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
	struct dentry *dentry = lookup_fast(parent, name);
	int err;

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

/* Returns a counted child, or an ERR_PTR. The caller does not hold the parent's i_mutex. */
static struct dentry *lookup(struct dentry *parent, const struct qstr *name)
{
	struct dentry *dentry = lookup_fast(parent, name);

	if (dentry)
		return dentry;
	if (!parent->d_inode->i_op->lookup)
		return ERR_PTR(-ENOENT);
	mutex_lock(&parent->d_inode->i_mutex);
	dentry = lookup_locked(parent, name);
	mutex_unlock(&parent->d_inode->i_mutex);
	return dentry ? dentry : ERR_PTR(-ENOENT);
}

void step_into(struct nameidata *nd, struct dentry *dentry)
{
	dput(nd->path.dentry);
	nd->path.dentry = dentry;
	follow_mounts(&nd->path);
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
	if (nd->last_type == LAST_DOTDOT) {
		follow_dotdot(nd);
		return 0;
	}
	dentry = lookup(nd->path.dentry, &nd->last);
	if (IS_ERR(dentry))
		return (int)PTR_ERR(dentry);
	if (follow && S_ISLNK(dentry->d_inode->i_mode)) {
		ret = pick_link(nd, dentry);
		dput(dentry);
		return ret;
	}
	step_into(nd, dentry);
	return 0;
}

/* Moves the next component of nd->rest to nd->last. Returns 0 or -ENAMETOOLONG. */
static int next_component(struct nameidata *nd)
{
	const char *s = nd->rest + strspn(nd->rest, "/");
	size_t len = strcspn(s, "/");

	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	nd->last = (struct qstr){ .name = s, .len = (u32)len };
	nd->last_type = LAST_NORM;
	if (len == 0)
		nd->last_type = LAST_ROOT;
	else if (len == 1 && s[0] == '.')
		nd->last_type = LAST_DOT;
	else if (len == 2 && s[0] == '.' && s[1] == '.')
		nd->last_type = LAST_DOTDOT;
	s += len;
	nd->trailing_slash = *s == '/';
	nd->rest = s + strspn(s, "/");
	return 0;
}

int link_path_walk(struct nameidata *nd)
{
	for (;;) {
		int ret;

		if (!S_ISDIR(nd->path.dentry->d_inode->i_mode))
			return -ENOTDIR;
		ret = next_component(nd);
		if (ret)
			return ret;
		if (!*nd->rest)
			return 0;
		ret = walk_component(nd, true);
		if (ret < 0)
			return ret;
	}
}

int path_lookupat(struct nameidata *nd, unsigned flags)
{
	int ret;

	do {
		ret = link_path_walk(nd);
		if (!ret && nd->last_type != LAST_ROOT)
			ret = walk_component(nd, (flags & LOOKUP_FOLLOW) || nd->trailing_slash);
	} while (ret > 0);
	if (ret)
		return ret;
	if (((flags & LOOKUP_DIRECTORY) || nd->trailing_slash) &&
	    !S_ISDIR(nd->path.dentry->d_inode->i_mode))
		return -ENOTDIR;
	return 0;
}

int kern_path(const char *name, unsigned flags, struct path *path)
{
	struct nameidata nd;
	int err = nameidata_begin(&nd, name);

	if (err)
		return err;
	err = path_lookupat(&nd, flags);
	if (!err) {
		*path = nd.path;
		path_get(path);
	}
	nameidata_end(&nd);
	return err;
}

char *d_path(const struct path *path, char *buf, size_t size)
{
	struct dentry *dentry = path->dentry;
	struct vfsmount *mnt = path->mnt;
	const char *suffix =
		list_empty(&dentry->d_hash) && dentry != mnt->mnt_root ? " (deleted)" : "";
	char *end = buf + size, *p;

	if (size < strlen(suffix) + 2)
		return ERR_PTR(-ENAMETOOLONG);
	p = end - strlen(suffix) - 1;
	memcpy(p, suffix, strlen(suffix) + 1);
	for (;;) {
		if (dentry == mnt->mnt_root) {
			if (mnt->mnt_parent == mnt)
				break;
			dentry = mnt->mnt_mountpoint;
			mnt = mnt->mnt_parent;
			continue;
		}
		if ((size_t)(p - buf) < dentry->d_name.len + 1)
			return ERR_PTR(-ENAMETOOLONG);
		p -= dentry->d_name.len;
		memcpy(p, dentry->d_name.name, dentry->d_name.len);
		*--p = '/';
		dentry = dentry->d_parent;
	}
	if (*p != '/') {
		if (p == buf)
			return ERR_PTR(-ENAMETOOLONG);
		*--p = '/';
	}
	return p;
}
