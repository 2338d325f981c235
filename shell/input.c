/* What commands read: files, by lines or as they come, and directories. */
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "shell/shell.h"

#define INPUT_SIZE 4096

void open_input(struct input *in, const char *name, int flags)
{
	long fd = name ? sys_open(name, O_RDONLY | flags, 0) : 0;

	*in = (struct input){
		.name = name ? name : "-",
		.fd = (int)fd,
		.read = flags & O_DIRECTORY ? sys_getdents64 : sys_read,
		.end = fd < 0 ? fd : 0,
	};
}

int close_input(struct call *call, struct input *in)
{
	kfree(in->buf);
	if (in->fd > 0)
		sys_close(in->fd);
	return in->end < 0 ? failed(call, in->name, in->end) : 0;
}

bool fill(struct call *call, struct input *in)
{
	ssize_t n;

	out_flush(call);
	if (in->end)
		return false;
	if (in->pos) {
		in->len -= in->pos;
		memmove(in->buf, in->buf + in->pos, in->len);
		in->pos = 0;
	}
	/* Half of it is room: records of /dev/kmsg and of directories come whole, or not at all. */
	if (in->size - in->len <= in->size / 2) {
		size_t size = in->size ? 2 * in->size : INPUT_SIZE;
		char *buf = krealloc(in->buf, size + 1, GFP_KERNEL);

		if (!buf) {
			in->end = -ENOMEM;
			return false;
		}
		in->buf = buf;
		in->size = size;
	}
	n = in->read(in->fd, in->buf + in->len, in->size - in->len);
	if (n > 0)
		in->len += (size_t)n;
	else
		in->end = n ? n : 1;
	return n > 0;
}

char *next_line(struct call *call, struct input *in, size_t *len)
{
	char *line, *newline;

	do
		newline = memchr(in->buf + in->pos, '\n', in->len - in->pos);
	while (!newline && fill(call, in));
	line = in->buf + in->pos;
	*len = newline ? (size_t)(newline + 1 - line) : in->len - in->pos;
	in->pos += *len;
	return *len ? line : NULL;
}

int each_input(struct call *call, int first, command_input *fn)
{
	int status = 0;

	do {
		struct input in;

		open_input(&in, call->argv[first], 0);
		if (!in.end)
			fn(call, &in);
		status |= close_input(call, &in);
	} while (++first < call->argc && !stopped(call));
	return status;
}

char *read_file(struct call *call, const char *path)
{
	struct input in;

	open_input(&in, path, 0);
	while (fill(call, &in))
		;
	if (in.fd >= 0)
		sys_close(in.fd);
	if (in.end == 1) {
		in.buf[in.len] = '\0';
		return in.buf;
	}
	kfree(in.buf);
	return ERR_PTR(in.end);
}

/* By name, but numbers by their value. */
static int compare_names(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;
	size_t m = strspn(x, "0123456789"), n = strspn(y, "0123456789");

	return m && n && m != n ? (int)m - (int)n : strcmp(x, y);
}

int each_entry(struct call *call, const char *directory,
	       int (*fn)(struct call *call, const char *path, const char *name))
{
	struct linux_dirent64 *entry;
	size_t count = 0;
	struct input in;
	char **names;
	int status = 0;

	open_input(&in, directory, O_DIRECTORY);
	while (fill(call, &in))
		;
	names = kmalloc_array(in.len / sizeof(*entry) + 1, sizeof(*names), GFP_KERNEL);
	if (!names && in.end == 1)
		in.end = -ENOMEM;
	for (; in.end == 1 && in.pos < in.len; in.pos += entry->d_reclen) {
		entry = (void *)(in.buf + in.pos);
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			names[count++] = entry->d_name;
	}
	sort(names, count, sizeof(*names), compare_names);
	for (size_t i = 0; i < count && !stopped(call); i++) {
		char *path = kasprintf(GFP_KERNEL, "%s/%s", directory, names[i]);

		status |= path ? fn(call, path, names[i]) : failed(call, directory, -ENOMEM);
		kfree(path);
	}
	kfree(names);
	return close_input(call, &in) | status;
}
