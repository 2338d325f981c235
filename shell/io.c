/* What commands share: buffered output, messages, options, lines of input. */
#include "fs/syscalls.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/sched.h"
#include "shell/command.h"

#define MESSAGE_MAX 512

/* All of it, or the error. */
static int write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t written = sys_write(fd, s, n);

		if (written < 0)
			return (int)written;
		s += written;
		n -= (size_t)written;
	}
	return 0;
}

int out_flush(struct sh_io *io)
{
	if (io->len && !io->error)
		io->error = write_all(1, io->buf, io->len);
	io->len = 0;
	return io->error;
}

void out_write(struct sh_io *io, const void *data, size_t n)
{
	const char *s = data;

	while (n) {
		size_t room = min(n, SH_IO_SIZE - io->len);

		memcpy(io->buf + io->len, s, room);
		io->len += room;
		s += room;
		n -= room;
		if (io->len == SH_IO_SIZE)
			out_flush(io);
	}
}

void out_puts(struct sh_io *io, const char *s)
{
	out_write(io, s, strlen(s));
}

void out_printf(struct sh_io *io, const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list args;

	va_start(args, fmt);
	out_write(io, text, (size_t)vscnprintf(text, sizeof(text), fmt, args));
	va_end(args);
}

bool out_stop(const struct sh_io *io)
{
	return io->error || signal_pending(current);
}

void err_printf(const char *fmt, ...)
{
	char text[MESSAGE_MAX];
	va_list args;
	size_t n;

	va_start(args, fmt);
	n = (size_t)vscnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	/* Noise that was typed as a command must not reach the terminal as control characters. */
	for (size_t i = 0; i < n; i++)
		if (((u8)text[i] < 0x20 && text[i] != '\n' && text[i] != '\t') || text[i] == 0x7f)
			text[i] = '?';
	if (n == sizeof(text) - 1)
		text[n - 1] = '\n';
	(void)write_all(2, text, n); /* there is nobody left to tell */
}

int fail_with(struct sh_io *io, const char *what, long error)
{
	out_flush(io);
	err_printf("%s: %s: %s\n", io->name, what, errno_text((int)-error));
	return 1;
}

int usage(struct sh_io *io)
{
	const struct sh_command_def *def = find_command(io->name);

	out_flush(io);
	err_printf("Usage: %s %s\n", io->name, def ? def->args : "");
	return 1;
}

int next_option(struct sh_io *io, int argc, char **argv, const char *accepted, struct sh_options *o)
{
	const char *word, *found;
	char letter;

	if (!o->index)
		o->index = 1;
	if (o->index >= argc)
		return 0;
	word = argv[o->index];
	if (!o->within) {
		if (word[0] != '-' || !word[1])
			return 0;
		if (!strcmp(word, "--")) {
			o->index++;
			return 0;
		}
		o->within = 1;
	}
	letter = word[o->within++];
	found = strchr(accepted, letter);
	if (!found || letter == ':') {
		err_printf("%s: invalid option -- '%c'\n", io->name, letter);
		usage(io);
		return -1;
	}
	if (found[1] != ':') {
		if (!word[o->within]) {
			o->within = 0;
			o->index++;
		}
		return letter;
	}
	o->value = word[o->within] ? word + o->within : argv[++o->index];
	o->within = 0;
	o->index++;
	if (!o->value) {
		err_printf("%s: option requires an argument -- '%c'\n", io->name, letter);
		usage(io);
		return -1;
	}
	return letter;
}

bool parse_number(struct sh_io *io, const char *text, long low, long high, long *result)
{
	if (!kstrtol(text, 10, result) && *result >= low && *result <= high)
		return true;
	err_printf("%s: invalid number '%s'\n", io->name, text);
	return false;
}

bool reader_init(struct sh_reader *r, int fd)
{
	*r = (struct sh_reader){ .fd = fd, .buf = kmalloc(SH_LINE_SIZE, GFP_KERNEL) };
	return r->buf;
}

void reader_free(struct sh_reader *r)
{
	kfree(r->buf);
}

bool reader_empty(const struct sh_reader *r)
{
	return !memchr(r->buf + r->pos, '\n', r->len - r->pos);
}

const char *reader_line(struct sh_reader *r, size_t *len)
{
	const char *line, *end;

	while (!(end = memchr(r->buf + r->pos, '\n', r->len - r->pos))) {
		ssize_t n;

		if (r->pos) {
			memmove(r->buf, r->buf + r->pos, r->len - r->pos);
			r->len -= r->pos;
			r->pos = 0;
		}
		if (r->len == SH_LINE_SIZE || r->error)
			break;
		n = sys_read(r->fd, r->buf + r->len, SH_LINE_SIZE - r->len);
		if (n <= 0) {
			r->error = n;
			break;
		}
		r->len += (size_t)n;
	}
	line = r->buf + r->pos;
	*len = end ? (size_t)(end + 1 - line) : r->len - r->pos;
	r->pos += *len;
	return *len ? line : NULL;
}

int for_each_input(struct sh_io *io, int argc, char **argv, int first,
		   int (*fn)(struct sh_io *io, int fd, const char *name, void *context),
		   void *context)
{
	int status = 0;

	if (first >= argc)
		return fn(io, 0, NULL, context);
	for (int i = first; i < argc && !out_stop(io); i++) {
		bool standard_input = !strcmp(argv[i], "-");
		long fd = standard_input ? 0 : sys_open(argv[i], O_RDONLY, 0);

		if (fd < 0) {
			out_flush(io);
			err_printf("%s: can't open '%s': %s\n", io->name, argv[i],
				   errno_text((int)-fd));
			status = max(status, 1);
			continue;
		}
		status = max(status, fn(io, (int)fd, argv[i], context));
		if (!standard_input)
			sys_close((int)fd);
	}
	return status;
}
