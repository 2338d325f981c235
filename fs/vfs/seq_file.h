/*
 * seq_file: text files that are printed record by record, and read with any buffer size.
 *
 * The owner of the file writes four operations. start(pos) returns the record at pos, or NULL at
 * the end; it may take locks. next returns the record after v, and advances pos. show prints a
 * record. stop ends the iteration, and drops the locks. If a record does not fit into the buffer,
 * show prints it again into a buffer of twice the size; so a second call of show must be possible.
 */
#pragma once

#include "fs/vfs/fs.h"

struct seq_operations;

struct seq_file {
	char *buf;       /* [lock] */
	size_t size;     /* [lock] bytes of buf; count == size means overflow */
	size_t from;     /* [lock] the first byte that the reader has not taken yet */
	size_t count;    /* [lock] bytes in buf, from `from` on */
	loff_t index;    /* [lock] the next record */
	loff_t read_pos; /* [lock] the file position of the byte at buf + from */
	struct mutex lock;
	const struct seq_operations *op; /* constant */
	struct file *file;               /* constant */
	void *private;                   /* for the owner */
};

/* start may return ERR_PTR(error). stop is called in this case too. */
struct seq_operations {
	void *(*start)(struct seq_file *m, loff_t *pos);
	void (*stop)(struct seq_file *m, void *v);
	void *(*next)(struct seq_file *m, void *v, loff_t *pos);
	/* Returns 0, SEQ_SKIP (drop the text that it has printed), or a negative errno. */
	int (*show)(struct seq_file *m, void *v);
};

#define SEQ_SKIP        1
#define SEQ_START_TOKEN ((void *)1) /* a start operation may return it for a heading */

/* For file_operations. file->private_data is the seq_file, also if the file is open for writing. */
int seq_open(struct file *file, const struct seq_operations *op);
ssize_t seq_read(struct file *file, char *buf, size_t size, loff_t *pos);
loff_t seq_lseek(struct file *file, loff_t offset, int whence);
int seq_release(struct inode *inode, struct file *file);
/* For a file that is one record. data becomes m->private. */
int single_open(struct file *file, int (*show)(struct seq_file *m, void *v), void *data);
int single_release(struct inode *inode, struct file *file);

/* For show operations. Text that does not fit sets the overflow, and show is called again. */
__printf(2, 3) void seq_printf(struct seq_file *m, const char *fmt, ...);
void seq_puts(struct seq_file *m, const char *s);
void seq_putc(struct seq_file *m, char c);
/* data may contain NULs. Returns 0, or -1 on overflow. */
int seq_write(struct seq_file *m, const void *data, size_t len);
/* Prints delimiter, then num in at least width columns. */
void seq_put_decimal_ull_width(struct seq_file *m, const char *delimiter, u64 num, unsigned width);
/* Prints s with each character that is in esc as \ooo. */
void seq_escape(struct seq_file *m, const char *s, const char *esc);

#define __DEFINE_SHOW_FOPS(open_, show_, write_, fops_)                                            \
	static int open_(struct inode *inode, struct file *file)                                   \
	{                                                                                          \
		return single_open(file, show_, inode->i_private);                                 \
	}                                                                                          \
	static const struct file_operations fops_ = {                                              \
		.owner = THIS_MODULE,                                                              \
		.open = open_,                                                                     \
		.read = seq_read,                                                                  \
		.write = write_,                                                                   \
		.llseek = seq_lseek,                                                               \
		.release = single_release,                                                         \
	}

/* Defines name##_fops for a file of one record. show finds inode->i_private in m->private. */
#define DEFINE_SHOW_ATTRIBUTE(name) __DEFINE_SHOW_FOPS(name##_open, name##_show, NULL, name##_fops)
/* The same for a file that can be written too: write is name##_write(). */
#define DEFINE_SHOW_STORE_ATTRIBUTE(name)                                                          \
	__DEFINE_SHOW_FOPS(name##_open, name##_show, name##_write, name##_fops)

/* Defines name##_fops for a sequence with the operations name##_sops. */
#define DEFINE_SEQ_ATTRIBUTE(name)                                                                 \
	static int name##_open(struct inode *inode, struct file *file)                             \
	{                                                                                          \
		(void)inode;                                                                       \
		return seq_open(file, &name##_sops);                                               \
	}                                                                                          \
	static const struct file_operations name##_fops = {                                        \
		.owner = THIS_MODULE,                                                              \
		.open = name##_open,                                                               \
		.read = seq_read,                                                                  \
		.llseek = seq_lseek,                                                               \
		.release = seq_release,                                                            \
	}
