/*
 * seq_file: text files that are printed record by record.
 *
 * The buffer always holds whole records, and a reader takes bytes from its beginning. When the
 * buffer is empty, it is filled again from record m->index on. So the text depends on the bytes
 * that the reader has taken, and never on the sizes of its reads. Except for the allocator this is
 * pure code: tests/host runs it.
 */
#include "fs/vfs/seq_file.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"

#define SEQ_BUF_FIRST 4096U
#define SEQ_BUF_MAX   (4U << 20) /* the longest record, in bytes */

static bool seq_has_overflowed(struct seq_file *m)
{
	return m->count == m->size;
}

static void seq_set_overflow(struct seq_file *m)
{
	m->count = m->size;
}

int seq_open(struct file *file, const struct seq_operations *op)
{
	struct seq_file *m = kzalloc(sizeof(*m), GFP_KERNEL);

	if (!m)
		return -ENOMEM;
	mutex_init(&m->lock);
	m->op = op;
	m->file = file;
	file->private_data = m;
	return 0;
}
EXPORT_SYMBOL(seq_open);

int seq_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	(void)inode;
	kfree(m->buf);
	kfree(m);
	return 0;
}
EXPORT_SYMBOL(seq_release);

/* Replaces the buffer by an empty one of size bytes. */
static int seq_alloc_buf(struct seq_file *m, size_t size)
{
	if (size > SEQ_BUF_MAX)
		return -ENOMEM;
	kfree(m->buf);
	m->count = 0;
	m->buf = kmalloc(size, GFP_KERNEL);
	m->size = m->buf ? size : 0;
	return m->buf ? 0 : -ENOMEM;
}

static void seq_rewind(struct seq_file *m)
{
	m->index = 0;
	m->from = 0;
	m->count = 0;
	m->read_pos = 0;
}

/*
 * Fills the empty buffer with records from m->index on, until it holds want bytes or the next
 * record does not fit. Returns 0, with m->count 0 at the end of the sequence; -E2BIG if the first
 * record does not fit; or the error of an operation.
 */
static int seq_fill_once(struct seq_file *m, size_t want)
{
	void *v;
	int err = 0;

	m->from = 0;
	m->count = 0;
	v = m->op->start(m, &m->index);
	while (v) {
		size_t before = m->count;
		loff_t index = m->index;

		if (IS_ERR(v)) {
			err = (int)PTR_ERR(v);
			break;
		}
		err = m->op->show(m, v);
		if (err >= 0 && seq_has_overflowed(m)) {
			err = -E2BIG;
			m->count = before;
			break;
		}
		if (err) { /* SEQ_SKIP, or an error: drop what the record has printed */
			m->count = before;
			if (err < 0)
				break;
			err = 0;
		}
		v = m->op->next(m, v, &m->index);
		if (m->index == index) /* next did not advance: do not show one record for ever */
			m->index++;
		if (m->count >= want)
			break;
	}
	m->op->stop(m, IS_ERR(v) ? NULL : v);
	/* The reader first gets the bytes in the buffer. The next read meets the error again. */
	return m->count ? 0 : err;
}

static int seq_fill(struct seq_file *m, size_t want)
{
	int err = 0;

	if (!m->buf)
		err = seq_alloc_buf(m, SEQ_BUF_FIRST);
	while (!err && (err = seq_fill_once(m, want)) == -E2BIG)
		err = seq_alloc_buf(m, m->size * 2);
	return err;
}

/* Moves to a byte offset. Starts at the first record, because records have no fixed size. */
static int seq_traverse(struct seq_file *m, loff_t offset)
{
	seq_rewind(m);
	while (m->read_pos < offset) {
		int err = seq_fill(m, (size_t)(offset - m->read_pos));
		size_t n = min(m->count, (size_t)(offset - m->read_pos));

		if (err) {
			seq_rewind(m);
			return err;
		}
		if (!n)
			break;
		m->from += n;
		m->count -= n;
		m->read_pos += (loff_t)n;
	}
	m->read_pos = offset;
	return 0;
}

/* Moves up to size bytes from the buffer to the reader. */
static size_t seq_take(struct seq_file *m, char *buf, size_t size)
{
	size_t n = min(m->count, size);

	memcpy(buf, m->buf + m->from, n);
	m->from += n;
	m->count -= n;
	m->read_pos += (loff_t)n;
	return n;
}

ssize_t seq_read(struct file *file, char *buf, size_t size, loff_t *pos)
{
	struct seq_file *m = file->private_data;
	size_t done = 0;
	int err = 0;

	if (!size)
		return 0;
	mutex_lock(&m->lock);
	/*
	 * LAB 15, unmarked: A reader that goes on needs no search: m->index is the next record.
	 * Starts as:
	 * if (!m->count || *pos != m->read_pos)
	 *	err = seq_traverse(m, *pos);
	 */
	if (*pos == 0 && m->read_pos != 0)
		seq_rewind(m);
	else if (*pos != m->read_pos)
		err = seq_traverse(m, *pos);
	/* END LAB 15 */
	if (!err && m->count)
		done = seq_take(m, buf, size);
	if (!err && done < size) {
		err = seq_fill(m, size - done);
		if (!err)
			done += seq_take(m, buf + done, size - done);
	}
	*pos += (loff_t)done;
	mutex_unlock(&m->lock);
	return done ? (ssize_t)done : err;
}
EXPORT_SYMBOL(seq_read);

loff_t seq_lseek(struct file *file, loff_t offset, int whence)
{
	struct seq_file *m = file->private_data;
	int err = 0;

	if (whence == SEEK_CUR)
		offset += file->f_pos;
	else if (whence != SEEK_SET)
		return -EINVAL;
	if (offset < 0)
		return -EINVAL;
	mutex_lock(&m->lock);
	if (offset != m->read_pos)
		err = seq_traverse(m, offset);
	if (!err)
		file->f_pos = offset;
	mutex_unlock(&m->lock);
	return err ? err : offset;
}
EXPORT_SYMBOL(seq_lseek);

/* ---- files of one record ---- */

static void *single_start(struct seq_file *m, loff_t *pos)
{
	(void)m;
	return *pos == 0 ? SEQ_START_TOKEN : NULL;
}

static void *single_next(struct seq_file *m, void *v, loff_t *pos)
{
	(void)m;
	(void)v;
	++*pos;
	return NULL;
}

static void single_stop(struct seq_file *m, void *v)
{
	(void)m;
	(void)v;
}

int single_open(struct file *file, int (*show)(struct seq_file *m, void *v), void *data)
{
	struct seq_operations *op = kzalloc(sizeof(*op), GFP_KERNEL);
	int err;

	if (!op)
		return -ENOMEM;
	op->start = single_start;
	op->next = single_next;
	op->stop = single_stop;
	op->show = show;
	err = seq_open(file, op);
	if (err) {
		kfree(op);
		return err;
	}
	((struct seq_file *)file->private_data)->private = data;
	return 0;
}
EXPORT_SYMBOL(single_open);

int single_release(struct inode *inode, struct file *file)
{
	const struct seq_operations *op = ((struct seq_file *)file->private_data)->op;
	int ret = seq_release(inode, file);

	kfree(op);
	return ret;
}
EXPORT_SYMBOL(single_release);

/* ---- printing ---- */

int seq_write(struct seq_file *m, const void *data, size_t len)
{
	if (m->count + len < m->size) {
		memcpy(m->buf + m->count, data, len);
		m->count += len;
		return 0;
	}
	seq_set_overflow(m);
	return -1;
}
EXPORT_SYMBOL(seq_write);

void seq_printf(struct seq_file *m, const char *fmt, ...)
{
	va_list args;
	int len;

	if (seq_has_overflowed(m))
		return;
	va_start(args, fmt);
	len = vsnprintf(m->buf + m->count, m->size - m->count, fmt, args);
	va_end(args);
	if ((size_t)len < m->size - m->count)
		m->count += (size_t)len;
	else
		seq_set_overflow(m);
}
EXPORT_SYMBOL(seq_printf);

void seq_puts(struct seq_file *m, const char *s)
{
	seq_write(m, s, strlen(s));
}
EXPORT_SYMBOL(seq_puts);

void seq_putc(struct seq_file *m, char c)
{
	seq_write(m, &c, 1);
}
EXPORT_SYMBOL(seq_putc);

void seq_put_decimal_ull_width(struct seq_file *m, const char *delimiter, u64 num, unsigned width)
{
	seq_printf(m, "%s%*llu", delimiter, (int)width, (unsigned long long)num);
}

void seq_escape(struct seq_file *m, const char *s, const char *esc)
{
	for (; *s; s++) {
		if (strchr(esc, *s))
			seq_printf(m, "\\%03o", (unsigned char)*s);
		else
			seq_putc(m, *s);
	}
}
