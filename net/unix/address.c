/* Names of sockets: a path, whose inode is the key, or bytes that begin with a NUL ("abstract"). */
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/namei.h"
#include "fs/vfs/permission.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "net/unix/unix.h"

#define NAME_OFFSET   offsetof(struct sockaddr_un, sun_path)
#define TABLE_BUCKETS 256 /* and one for the sockets without a name */

DEFINE_SPINLOCK(unix_table_lock);
static struct list_head table[TABLE_BUCKETS + 1]; /* [T] of unix_sock.bound; see bucket() */

/* Empty buckets are zero until their first use. unix_table_lock held. */
static struct list_head *bucket(unsigned n)
{
	if (!table[n].next)
		INIT_LIST_HEAD(&table[n]);
	return &table[n];
}

static unsigned hash_bytes(const void *bytes, size_t n)
{
	const u8 *p = bytes;
	u32 hash = 2166136261U;

	while (n--)
		hash = (hash ^ *p++) * 16777619U;
	return (hash ^ hash >> 16) % TABLE_BUCKETS;
}

static unsigned hash_inode(const struct inode *inode)
{
	return hash_bytes(&inode, sizeof(inode));
}

static bool is_abstract(const struct sockaddr_un *name)
{
	return !name->sun_path[0];
}

void unix_insert(struct unix_sock *u)
{
	spin_lock(&unix_table_lock);
	list_add_tail(&u->bound, bucket(TABLE_BUCKETS));
	spin_unlock(&unix_table_lock);
}

void unix_remove(struct unix_sock *u)
{
	struct path path;

	spin_lock(&unix_table_lock);
	list_del_init(&u->bound);
	path = u->path;
	u->path = (struct path){ NULL, NULL };
	spin_unlock(&unix_table_lock);
	if (path.dentry)
		path_put(&path);
}

int unix_check_name(const struct sockaddr_un *name, int len)
{
	if (len <= (int)NAME_OFFSET || len > (int)sizeof(*name))
		return -EINVAL;
	return name->sun_family == AF_UNIX ? 0 : -EINVAL;
}

struct unix_address *unix_address_get(struct unix_sock *u)
{
	struct unix_address *addr;

	spin_lock(&u->lock);
	addr = u->addr;
	if (addr)
		atomic_inc(&addr->count);
	spin_unlock(&u->lock);
	return addr;
}

void unix_address_put(struct unix_address *addr)
{
	if (addr && atomic_dec_and_test(&addr->count))
		kfree(addr);
}

static struct unix_address *make_address(const struct sockaddr_un *name, unsigned len)
{
	struct unix_address *addr = kzalloc(sizeof(*addr), GFP_KERNEL);

	if (!addr)
		return NULL;
	atomic_set(&addr->count, 1);
	memcpy(&addr->name, name, len);
	addr->len =
		is_abstract(name) ? len : (unsigned)(NAME_OFFSET + strlen(addr->name.sun_path) + 1);
	return addr;
}

/* Sockets of each type have abstract names of their own. */
static unsigned hash_name(const struct sockaddr_un *name, unsigned len, unsigned type)
{
	return (hash_bytes(name, len) ^ type) % TABLE_BUCKETS;
}

/* The socket with an abstract name. unix_table_lock held. */
static struct unix_sock *find_abstract(const struct sockaddr_un *name, unsigned len, unsigned type)
{
	struct unix_sock *u;

	list_for_each_entry (u, bucket(hash_name(name, len, type)), bound)
		if (u->sock.type == type && u->addr->len == len &&
		    !memcmp(&u->addr->name, name, len))
			return u;
	return NULL;
}

/*
 * Enters u under its name. path: the file that was made for u, so that no other socket has its
 * inode; NULL: abstract. -EADDRINUSE. bind_lock held.
 */
static int enter(struct unix_sock *u, struct unix_address *addr, const struct path *path)
{
	int err = 0;

	spin_lock(&unix_table_lock);
	if (!path && find_abstract(&addr->name, addr->len, u->sock.type)) {
		err = -EADDRINUSE;
	} else {
		spin_lock(&u->lock);
		u->addr = addr;
		spin_unlock(&u->lock);
		if (path)
			u->path = *path;
		list_del(&u->bound);
		list_add_tail(&u->bound,
			      bucket(path ? hash_inode(path->dentry->d_inode)
					  : hash_name(&addr->name, addr->len, u->sock.type)));
	}
	spin_unlock(&unix_table_lock);
	return err;
}

/*
 * Makes the file: a counted path. It gets the permissions of the socket, which fchmod(2) changes.
 * The name is not looked up again: another task may have renamed a directory of it, so that it
 * leads to the file of a foreign socket.
 */
static int make_node(const struct unix_sock *u, const char *name, struct path *path)
{
	umode_t mode = u->file->f_inode->i_mode & (umode_t)~current_umask();
	struct path parent;
	struct dentry *dentry = kern_path_create(AT_FDCWD, name, &parent, false);
	int err;

	if (IS_ERR(dentry))
		return PTR_ERR(dentry) == -EEXIST ? -EADDRINUSE : (int)PTR_ERR(dentry);
	err = vfs_mknod(parent.dentry->d_inode, dentry, mode, 0);
	if (!err) {
		*path = (struct path){ .mnt = parent.mnt, .dentry = dentry };
		path_get(path);
	}
	done_path_create(&parent, dentry);
	return err;
}

static int bind_locked(struct unix_sock *u, const struct sockaddr_un *name, int len)
{
	struct unix_address *addr;
	struct path path;
	int err = 0;

	if (u->addr)
		return -EINVAL;
	addr = make_address(name, (unsigned)len);
	if (!addr)
		return -ENOMEM;
	if (is_abstract(name)) {
		err = enter(u, addr, NULL);
	} else {
		err = make_node(u, addr->name.sun_path, &path);
		if (!err)
			err = enter(u, addr, &path);
	}
	if (err)
		kfree(addr);
	return err;
}

int unix_bind(struct unix_sock *u, const struct sockaddr_un *name, int len)
{
	int err;

	if (len == (int)NAME_OFFSET && name->sun_family == AF_UNIX)
		return unix_autobind(u);
	err = unix_check_name(name, len);
	if (err)
		return err;
	mutex_lock(&u->bind_lock);
	err = bind_locked(u, name, len);
	mutex_unlock(&u->bind_lock);
	return err;
}

int unix_autobind(struct unix_sock *u)
{
	static atomic_t last;
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int err = 0;

	mutex_lock(&u->bind_lock);
	for (unsigned tries = 0; !u->addr && tries <= 0xfffff; tries++) {
		snprintf(name.sun_path + 1, 6, "%05x",
			 (unsigned)atomic_inc_return(&last) & 0xfffff);
		err = bind_locked(u, &name, NAME_OFFSET + 6);
		if (err != -EADDRINUSE)
			break;
	}
	mutex_unlock(&u->bind_lock);
	return err == -EADDRINUSE ? -ENOSPC : err;
}

static struct unix_sock *find_by_inode(const struct inode *inode)
{
	struct unix_sock *u, *found = NULL;

	spin_lock(&unix_table_lock);
	list_for_each_entry (u, bucket(hash_inode(inode)), bound)
		if (u->path.dentry && u->path.dentry->d_inode == inode) {
			found = unix_get(u);
			break;
		}
	spin_unlock(&unix_table_lock);
	return found;
}

static struct unix_sock *find_by_path(const struct sockaddr_un *name, unsigned len)
{
	char copy[UNIX_PATH_MAX + 1] = "";
	struct unix_sock *u;
	struct inode *inode;
	struct path path;
	int err;

	memcpy(copy, name->sun_path, len - NAME_OFFSET);
	err = kern_path(copy, LOOKUP_FOLLOW, &path);
	if (err)
		return ERR_PTR(err);
	inode = path.dentry->d_inode;
	err = inode_permission(inode, MAY_WRITE);
	u = err || !S_ISSOCK(inode->i_mode) ? NULL : find_by_inode(inode);
	path_put(&path);
	if (err)
		return ERR_PTR(err);
	return u;
}

struct unix_sock *unix_find_other(const struct sockaddr_un *name, unsigned len, unsigned type)
{
	struct unix_sock *u;

	if (is_abstract(name)) {
		spin_lock(&unix_table_lock);
		u = find_abstract(name, len, type);
		if (u)
			unix_get(u);
		spin_unlock(&unix_table_lock);
	} else {
		u = find_by_path(name, len);
	}
	if (IS_ERR(u))
		return u;
	if (!u)
		return ERR_PTR(-ECONNREFUSED);
	if (u->sock.type != type) {
		unix_put(u);
		return ERR_PTR(-EPROTOTYPE);
	}
	return u;
}

struct unix_sock *unix_next_sock(u64 *pos)
{
	struct unix_sock *u, *found = NULL;
	u64 place = 0;

	spin_lock(&unix_table_lock);
	for (unsigned n = 0; n <= TABLE_BUCKETS && !found; n++)
		list_for_each_entry (u, bucket(n), bound)
			if (!found && place++ == *pos)
				found = unix_get(u);
	spin_unlock(&unix_table_lock);
	*pos += 1;
	return found;
}
