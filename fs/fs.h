/*
 * The virtual file system: the objects that all file systems, open files and path walks share.
 *
 * A dentry is a name, an inode is an object, a file is an open file, a path is a dentry seen
 * through a mount. The names are Linux's. All functions here need task context with preemption on,
 * except where a comment says otherwise. Buffers are kernel memory, because nop5 has no user space
 * yet.
 *
 * More for the parts of the VFS and for file systems: fs/dcache.h (dentries and inodes), fs/libfs.h
 * (building blocks), fs/namespace.h (mounts), fs/file_owner.h, fs/internal.h.
 *
 * Lock order: inode->i_mutex of a directory, then dentry->d_lock or the lock of a dcache bucket
 * (both are leaves). The VFS never holds two i_mutex at once.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/lib/list.h"
#include "kernel/sched/mutex.h"

struct dentry;
struct file;
struct file_owner;
struct file_system_type;
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
#define O_NOCTTY    0400
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
 * Legend: [C] constant once other CPUs can see the object; [M] inode->i_mutex (for a dentry: of the
 * parent directory); [D] dentry->d_lock; [B] the lock of the dcache bucket; [A] atomic; [P]
 * file->f_pos_lock, if the file has positions (FMODE_ATOMIC_POS).
 */

struct qstr {
	const char *name; /* a piece of a path is not terminated */
	u32 len;
	u32 hash; /* set by the dcache */
};

/* One name in one directory. Lookups find it while it is hashed; it lives while it is counted. */
struct dentry {
	atomic_t d_count; /* [A] becomes 0 only under B, just before the dentry is freed */
	unsigned d_flags; /* [D] DCACHE_* */
	spinlock_t d_lock;
	struct dentry *d_parent;    /* [C] counted; a root is its own parent */
	struct qstr d_name;         /* [C] terminated */
	struct inode *d_inode;      /* [C] counted */
	struct super_block *d_sb;   /* [C] */
	struct list_head d_hash;    /* [B] */
	struct list_head d_child;   /* [D of the parent] a pinned dentry's entry in d_subdirs */
	struct list_head d_subdirs; /* [D] pinned children in the order of d_off */
	u64 d_off;                  /* [C] readdir position in the parent */
	u64 d_next_off;             /* [D] the next child's d_off */
	void *d_fsdata;             /* for the file system */
};

#define DCACHE_MOUNTED    0x01 /* a file system is mounted here: look in the mount table */
#define DCACHE_DEAD       0x02 /* removed: no entry can be created below */
#define DCACHE_PINNED     0x04 /* the directory holds a reference (ramfs, for example) */
#define DCACHE_REVALIDATE 0x08 /* call i_op->revalidate before each use */

struct inode {
	umode_t i_mode;   /* type [C], permission bits [M] */
	u32 i_nlink;      /* [M] */
	u64 i_ino;        /* [C] */
	u32 i_rdev;       /* [C] number of the device that the inode is */
	atomic_t i_count; /* [A] */
	struct mutex i_mutex;
	loff_t i_size;                       /* [M] bytes */
	u64 i_blocks;                        /* [M] 512-byte units */
	ktime_t i_mtime, i_ctime, i_atime;   /* ns since boot; no lock: a lost update is harmless */
	struct super_block *i_sb;            /* [C] */
	const struct inode_operations *i_op; /* [C] never NULL */
	const struct file_operations *i_fop; /* [C] */
	void *i_private;                     /* [C] for the file system */
	char *i_link;               /* [C] the text of a symbolic link, freed with the inode */
	struct file_owner *i_owner; /* [C] NULL: the file is never removed with an owner */
};

/*
 * The caller holds the i_mutex of the directory, except where a comment says otherwise. dentry is
 * new: it has a name, and no inode yet.
 */
struct inode_operations {
	/*
	 * Finds a name that is not in the dcache. Calls d_add() and returns 0, or returns a
	 * negative errno. NULL: such a name does not exist (-ENOENT).
	 */
	int (*lookup)(struct inode *dir, struct dentry *dentry);
	/* Tells if a DCACHE_REVALIDATE dentry is still valid. No lock held; may not sleep. */
	bool (*revalidate)(struct dentry *dentry);
	int (*create)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*mkdir)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*symlink)(struct inode *dir, struct dentry *dentry, const char *target);
	int (*mknod)(struct inode *dir, struct dentry *dentry, umode_t mode, u32 dev);
	/* May refuse. If they return 0, the VFS removes the name. NULL: -EPERM. */
	int (*unlink)(struct inode *dir, struct dentry *dentry);
	int (*rmdir)(struct inode *dir, struct dentry *dentry);
	/*
	 * For a symbolic link without i_link: returns its text, which the caller kfree()s, or an
	 * ERR_PTR. No lock held.
	 */
	char *(*get_link)(struct dentry *dentry);
	/* Sets the length of a regular file. NULL: O_TRUNC is accepted and does nothing. */
	int (*truncate)(struct inode *inode, loff_t length);
	/* Updates the fields that stat shows. No lock held. May be NULL. */
	void (*getattr)(struct inode *inode);
};

/* Iterate operations pass each entry to actor, which returns false when it has no more room. */
struct dir_context {
	bool (*actor)(struct dir_context *ctx, const char *name, size_t len, loff_t pos, u64 ino,
		      unsigned type);
	loff_t pos;
};

/* The type of a directory entry. S_DT() computes it from the mode. */
#define DT_FIFO    1
#define DT_CHR     2
#define DT_DIR     4
#define DT_REG     8
#define DT_LNK     10
#define S_DT(mode) (((mode)&S_IFMT) >> 12)

/*
 * The operations of an open file. Task context, may sleep; no lock is held, except for iterate. If
 * read or write is NULL, the system call returns -EINVAL, as in Linux. read and write advance *pos
 * (they may ignore it) and return the number of bytes moved or a negative errno: -EINTR if a signal
 * ended a sleep before the first byte.
 */
struct file_operations {
	int (*open)(struct inode *inode, struct file *file);
	/* Called when the last reference is dropped. */
	int (*release)(struct inode *inode, struct file *file);
	ssize_t (*read)(struct file *file, char *buf, size_t count, loff_t *pos);
	ssize_t (*write)(struct file *file, const char *buf, size_t count, loff_t *pos);
	/* NULL: -ESPIPE. */
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	/*
	 * Calls poll_wait() for each queue that reports a change, and returns the events that are
	 * ready (POLL*). Must not sleep, because the caller has already set its task state to
	 * sleep. NULL: always ready.
	 */
	unsigned (*poll)(struct file *file, struct poll_table_struct *wait);
	/* The caller holds the directory's i_mutex. */
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
#define FMODE_OWNED      0x4000 /* i_owner counts this file */
#define FMODE_ATOMIC_POS 0x8000 /* f_pos needs its lock: regular files and directories */

struct file {
	struct path f_path;                 /* [C] counted; empty for the ends of a pipe */
	struct inode *f_inode;              /* [C] counted */
	const struct file_operations *f_op; /* [C] never NULL */
	unsigned f_flags;                   /* O_* */
	unsigned f_mode;                    /* [C] FMODE_* */
	atomic_t f_count;                   /* [A] */
	struct mutex f_pos_lock;
	loff_t f_pos;       /* [P] */
	void *private_data; /* for the file operations */
};

struct super_operations {
	/* Frees the data of an inode. Called when the inode's last reference is dropped. */
	void (*evict_inode)(struct inode *inode);
};

struct super_block {
	const struct file_system_type *s_type; /* [C] */
	struct dentry *s_root;                 /* [C] */
	const struct super_operations *s_op;   /* [C] */
	u32 s_dev;                             /* [C] the device number that stat shows */
	int s_no_op_error; /* [C] error of a missing read or write: -EINVAL; in proc -EIO */
};

/* ---- paths ---- */

#define LOOKUP_FOLLOW    0x1 /* follow a symbolic link in the last component */
#define LOOKUP_DIRECTORY 0x2 /* -ENOTDIR unless name is a directory */

/*
 * Walks name from the root or from the current directory. Returns 0 and a counted path (the caller
 * calls path_put()), or -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG, -ENOMEM.
 */
int kern_path(const char *name, unsigned flags, struct path *path);
void path_get(const struct path *path);
void path_put(const struct path *path);
/*
 * Writes the absolute path to the end of buf, with " (deleted)" after a removed name. Returns its
 * start, or -ENAMETOOLONG as an ERR_PTR.
 */
char *d_path(const struct path *path, char *buf, size_t size);

/* ---- open files ---- */

struct file *get_file(struct file *file);
/* Drops a reference. The last drop releases the file. */
void fput(struct file *file);
int filp_close(struct file *file);

/*
 * Read and write from *pos on, and advance it. They return what the file operation returns, or
 * -EBADF (the file is not open for this), or -EINVAL (no such operation; in /proc -EIO).
 */
ssize_t vfs_read(struct file *file, char *buf, size_t count, loff_t *pos);
ssize_t vfs_write(struct file *file, const char *buf, size_t count, loff_t *pos);

/* ---- ready-made operations ---- */
loff_t generic_file_llseek(struct file *file, loff_t offset, int whence); /* by i_size */
loff_t noop_llseek(struct file *file, loff_t offset, int whence);
loff_t no_llseek(struct file *file, loff_t offset, int whence); /* -ESPIPE */
/*
 * Copies to the reader the part at *pos of the text [from, from + available), and advances *pos.
 * Returns the number of bytes, 0 at the end.
 */
ssize_t simple_read_from_buffer(void *to, size_t count, loff_t *pos, const void *from,
				size_t available);
