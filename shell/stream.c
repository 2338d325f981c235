/* Buffered input, formatted output and sorted directories on descriptors. */
#include "shell/stream.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"

#define STREAM_SIZE 4096
#define SHORT_TEXT  256 /* bytes of a text that needs no allocation */
#define MESSAGE_MAX 512 /* longer messages are cut */

void stream_open(struct stream *s, const char *path, int flags)
{
	bool standard = !path || !strcmp(path, "-");
	long fd = standard ? 0 : sys_open(path, O_RDONLY | flags, 0);

	*s = (struct stream){
		.name = standard ? "-" : path,
		.fd = (int)fd,
		.read = flags & O_DIRECTORY ? sys_getdents64 : sys_read,
		.end = fd < 0 ? fd : 0,
	};
}

void stream_close(struct stream *s)
{
	kfree(s->buf);
	if (s->fd > 0)
		sys_close(s->fd);
}

bool stream_fill(struct stream *s)
{
	ssize_t n;

	if (s->end)
		return false;
	if (s->pos) {
		s->len -= s->pos;
		memmove(s->buf, s->buf + s->pos, s->len);
		s->pos = 0;
	}
	/* Half of the buffer stays free, because /dev/kmsg and directories return whole records. */
	if (s->size - s->len <= s->size / 2) {
		size_t size = s->size ? 2 * s->size : STREAM_SIZE;
		char *buf = krealloc(s->buf, size + 1, GFP_KERNEL);

		if (!buf) {
			s->end = -ENOMEM;
			return false;
		}
		s->buf = buf;
		s->size = size;
	}
	n = s->read(s->fd, s->buf + s->len, s->size - s->len);
	if (n > 0)
		s->len += (size_t)n;
	else
		s->end = n ? n : 1;
	return n > 0;
}

size_t stream_read(struct stream *s, void *buf, size_t size)
{
	size_t n;

	while (s->len - s->pos < size && stream_fill(s))
		;
	n = min(s->len - s->pos, size);
	memcpy(buf, s->buf + s->pos, n);
	s->pos += n;
	return n;
}

char *stream_line(struct stream *s, size_t *len)
{
	char *line, *newline;

	do
		newline = memchr(s->buf + s->pos, '\n', s->len - s->pos);
	while (!newline && stream_fill(s));
	if (s->pos == s->len)
		return NULL;
	line = s->buf + s->pos;
	*len = newline ? (size_t)(newline - line) : s->len - s->pos;
	line[*len] = '\0';
	s->pos += *len + (newline != NULL);
	return line;
}

char *read_file(const char *path)
{
	struct stream s;
	char *text;

	stream_open(&s, path, 0);
	while (stream_fill(&s))
		;
	text = s.buf;
	if (s.end == 1) {
		text[s.len] = '\0';
		s.buf = NULL; /* the caller frees it */
	}
	stream_close(&s);
	return s.end == 1 ? text : ERR_PTR(s.end);
}

static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t m = strspn(x, "0123456789"), n = strspn(y, "0123456789");

	return m && n && m != n ? (int)m - (int)n : strcmp(x, y);
}

long scan_directory(const char *directory,
		    long (*fn)(void *arg, const char *path, const char *name), void *arg)
{
	struct linux_dirent64 *entry;
	char **names = NULL, *path;
	size_t count = 0;
	struct stream s;
	long result;

	stream_open(&s, directory, O_DIRECTORY);
	while (stream_fill(&s))
		;
	if (s.end == 1)
		names = kmalloc_array(s.len / sizeof(*entry) + 1, sizeof(*names), GFP_KERNEL);
	for (; names && s.pos < s.len; s.pos += entry->d_reclen) {
		entry = (void *)(s.buf + s.pos);
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			names[count++] = entry->d_name;
	}
	result = names ? 0 : s.end == 1 ? -ENOMEM : s.end;
	sort(names, count, sizeof(*names), compare_names);
	for (size_t i = 0; i < count && !result; i++) {
		path = kasprintf(GFP_KERNEL, "%s/%s", directory, names[i]);
		result = path ? fn(arg, path, names[i]) : -ENOMEM;
		kfree(path);
	}
	kfree(names);
	stream_close(&s);
	return result;
}

void stream_write(struct stream *s, const void *data, size_t size)
{
	for (ssize_t n; size && !s->end; data += n, size -= (size_t)n) {
		n = sys_write(s->fd, data, size);
		if (n < 0) {
			s->end = n;
			break;
		}
	}
}

void stream_printf(struct stream *s, const char *fmt, ...)
{
	char small[SHORT_TEXT], *large = NULL;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(small, sizeof(small), fmt, args);
	va_end(args);
	if (n >= (int)sizeof(small)) {
		va_start(args, fmt);
		large = kvasprintf(GFP_KERNEL, fmt, args);
		va_end(args);
		if (!large && !s->end)
			s->end = -ENOMEM;
	}
	stream_write(s, large ? large : small, (size_t)n);
	kfree(large);
}

void err_printf(const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	for (int i = 0; i < n; i++)
		if (iscntrl((u8)text[i]) && text[i] != '\n')
			text[i] = '?';
	if (n == sizeof(text) - 1)
		text[n - 1] = '\n';
	(void)sys_write(2, text, (size_t)n); /* an error here has no place to go */
}
