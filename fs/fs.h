/*
 * The virtual file system: what every file system, every file and every walker of paths agrees on.
 *
 * A name is a dentry, an object is an inode, an open file is a file; a path is a dentry seen
 * through a mount. All of it under Linux's names. Everything here is for task context with
 * preemption on, unless it says otherwise. Buffers are kernel memory: there is no user space yet.
 *
 * Lock order: inode->i_mutex of a directory, then dentry->d_lock or a dcache bucket (leaves). No
 * two i_mutex are ever held at once by the VFS.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/lib/list.h"
#include "kernel/sched/mutex.h"

struct dentry;
struct file;
struct inode;
struct poll_table_struct;
struct super_block;
struct vfsmount;

#define PATH_MAX     4096 /* bytes of a path, with its NUL */
#define NAME_MAX     255  /* bytes of one component */
#define MAXSYMLINKS  40
#define MAX_RW_COUNT 0x7ffff000UL /* bytes that one read or write moves at most */

/* open(2). */
#define O_RDONLY    00
#define O_WRONLY    01
#define O_RDWR      02
#define O_ACCMODE   03
#define O_CREAT     0100
#define O_EXCL      0200
#define O_TRUNC     01000
#define O_APPEND    02000
#define O_NONBLOCK  04000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW  0400000
#define O_CLOEXEC   02000000

/* inode(7): i_mode. */
#define S_IFMT      0170000
#define S_IFLNK     0120000
#define S_IFREG     0100000
#define S_IFBLK     0060000
#define S_IFDIR     0040000
#define S_IFCHR     0020000
#define S_IFIFO     0010000
#define S_ISUID     04000
#define S_ISGID     02000
#define S_ISVTX     01000
#define S_ISLNK(m)  (((m)&S_IFMT) == S_IFLNK)
#define S_ISREG(m)  (((m)&S_IFMT) == S_IFREG)
#define S_ISDIR(m)  (((m)&S_IFMT) == S_IFDIR)
#define S_ISCHR(m)  (((m)&S_IFMT) == S_IFCHR)
#define S_ISFIFO(m) (((m)&S_IFMT) == S_IFIFO)
#define S_IALLUGO   07777
#define S_IRWXUGO   0777

#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

/* A device number as stat(2) shows it: Linux's 32-bit layout for small numbers. */
#define MKDEV(major, minor) (((u32)(major) << 8) | (u32)(minor))
#define MAJOR(dev)          ((unsigned)(dev) >> 8)
#define MINOR(dev)          ((unsigned)(dev)&0xff)

/*
 * Legend: [C] constant once others can see it; [M] inode->i_mutex (of the parent directory for a
 * dentry); [D] dentry->d_lock; [B] the dcache bucket's lock; [A] atomic; [P] file->f_pos_lock where
 * the file has positions (FMODE_ATOMIC_POS).
 */

struct qstr {
	const char *name; /* not terminated when it is a piece of a path */
	u32 len;
	u32 hash; /* set by the dcache */
};

/* One name in one directory. It is found as long as it is hashed, and lives as long as it is
 * counted. */
struct dentry {
	atomic_t d_count; /* [A] 0 only under B, on the way to being freed */
	unsigned d_flags; /* [D] DCACHE_* */
	spinlock_t d_lock;
	struct dentry *d_parent;    /* [C] counted; itself for a root */
	struct qstr d_name;         /* [C] terminated */
	struct inode *d_inode;      /* [C] counted */
	struct super_block *d_sb;   /* [C] */
	struct list_head d_hash;    /* [B] */
	struct list_head d_child;   /* [D of the parent] among its d_subdirs, when pinned */
	struct list_head d_subdirs; /* [D] pinned children in order of d_off */
	u64 d_off;                  /* [C] readdir position in the parent */
	u64 d_next_off;             /* [D] the next child's d_off */
	void *d_fsdata;             /* the file system's */
};

#define DCACHE_MOUNTED    0x01 /* something is mounted here: look in the mount table */
#define DCACHE_DEAD       0x02 /* removed: nothing can be created below */
#define DCACHE_PINNED     0x04 /* the directory holds a reference (ramfs and the like) */
#define DCACHE_REVALIDATE 0x08 /* ask i_op->revalidate before use */

struct inode {
	umode_t i_mode;   /* type [C], permission bits [M] */
	u32 i_nlink;      /* [M] */
	u64 i_ino;        /* [C] */
	u32 i_rdev;       /* [C] of a device */
	atomic_t i_count; /* [A] */
	struct mutex i_mutex;
	loff_t i_size;                       /* [M] bytes */
	u64 i_blocks;                        /* [M] 512-byte units */
	ktime_t i_mtime, i_ctime, i_atime;   /* ns since boot; a lost update is harmless */
	struct super_block *i_sb;            /* [C] */
	const struct inode_operations *i_op; /* [C] never NULL */
	const struct file_operations *i_fop; /* [C] */
	void *i_private;                     /* [C] whose, the file system says */
	char *i_link;               /* [C] the text of a symbolic link, freed with the inode */
	struct file_owner *i_owner; /* [C] who makes the file work, or NULL for one that stays */
};

/* Called with the directory's i_mutex held. dentry: new, named, not yet instantiated. */
struct inode_operations {
	/* Find a name that is not in the dcache: 0 after d_add(), or a negative errno. NULL:
	 * -ENOENT. */
	int (*lookup)(struct inode *dir, struct dentry *dentry);
	/* Is a cached DCACHE_REVALIDATE dentry still true? No lock held; may not sleep. */
	bool (*revalidate)(struct dentry *dentry);
	int (*create)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*mkdir)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*symlink)(struct inode *dir, struct dentry *dentry, const char *target);
	int (*mknod)(struct inode *dir, struct dentry *dentry, umode_t mode, u32 dev);
	/* May refuse; the VFS takes the name away when they return 0. NULL: -EPERM. */
	int (*unlink)(struct inode *dir, struct dentry *dentry);
	int (*rmdir)(struct inode *dir, struct dentry *dentry);
	/* A symbolic link's text without i_link: kmalloc()ed, or ERR_PTR. No lock held. */
	char *(*get_link)(struct dentry *dentry);
	/* Make a regular file length bytes long. NULL: O_TRUNC is accepted and does nothing. */
	int (*truncate)(struct inode *inode, loff_t length);
	/* Refresh what stat shows. No lock held. NULL: nothing to do. */
	void (*getattr)(struct inode *inode);
};

/* readdir's way to hand an entry to its caller; false when there is no more room. */
struct dir_context {
	bool (*actor)(struct dir_context *ctx, const char *name, size_t len, loff_t pos, u64 ino,
		      unsigned type);
	loff_t pos;
};

/* One component's DT_* type, from its mode. */
#define DT_UNKNOWN 0
#define DT_FIFO    1
#define DT_CHR     2
#define DT_DIR     4
#define DT_REG     8
#define DT_LNK     10
#define S_DT(mode) (((mode)&S_IFMT) >> 12)

/*
 * What can be done with an open file. Task context, may sleep, no lock held but for iterate. A NULL
 * read or write is -EINVAL, as in Linux. read and write get and move *pos (they may ignore it),
 * return the bytes moved or a negative errno, and -EINTR (0 bytes moved) when a signal cut a sleep
 * short.
 */
struct file_operations {
	int (*open)(struct inode *inode, struct file *file);
	/* The last reference is gone. */
	int (*release)(struct inode *inode, struct file *file);
	ssize_t (*read)(struct file *file, char *buf, size_t count, loff_t *pos);
	ssize_t (*write)(struct file *file, const char *buf, size_t count, loff_t *pos);
	/* NULL: -ESPIPE. */
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	/*
	 * Ready events (POLL*), after poll_wait() on each queue that will tell. The caller's task
	 * state is already set to sleep: must not sleep. NULL: always ready.
	 */
	unsigned (*poll)(struct file *file, struct poll_table_struct *wait);
	/* The directory's i_mutex is held. */
	int (*iterate)(struct file *file, struct dir_context *ctx);
	/* NULL: -ENOTTY. */
	long (*ioctl)(struct file *file, unsigned cmd, unsigned long arg);
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

#define FMODE_READ       0x1
#define FMODE_WRITE      0x2
#define FMODE_OWNED      0x4000 /* counted by i_owner */
#define FMODE_ATOMIC_POS 0x8000 /* f_pos is shared state: regular files and directories */

struct file {
	struct path f_path;                 /* [C] counted; empty for a pipe's ends */
	struct inode *f_inode;              /* [C] counted */
	const struct file_operations *f_op; /* [C] never NULL */
	unsigned f_flags;                   /* O_* */
	unsigned f_mode;                    /* [C] FMODE_* */
	atomic_t f_count;                   /* [A] */
	struct mutex f_pos_lock;
	loff_t f_pos;       /* [P] */
	void *private_data; /* the file operations' */
};

struct super_operations {
	/* The last reference to an inode is gone: free what hangs on it. */
	void (*evict_inode)(struct inode *inode);
};

struct file_system_type {
	const char *name;
	bool nodev; /* shown by /proc/filesystems */
	/* Fill sb: s_root at least. 0 or a negative errno. Called once: each type has one instance.
	 */
	int (*fill_super)(struct super_block *sb);
	struct super_block *sb;   /* [mount_mutex] */
	struct list_head fs_list; /* [mount_mutex] */
};

struct super_block {
	const struct file_system_type *s_type; /* [C] */
	struct dentry *s_root;                 /* [C] */
	const struct super_operations *s_op;   /* [C] */
	u32 s_dev;                             /* [C] what stat shows */
	int s_no_op_error; /* [C] what a missing read or write says: -EINVAL; proc -EIO */
};

/* A file system's tree at a place. Mounts are for ever: there is no umount. */
struct vfsmount {
	struct dentry *mnt_root;       /* [C] */
	struct super_block *mnt_sb;    /* [C] */
	struct vfsmount *mnt_parent;   /* [C] itself for the root mount */
	struct dentry *mnt_mountpoint; /* [C] in mnt_parent */
	const char *mnt_devname;       /* [C] */
	struct list_head mnt_list;     /* [mount_lock] */
};

/* ---- paths ---- */

#define LOOKUP_FOLLOW    0x1 /* follow a symbolic link in the last component */
#define LOOKUP_DIRECTORY 0x2 /* -ENOTDIR unless it is a directory */

/*
 * Walk name from the root or the current directory. 0 and a counted path (path_put() it), or
 * -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG, -ENOMEM.
 */
int kern_path(const char *name, unsigned flags, struct path *path);
void path_get(const struct path *path);
void path_put(const struct path *path);
/* The absolute path, at the end of buf; -ENAMETOOLONG as an ERR_PTR. " (deleted)" follows a removed
 * name. */
char *d_path(const struct path *path, char *buf, size_t size);

/* ---- opening and closing, without a descriptor ---- */

/* A counted file (fput() it) or an ERR_PTR. mode: permission bits of a file that O_CREAT makes. */
struct file *filp_open(const char *path, int flags, umode_t mode);
struct file *do_filp_open(const char *path, int flags, umode_t mode);
/* A file on an inode without a name (a pipe's end). Takes over the caller's inode reference on
 * success. */
struct file *alloc_file(struct inode *inode, unsigned f_mode, unsigned f_flags,
			const struct file_operations *fops);
/* The two ends of a new pipe: [0] to read, [1] to write. flags: O_NONBLOCK. 0, -ENFILE or -ENOMEM.
 */
int create_pipe_files(struct file *files[2], unsigned flags);
int vfs_open(const struct path *path, struct file *file);
struct file *get_file(struct file *file);
/* Drop a reference; the last one releases the file. */
void fput(struct file *file);
int filp_close(struct file *file);

/* ---- on open files ---- */

/* *pos NULL: a stream. -EBADF (not opened so), -EINVAL (no such operation; in /proc -EIO), or what
 * the file says. */
ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos);
ssize_t vfs_write(struct file *file, const char *buf, size_t count, loff_t *pos);
/* From and to *pos, not f_pos. kernel_write() goes on until all is written or an error comes. */
ssize_t kernel_read(struct file *file, void *buf, size_t count, loff_t *pos);
ssize_t kernel_write(struct file *file, const void *buf, size_t count, loff_t *pos);
loff_t vfs_llseek(struct file *file, loff_t offset, int whence);
unsigned vfs_poll(struct file *file, struct poll_table_struct *wait);
/* Call ctx->actor for each entry from file->f_pos on. -ENOTDIR, -ENOENT (removed). */
int iterate_dir(struct file *file, struct dir_context *ctx);

/* Ready-made llseek operations. */
loff_t generic_file_llseek(struct file *file, loff_t offset, int whence); /* by i_size */
loff_t noop_llseek(struct file *file, loff_t offset, int whence);
loff_t no_llseek(struct file *file, loff_t offset, int whence); /* -ESPIPE */

/* ---- on directories: dir's i_mutex is held; the errnos of the system calls ---- */

int vfs_mkdir(struct inode *dir, struct dentry *dentry, umode_t mode);
int vfs_rmdir(struct inode *dir, struct dentry *dentry);
int vfs_unlink(struct inode *dir, struct dentry *dentry);
int vfs_symlink(struct inode *dir, struct dentry *dentry, const char *target);
int vfs_create(struct inode *dir, struct dentry *dentry, umode_t mode);

/* ---- dcache: for file systems ---- */

/* A new, unhashed dentry with one reference, or NULL. */
struct dentry *d_alloc(struct dentry *parent, const struct qstr *name);
/* Bind dentry to inode (its reference is taken over) and make it findable. */
void d_add(struct dentry *dentry, struct inode *inode);
/*
 * The same for file systems that live in the dcache: the directory keeps it (one more reference)
 * and readdir shows it. -ENOENT if the directory has been removed; the inode is the caller's then.
 */
int d_add_pinned(struct dentry *dentry, struct inode *inode);
/* No longer findable; a pinned one loses the directory's reference. The parent's i_mutex is held.
 */
void d_delete(struct dentry *dentry);
/* A root dentry for the inode, or NULL (the inode reference is dropped). */
struct dentry *d_make_root(struct inode *inode);
/* A counted child or NULL. Any context but interrupts. */
struct dentry *d_lookup(struct dentry *parent, const struct qstr *name);
struct dentry *dget(struct dentry *dentry);
void dput(struct dentry *dentry);

/* ---- inodes: for file systems ---- */

/* i_count 1, i_nlink 1, no operations, a fresh i_ino; NULL when memory is short. */
struct inode *new_inode(struct super_block *sb, umode_t mode);
struct inode *ihold(struct inode *inode);
void iput(struct inode *inode);

/* ---- mounts ---- */

int register_filesystem(struct file_system_type *type);
/* Mount type's one instance at path ("/" first). devname is for /proc/mounts. 0 or a negative
 * errno. */
int kern_mount_at(const char *type, const char *devname, const char *path);
struct vfsmount *root_mount(void);

/* ---- owners of files (file_owner.c) ---- */

/*
 * What makes a set of files work and may be removed, as an instance of tracing may: for them what a
 * module is for its files in Linux (file_operations.owner). While one of its files is open it
 * cannot be removed, once it is removed none can be opened, and it is released with the last inode.
 * Embedded in whatever it stands for.
 */
struct file_owner {
	atomic_t refs;                             /* [A] its inodes, and one for itself */
	atomic_t opens;                            /* [A] open files, or -1: it has been removed */
	void (*release)(struct file_owner *owner); /* task context */
};

/* With one reference. release is called when the last one is dropped. */
void file_owner_init(struct file_owner *owner, void (*release)(struct file_owner *owner));
struct file_owner *file_owner_get(struct file_owner *owner); /* NULL is fine; returns owner */
void file_owner_put(struct file_owner *owner);               /* NULL is fine */
/* For the VFS: a file is being opened (false: it has been removed), has been closed. */
bool file_owner_open(struct file_owner *owner);
void file_owner_close(struct file_owner *owner);
/* No file of it can be opened any more: 0, or -EBUSY while one is open. Any context. */
int file_owner_kill(struct file_owner *owner);

/* ---- libfs: file systems made of dentries ---- */

/*
 * Make an entry in the pinned directory parent; a dentry (not counted for the caller: it lives
 * until it is removed) or an ERR_PTR: -EEXIST, -ENOENT (parent removed), -ENOMEM. What is made in a
 * directory that has an owner has the same one.
 */
struct dentry *simple_create_file(struct dentry *parent, const char *name, umode_t mode,
				  const struct file_operations *fops, void *private);
struct dentry *simple_create_dir(struct dentry *parent, const char *name, umode_t mode,
				 const struct inode_operations *iops);
struct dentry *simple_create_symlink(struct dentry *parent, const char *name, const char *target);
/* Remove the entry and all below it. Open files stay usable until they are closed. */
void simple_recursive_removal(struct dentry *dentry);
int simple_rmdir(struct inode *dir, struct dentry *dentry);
int simple_unlink(struct inode *dir, struct dentry *dentry);
int simple_open(struct inode *inode, struct file *file); /* private_data = i_private */
extern const struct file_operations simple_dir_operations;
extern const struct inode_operations simple_dir_inode_operations; /* no creation from outside */
extern const struct inode_operations simple_symlink_inode_operations;
/* The part of [from, from + available) at *pos. */
ssize_t simple_read_from_buffer(void *to, size_t count, loff_t *pos, const void *from,
				size_t available);
ssize_t simple_write_to_buffer(void *to, size_t available, loff_t *pos, const void *from,
			       size_t count);
