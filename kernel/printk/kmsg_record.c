/* Records of the log as programs read them from /dev/kmsg. */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/printk/printk.h"
#include "kernel/printk/printk_ringbuffer.h"
#include "kernel/time/ktime.h"

#define PREFIX_MAX 48 /* bytes before the text: "6,1234,1234567,-;" */

static bool needs_escape(char c)
{
	return c < ' ' || c >= 127 || c == '\\';
}

/* Writes the text with its escapes to buf, or only counts if buf is NULL. Returns the length. */
static size_t escape_text(const struct printk_record *r, char *buf)
{
	size_t n = 0;

	for (size_t i = 0; i < r->len; i++) {
		char c = r->text[i];
		size_t len = needs_escape(c) ? strlen("\\xNN") : 1;

		if (buf && len > 1)
			snprintf(buf + n, len + 1, "\\x%02x", (unsigned char)c);
		else if (buf)
			buf[n] = c;
		n += len;
	}
	return n;
}

ssize_t kmsg_read_record(u64 *seq, char *buf, size_t size)
{
	struct printk_record r;
	char prefix[PREFIX_MAX];
	int found = kmsg_read_next(seq, &r);
	size_t n;

	if (found <= 0)
		return found;
	n = (size_t)snprintf(prefix, sizeof(prefix), "%u,%llu,%llu,-;", r.prio,
			     (unsigned long long)r.seq,
			     (unsigned long long)(r.ts_nsec / NSEC_PER_USEC));
	if (n + escape_text(&r, NULL) + 1 > size)
		return -EINVAL;
	memcpy(buf, prefix, n);
	n += escape_text(&r, buf + n);
	buf[n++] = '\n'; /* in place of the NUL of the last escape */
	*seq = r.next_seq;
	return (ssize_t)n;
}
