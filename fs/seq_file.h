/*
 * seq_file: text files made record by record, read with any buffer size.
 *
 * The owner iterates: start(pos) gives the record at pos (or NULL at the end), next the one after
 * and moves pos, show prints one, stop ends the round (it may drop locks that start took). A record
 * that does not fit is shown again into a buffer twice the size, so show must be repeatable.
 */
#pragma once

#include "fs/fs.h"

struct seq_operations;

struct seq_file {
	char *buf;       /* [lock] */
	size_t size;     /* [lock] of buf; count == size means overflow */
	size_t from;     /* [lock] first byte not yet given to the reader */
	size_t count;    /* [lock] bytes in buf (from included) */
	loff_t index;    /* [lock] the next record */
	loff_t read_pos; /* [lock] the file position that buf + from stands for */
	struct mutex lock;
	const struct seq_operations *op; /* constant */
	struct file *file;               /* constant */
	void *private;                   /* the owner's */
};

/* start may return ERR_PTR(error); stop is called even then. */
struct seq_operations {
	void *(*start)(struct seq_file *m, loff_t *pos);
	void (*stop)(struct seq_file *m, void *v);
	void *(*next)(struct seq_file *m, void *v, loff_t *pos);
	/* 0, SEQ_SKIP (drop what it printed), or a negative errno. */
	int (*show)(struct seq_file *m, void *v);
};

#define SEQ_SKIP        1
#define SEQ_START_TOKEN ((void *)1) /* for a heading */

/* For file_operations. A file opened for writing as well keeps its seq_file in private_data. */
int seq_open(struct file *file, const struct seq_operations *op);
int seq_open_private(struct file *file, const struct seq_operations *op,
		     size_t size); /* zeroed m->private */
ssize_t seq_read(struct file *file, char *buf, size_t size, loff_t *pos);
loff_t seq_lseek(struct file *file, loff_t offset, int whence);
int seq_release(struct inode *inode, struct file *file);
int seq_release_private(struct inode *inode, struct file *file); /* kfree()s m->private */
/* One record: the whole file. data is m->private. */
int single_open(struct file *file, int (*show)(struct seq_file *m, void *v), void *data);
int single_open_size(struct file *file, int (*show)(struct seq_file *m, void *v), void *data,
		     size_t size);
int single_release(struct inode *inode, struct file *file);

/* From show. What does not fit sets the overflow and is printed again later. */
__printf(2, 3) void seq_printf(struct seq_file *m, const char *fmt, ...);
void seq_vprintf(struct seq_file *m, const char *fmt, va_list args);
void seq_puts(struct seq_file *m, const char *s);
void seq_putc(struct seq_file *m, char c);
/* Binary safe: 0, or -1 on overflow. */
int seq_write(struct seq_file *m, const void *data, size_t len);
/* delimiter then the number, in at least width columns. */
void seq_put_decimal_ull_width(struct seq_file *m, const char *delimiter, u64 num, unsigned width);
/* s, with each character of esc (and of no other) as \ooo. */
void seq_escape(struct seq_file *m, const char *s, const char *esc);
/* The path, with the characters of esc escaped (namespace.c); 0 or -1. */
int seq_path(struct seq_file *m, const struct path *path, const char *esc);
bool seq_has_overflowed(struct seq_file *m);

/* Iterate a list whose lock the owner takes in start and drops in stop. */
struct list_head *seq_list_start(struct list_head *head, loff_t pos);
struct list_head *seq_list_start_head(struct list_head *head, loff_t pos);
struct list_head *seq_list_next(void *v, struct list_head *head, loff_t *pos);

/* A file_operations for a single-record file whose show gets inode->i_private as m->private. */
#define DEFINE_SHOW_ATTRIBUTE(name)                                                                \
	static int name##_open(struct inode *inode, struct file *file)                             \
	{                                                                                          \
		return single_open(file, name##_show, inode->i_private);                           \
	}                                                                                          \
	static const struct file_operations name##_fops = {                                        \
		.open = name##_open,                                                               \
		.read = seq_read,                                                                  \
		.llseek = seq_lseek,                                                               \
		.release = single_release,                                                         \
	}

/* The same for a sequence, with name##_sops. */
#define DEFINE_SEQ_ATTRIBUTE(name)                                                                 \
	static int name##_open(struct inode *inode, struct file *file)                             \
	{                                                                                          \
		(void)inode;                                                                       \
		return seq_open(file, &name##_sops);                                               \
	}                                                                                          \
	static const struct file_operations name##_fops = {                                        \
		.open = name##_open,                                                               \
		.read = seq_read,                                                                  \
		.llseek = seq_lseek,                                                               \
		.release = seq_release,                                                            \
	}
