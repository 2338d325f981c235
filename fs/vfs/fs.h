/*
 * The virtual file system: the objects that all file systems, open files and path walks share.
 *
 * A dentry is a name, an inode is an object, a file is an open file, a path is a dentry seen
 * through a mount. The names are Linux's. All functions here need task context with preemption on,
 * except where a comment says otherwise. Buffers and names are kernel memory: the system calls copy
 * between programs and the kernel (fs/calls/getname.h, fs/file/uio.h).
 *
 * More for the parts of the VFS and for file systems: fs/vfs/dcache.h (dentries and inodes),
 * fs/vfs/libfs.h (building blocks), fs/mount/namespace.h (mounts), fs/file/file_owner.h,
 * fs/vfs/internal.h.
 *
 * Lock order: rename_mutex, i_mutex of a directory, that of a directory in it, i_mutex of other
 * objects (two of them by address; more in fs/vfs/namei_rename.c), then rename_lock, dentry->d_lock
 * or the lock of a dcache bucket, which are leaves.
 */
#pragma once

#include "kernel/atomic.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/lib/list.h"
#include "kernel/sched/mutex.h"
#include "kernel/task/callback_head.h"

struct dentry;
struct file;
struct epitem;
struct iov_iter;
struct kiocb;
struct vm_area_struct;
struct file_owner;
struct file_system_type;
struct inode;
struct inotify_watch;
struct poll_table_struct;
struct address_space;
struct kstatfs;
struct lock_context;
struct super_block;
struct vfsmount;
struct path;

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
#define O_DSYNC     010000
#define O_ASYNC     020000
#define O_DIRECT    040000
#define O_LARGEFILE 0100000
#define O_DIRECTORY 0200000
#define O_NOFOLLOW  0400000
#define O_NOATIME   01000000
#define O_CLOEXEC   02000000
#define __O_SYNC    04000000
#define O_SYNC      (__O_SYNC | O_DSYNC)
#define O_PATH      010000000
#define __O_TMPFILE 020000000
#define O_TMPFILE   (__O_TMPFILE | O_DIRECTORY)

/* A directory descriptor that stands for the current directory, and the AT_* flags. */
#define AT_FDCWD            -100
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR        0x200 /* unlinkat */
#define AT_EACCESS          0x200 /* faccessat */
#define AT_SYMLINK_FOLLOW   0x400
#define AT_NO_AUTOMOUNT     0x800
#define AT_EMPTY_PATH       0x1000
#define AT_STATX_SYNC_TYPE  0x6000

/* inode(7): i_mode. */
#define S_IFMT      0170000
#define S_IFLNK     0120000
#define S_IFREG     0100000
#define S_IFBLK     0060000
#define S_IFDIR     0040000
#define S_IFCHR     0020000
#define S_IFIFO     0010000
#define S_IFSOCK    0140000
#define S_ISUID     04000
#define S_ISGID     02000
#define S_IXGRP     00010
#define S_ISVTX     01000
#define S_ISLNK(m)  (((m)&S_IFMT) == S_IFLNK)
#define S_ISREG(m)  (((m)&S_IFMT) == S_IFREG)
#define S_ISDIR(m)  (((m)&S_IFMT) == S_IFDIR)
#define S_ISCHR(m)  (((m)&S_IFMT) == S_IFCHR)
#define S_ISBLK(m)  (((m)&S_IFMT) == S_IFBLK)
#define S_ISFIFO(m) (((m)&S_IFMT) == S_IFIFO)
#define S_ISSOCK(m) (((m)&S_IFMT) == S_IFSOCK)
#define S_IALLUGO   07777
#define S_IRWXUGO   0777

#define SEEK_SET  0
#define SEEK_CUR  1
#define SEEK_END  2
#define SEEK_DATA 3 /* lseek(2): the next byte that is not in a hole */
#define SEEK_HOLE 4

/*
 * A device number as stat(2) shows it: 12 bits of major, 20 bits of minor in Linux's 32-bit layout.
 */
#define MKDEV(major, minor)                                                                        \
	(((u32)(major) << 8) | ((u32)(minor)&0xff) | (((u32)(minor) & ~0xffU) << 12))
#define MAJOR(dev) (((u32)(dev) >> 8) & 0xfff)
#define MINOR(dev) (((u32)(dev)&0xff) | (((u32)(dev) >> 12) & 0xfff00))

/*
 * Legend: [C] constant once other CPUs can see the object; [M] inode->i_mutex (for a dentry: of the
 * parent directory); [D] dentry->d_lock; [B] the lock of the dcache bucket; [R] rename_lock, B and
 * M to write, one of them to read; [A] atomic; [P] file->f_pos_lock, if the file has positions
 * (FMODE_ATOMIC_POS); [X] the part of the VFS that is named.
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
	struct dentry *d_parent;    /* [R] counted; a root is its own parent */
	struct qstr d_name;         /* [R] terminated */
	struct inode *d_inode;      /* [C] counted */
	struct super_block *d_sb;   /* [C] */
	struct list_head d_hash;    /* [B] */
	struct list_head d_child;   /* [D of the parent] a pinned dentry's entry in d_subdirs */
	struct list_head d_subdirs; /* [D] pinned children in the order of d_off */
	u64 d_off;                  /* [M] readdir position in the parent */
	u64 d_next_off;             /* [D] the next child's d_off */
	void *d_fsdata;             /* for the file system */
};

#define DCACHE_MOUNTED    0x01 /* a file system is mounted here: look in the mount table */
#define DCACHE_DEAD       0x02 /* removed: no entry can be created below */
#define DCACHE_PINNED     0x04 /* the directory holds a reference (tmpfs, for example) */
#define DCACHE_REVALIDATE 0x08 /* call i_op->revalidate before each use */
#define DCACHE_LONG_NAME  0x10 /* d_name.name is an allocation of its own, since a rename */
#define DCACHE_PSEUDO     0x20 /* in no directory: d_path() prints the name alone */
#define DCACHE_TMPFILE    0x40 /* made by O_TMPFILE: linkat() may give it its first name */
#define DCACHE_AUTOMOUNT  0x80 /* a walk into the directory mounts i_op->automount on it */

struct inode {
	umode_t i_mode;   /* type [C], permission bits [M] */
	u32 i_nlink;      /* [M] */
	u32 i_uid, i_gid; /* [M] owner and group */
	u64 i_ino;        /* [C] */
	u32 i_rdev;       /* [C] number of the device that the inode is */
	atomic_t i_count; /* [A] */
	/* [A] regular files: how many are open for writing; below 0: how many run as programs */
	atomic_t i_writecount;
	struct lock_context *i_flctx; /* [A] set once, by the first lock: fs/locks/locks.c */
	struct mutex i_mutex;
	loff_t i_size;                       /* [M] bytes */
	u64 i_blocks;                        /* [M] 512-byte units */
	s64 i_mtime, i_ctime, i_atime;       /* inode_now(); no lock: a lost update is harmless */
	s64 i_btime;                         /* [C] when it was made; 0: unknown */
	struct super_block *i_sb;            /* [C] */
	const struct inode_operations *i_op; /* [C] never NULL */
	const struct file_operations *i_fop; /* [C] */
	struct address_space *i_mapping;     /* [C] its pages, or NULL */
	void *i_private;                     /* [C] for the file system, or the device */
	char *i_link;                    /* [C] the text of a symbolic link, freed with the inode */
	struct inotify_watch *i_watches; /* [inotify_lock] fs/notify/ */
	struct file_owner *i_owner;      /* [C] NULL: the file is never removed with an owner */
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
	bool fixed_mode;       /* chmod is refused: -EPERM */
	bool immutable;        /* so is each change, as by Linux's S_IMMUTABLE */
	const char *automount; /* of a DCACHE_AUTOMOUNT dentry: a type of file system */
	int (*create)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*mkdir)(struct inode *dir, struct dentry *dentry, umode_t mode);
	int (*symlink)(struct inode *dir, struct dentry *dentry, const char *target);
	/* Also makes FIFOs and sockets, with dev 0. */
	int (*mknod)(struct inode *dir, struct dentry *dentry, umode_t mode, u32 dev);
	/* Makes another name for inode, whose i_mutex is held, too. NULL: -EPERM. */
	int (*link)(struct inode *inode, struct inode *dir, struct dentry *dentry);
	/*
	 * Adjusts counts and times for a rename; the VFS then moves the names. target is NULL, or
	 * is replaced, or (RENAME_EXCHANGE) gets the old name. May refuse: -ENOTEMPTY. Both
	 * directories are locked. NULL: -EPERM.
	 */
	int (*rename)(struct inode *old_dir, struct dentry *old, struct inode *new_dir,
		      struct dentry *target, unsigned flags);
	/*
	 * RENAME_WHITEOUT: makes what is left at the old name, or an ERR_PTR. rename has counted
	 * it. NULL: -EINVAL.
	 */
	struct inode *(*whiteout)(struct inode *dir);
	/* Makes a regular file without a name (O_TMPFILE), or an ERR_PTR. No lock held. */
	struct inode *(*tmpfile)(struct inode *dir, umode_t mode);
	/* May refuse. If they return 0, the VFS removes the name. NULL: -EPERM. */
	int (*unlink)(struct inode *dir, struct dentry *dentry);
	int (*rmdir)(struct inode *dir, struct dentry *dentry);
	/*
	 * For a symbolic link without i_link: returns its text, which the caller kfree()s, or an
	 * ERR_PTR. No lock held.
	 */
	char *(*get_link)(struct dentry *dentry);
	/*
	 * For a link in proc that names an object, not a path, such as /proc/PID/exe: gives the
	 * counted path of the object. 0 or a negative errno. No lock held.
	 */
	int (*get_path)(struct dentry *dentry, struct path *path);
	/* Checks MAY_* instead of the permission bits. 0 or a negative errno. No lock held. */
	int (*permission)(struct inode *inode, unsigned mask);
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
#define DT_BLK     6
#define DT_REG     8
#define DT_LNK     10
#define DT_SOCK    12
#define S_DT(mode) (((mode)&S_IFMT) >> 12)

struct seq_file;

/*
 * The operations of an open file. Task context, may sleep; no lock is held, except for iterate. If
 * a file has neither read nor read_iter, the system call returns -EINVAL, as in Linux; write and
 * write_iter likewise. They advance *pos or iocb->ki_pos (they may ignore it) and return the number
 * of bytes moved or a negative errno: interrupted_error() if a signal ended a sleep before the
 * first byte.
 *
 * read and write move bytes to and from kernel memory. For a program, the VFS copies through a
 * buffer of at most 64 KiB. A file that should be faster has read_iter and write_iter
 * (fs/file/uio.h).
 */
struct file_operations {
	/* The module that has these functions: THIS_MODULE. An open file keeps it. NULL: none. */
	struct module *owner;
	int (*open)(struct inode *inode, struct file *file);
	/* Called when the last reference is dropped. */
	int (*release)(struct inode *inode, struct file *file);
	ssize_t (*read)(struct file *file, char *buf, size_t count, loff_t *pos);
	ssize_t (*write)(struct file *file, const char *buf, size_t count, loff_t *pos);
	ssize_t (*read_iter)(struct kiocb *iocb, struct iov_iter *to);
	ssize_t (*write_iter)(struct kiocb *iocb, struct iov_iter *from);
	bool no_splice_write; /* splice(2) and sendfile(2) to it: -EINVAL */
	bool no_splice_read;  /* splice(2) from it: -EINVAL */
	/* NULL: -ESPIPE. */
	loff_t (*llseek)(struct file *file, loff_t offset, int whence);
	/*
	 * Calls poll_wait() for each queue that reports a change, and returns the events that are
	 * ready (POLL*). A woken task may ask for the state at once. So change the state before the
	 * wake-up, or do both under the file's lock. NULL: always ready.
	 */
	unsigned (*poll)(struct file *file, struct poll_table_struct *wait);
	/* The caller holds the directory's i_mutex. */
	int (*iterate)(struct file *file, struct dir_context *ctx);
	/* arg may be an address in user memory. NULL: -ENOTTY. */
	long (*ioctl)(struct file *file, unsigned cmd, unsigned long arg);
	/*
	 * Sets vma->vm_ops. If it does not, the area is anonymous memory. The caller holds
	 * mmap_lock. NULL: -ENODEV.
	 */
	int (*mmap)(struct file *file, struct vm_area_struct *vma);
	/* fallocate(2). NULL: -EOPNOTSUPP. */
	long (*fallocate)(struct file *file, int mode, loff_t offset, loff_t len);
	/* Calls fasync_helper() for each of its lists. NULL: the file never sends signals. */
	int (*fasync)(int fd, struct file *file, bool on);
	/*
	 * How many bytes the file holds that no process is charged for, such as what is in a pipe:
	 * an estimate, for the OOM killer. Spinlocks are held: it only tries those that it needs.
	 * NULL: nothing.
	 */
	size_t (*memory)(struct file *file);
	/* What /proc/PID/fdinfo says of the file beside its position and flags. NULL: no more. */
	void (*show_fdinfo)(struct seq_file *m, struct file *file);
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

#define MAX_LFS_FILESIZE    ((loff_t)(~0UL >> 1)) /* the highest position in a file */
#define ANON_INODE_FS_MAGIC 0x09041934 /* pipes, sockets, and other files without a name */

#define FMODE_READ       0x1
#define FMODE_WRITE      0x2
#define FMODE_PATH       0x2000 /* O_PATH: names an object, and cannot be read or written */
#define FMODE_WRITER     0x1000 /* counted in i_writecount */
#define FMODE_OWNED      0x4000 /* i_owner counts this file */
#define FMODE_OPENED     0x0010 /* open(2) has told the watches of the file */
#define FMODE_ATOMIC_POS 0x8000 /* f_pos needs its lock: regular files and directories */

struct file {
	struct path f_path;                 /* [C] counted */
	struct inode *f_inode;              /* [C] counted */
	const struct file_operations *f_op; /* [C] never NULL */
	unsigned f_flags;                   /* O_* */
	unsigned f_mode;                    /* [C] FMODE_* */
	atomic_t f_count;                   /* [A] */
	unsigned f_version;                 /* [C] for the file operations, as private_data is */
	union {
		struct mutex f_pos_lock;
		struct callback_head f_task_work; /* of the last reference: fput_deferred() */
	};
	loff_t f_pos;                /* [P] */
	void *private_data;          /* for the file operations */
	struct epitem *f_ep;         /* [X] fs/fdevents/: the items that watch the file */
	struct fown_struct *f_owner; /* [X] fs/file/fasync.c: set once; NULL: no owner, no signal */
	atomic_t f_nr_locks;         /* [A] fs/locks/: ranges that the open file has locked */
};

struct super_operations {
	/* Frees the data of an inode. Called when the inode's last reference is dropped. */
	void (*evict_inode)(struct inode *inode);
	/* Frees s_fs_info after the last inode. May be NULL. */
	void (*put_super)(struct super_block *sb);
	/* Fills in what it knows; the VFS has filled in the rest. May be NULL. */
	void (*statfs)(struct super_block *sb, struct kstatfs *st);
	/* Prints the options as ",NAME=VALUE" for /proc/mounts. May be NULL. */
	void (*show_options)(struct seq_file *m, struct super_block *sb);
	/* Changes options. data may be NULL. 0 or a negative errno. NULL: options are ignored. */
	int (*remount)(struct super_block *sb, const char *data);
};

struct super_block {
	const struct file_system_type *s_type; /* [C] */
	struct dentry *s_root;                 /* [C] */
	const struct super_operations *s_op;   /* [C] */
	u32 s_dev;                             /* [C] the device number that stat shows */
	u32 s_magic;                           /* [C] the type that statfs shows */
	int s_no_op_error; /* [C] error of a missing read or write: -EINVAL; in proc -EIO */
	unsigned s_flags;  /* MS_RDONLY; written under mount_mutex */
	atomic_t s_active; /* [A] mounts; a type with one super_block holds one reference more */
	void *s_fs_info;   /* for the file system */
};

/* ---- paths ---- */

#define LOOKUP_FOLLOW        0x001 /* follow a symbolic link in the last component */
#define LOOKUP_DIRECTORY     0x002 /* -ENOTDIR unless name is a directory */
#define LOOKUP_EMPTY         0x004 /* the empty name is the place where the walk starts */
#define LOOKUP_AUTOMOUNT     0x008 /* mount what belongs on the directory, as LOOKUP_DIRECTORY */
#define LOOKUP_NO_XDEV       0x010 /* openat2(2): -EXDEV at a mount */
#define LOOKUP_NO_MAGICLINKS 0x020 /* -ELOOP at a link that proc made */
#define LOOKUP_NO_SYMLINKS   0x040 /* -ELOOP at any link */
#define LOOKUP_BENEATH       0x080 /* -EXDEV where the walk would leave its start */
#define LOOKUP_IN_ROOT       0x100 /* the start is the root of the walk */

/*
 * Walks name from the root or from the current directory. Returns 0 and a counted path (the caller
 * calls path_put()), or -ENOENT, -ENOTDIR, -ELOOP, -ENAMETOOLONG, -EACCES, -ENOMEM.
 */
int kern_path(const char *name, unsigned flags, struct path *path);
/* The same from the directory dfd, a descriptor or AT_FDCWD; also -EBADF. */
int kern_path_at(int dfd, const char *name, unsigned flags, struct path *path);
void path_get(const struct path *path);
void path_put(const struct path *path);
/*
 * Writes the path to the end of buf, as seen from the root of the current task, with " (deleted)"
 * after a removed name. Returns its start, or -ENAMETOOLONG as an ERR_PTR. Does not sleep.
 */
char *d_path(const struct path *path, char *buf, size_t size);

/* ---- open files ---- */

struct file *get_file(struct file *file);
/* Drops a reference. The last drop releases the file, and takes locks of epoll and others. */
void fput(struct file *file);
/* Ends the use of a descriptor by the owner of a table of descriptors (NULL: none). */
int filp_close(struct file *filp, void *owner);

/*
 * Read and write from *pos on, and advance it. They return what the file operation returns, or
 * -EBADF (the file is not open for this), or -EINVAL (no such operation; in /proc -EIO).
 */
ssize_t vfs_read(struct file *file, char __user *buf, size_t count, loff_t *pos);
ssize_t vfs_write(struct file *file, const char __user *buf, size_t count, loff_t *pos);

/* The same for the kernel itself, which may read a file that programs may not: exec. */
ssize_t kernel_read(struct file *file, void *buf, size_t count, loff_t *pos);
ssize_t kernel_write(struct file *file, const void *buf, size_t count, loff_t *pos);
/*
 * Calls ctx->actor for each entry of a directory from file->f_pos on. 0, -ENOTDIR, or -ENOENT
 * (removed). The caller holds f_pos_lock, or is the only user of file.
 */
int iterate_dir(struct file *file, struct dir_context *ctx);
/*
 * Makes a file without a name in any directory, such as the end of a pipe; /proc/PID/fd shows name.
 * mnt: the mount of the inode's file system; NULL: that of alloc_anon_inode(). f_flags: O_RDONLY
 * and so on. Takes over the inode reference on success. Or an ERR_PTR.
 */
struct file *alloc_file_pseudo(struct inode *inode, struct vfsmount *mnt, const char *name,
			       unsigned f_flags, const struct file_operations *fops);
/*
 * The same with an inode of its own, for objects that only have operations: "anon_inode:" comes
 * before the name. anon_inode_getfd() also installs it, and returns the descriptor. flags: O_RDWR,
 * O_NONBLOCK, O_CLOEXEC.
 */
struct file *anon_inode_getfile(const char *name, const struct file_operations *fops, void *private,
				unsigned flags);
int anon_inode_getfd(const char *name, const struct file_operations *fops, void *private,
		     unsigned flags);
/* An inode for alloc_file_pseudo(), or NULL. */
struct inode *alloc_anon_inode(umode_t mode);

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
