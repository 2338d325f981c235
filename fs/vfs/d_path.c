/* From a dentry back to its name: d_path(). */
#include "fs/vfs/d_path.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/internal.h"
#include "fs/mount/mount.h"
#include "kernel/lib/string.h"

/* Text that grows from the end of a buffer to its start. */
struct backwards {
	char *start; /* of the text */
	char *buf;
	bool overflow;
};

static void prepend(struct backwards *b, const char *s, size_t len)
{
	if (b->overflow || (size_t)(b->start - b->buf) < len) {
		b->overflow = true;
		return;
	}
	b->start -= len;
	memcpy(b->start, s, len);
}

/*
 * Prepends the path up to root. Returns false if it ends at another root: the path cannot be
 * reached from there. rename_lock and mount_lock are held.
 */
static bool prepend_path(struct backwards *b, const struct path *path, const struct path *root)
{
	struct dentry *dentry = path->dentry;
	struct vfsmount *mnt = path->mnt;
	char *end = b->start;
	bool reached;

	/* A text that is too long ends the walk: users choose how deep a tree is. */
	while (!(reached = dentry == root->dentry && mnt == root->mnt) && !b->overflow) {
		if (dentry == mnt->mnt_root) {
			if (mnt->mnt_parent == mnt)
				break;
			dentry = mnt->mnt_mountpoint;
			mnt = mnt->mnt_parent;
			continue;
		}
		if (dentry->d_parent == dentry)
			break;
		prepend(b, dentry->d_name.name, dentry->d_name.len);
		prepend(b, "/", 1);
		dentry = dentry->d_parent;
	}
	if (b->start == end)
		prepend(b, "/", 1);
	return reached;
}

/* rename_lock is held: a rename takes a dentry off its hash for a moment. */
static bool name_removed(const struct path *path)
{
	return list_empty(&path->dentry->d_hash) && path->dentry->d_parent != path->dentry &&
	       path->dentry != path->mnt->mnt_root;
}

bool d_unlinked(const struct path *path)
{
	bool removed;

	read_seqlock_excl(&rename_lock);
	removed = name_removed(path);
	read_sequnlock_excl(&rename_lock);
	return removed;
}

void dentry_name(const struct dentry *dentry, char *buf, size_t size)
{
	read_seqlock_excl(&rename_lock);
	(void)strscpy(buf, dentry->d_name.name, size);
	read_sequnlock_excl(&rename_lock);
}

char *d_path_from(const struct path *path, const struct path *root, bool *reached, char *buf,
		  size_t size)
{
	struct backwards b = { .start = buf + size, .buf = buf };

	prepend(&b, "", 1);
	/* A bind mount of such a file has a place: its mount point. */
	if ((path->dentry->d_flags & DCACHE_PSEUDO) && path->dentry != path->mnt->mnt_root) {
		prepend(&b, path->dentry->d_name.name, path->dentry->d_name.len);
		*reached = true;
	} else {
		read_seqlock_excl(&rename_lock);
		if (name_removed(path))
			prepend(&b, " (deleted)", 10);
		read_seqlock_excl(&mount_lock);
		*reached = prepend_path(&b, path, root);
		read_sequnlock_excl(&mount_lock);
		read_sequnlock_excl(&rename_lock);
	}
	return b.overflow ? ERR_PTR(-ENAMETOOLONG) : b.start;
}

char *d_path(const struct path *path, char *buf, size_t size)
{
	struct fs_struct *fs = current_fs();
	bool reached;
	char *name;

	/* Not a reference, which could be the last one at its end: this does not sleep. */
	spin_lock(&fs->lock);
	name = d_path_from(path, &fs->root, &reached, buf, size);
	spin_unlock(&fs->lock);
	return name;
}
