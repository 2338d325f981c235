/* Commands on text: head, tail, grep, wc, hexdump. */
#include "fs/syscalls.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "shell/command.h"

/* What a command found out from its options, and its file count for headings. */
struct text_options {
	long lines;
	bool count, invert, number, quiet, ignore_case, prefix;
	const char *pattern;
	size_t pattern_len;
	u64 totals[3];
};

static int read_error(struct sh_io *io, const char *name, long error)
{
	return error && error != -EINTR ? fail_with(io, name ? name : "-", error) : 0;
}

static int head_file(struct sh_io *io, int fd, const char *name, void *context)
{
	const struct text_options *options = context;
	struct sh_reader r;
	const char *line;
	size_t len;
	int status;

	if (!reader_init(&r, fd))
		return fail_with(io, "no buffer", -ENOMEM);
	if (options->prefix)
		out_printf(io, "==> %s <==\n", name ? name : "standard input");
	for (long n = options->lines; n > 0 && !out_stop(io) && (line = reader_line(&r, &len));) {
		out_write(io, line, len);
		n -= line[len - 1] == '\n';
		if (reader_empty(&r))
			out_flush(io);
	}
	status = read_error(io, name, r.error);
	reader_free(&r);
	return status;
}

/* Where the last n lines of the text begin. */
static size_t last_lines(const char *text, size_t len, long n)
{
	size_t at = len;

	if (!n)
		return len;
	while (at) {
		if (text[at - 1] == '\n' && at != len && --n == 0)
			return at;
		at--;
	}
	return 0;
}

#define TAIL_CHUNK 16384UL

/* Keeps what may still be needed: once a chunk, everything before the last n lines so far goes. */
static int tail_file(struct sh_io *io, int fd, const char *name, void *context)
{
	const struct text_options *options = context;
	size_t len = 0, size = 0;
	char *text = NULL;
	ssize_t n;

	for (;;) {
		size_t begin;

		if (size - len < TAIL_CHUNK) {
			char *more = krealloc(text, len + 2 * TAIL_CHUNK, GFP_KERNEL);

			if (!more) {
				kfree(text);
				return fail_with(io, name ? name : "-", -ENOMEM);
			}
			text = more;
			size = len + 2 * TAIL_CHUNK;
		}
		n = sys_read(fd, text + len, TAIL_CHUNK);
		if (n <= 0)
			break;
		len += (size_t)n;
		begin = last_lines(text, len, options->lines);
		memmove(text, text + begin, len - begin);
		len -= begin;
	}
	if (options->prefix)
		out_printf(io, "==> %s <==\n", name ? name : "standard input");
	out_write(io, text, len);
	kfree(text);
	return read_error(io, name, n);
}

static int head_or_tail(struct sh_io *io, int argc, char **argv,
			int (*fn)(struct sh_io *io, int fd, const char *name, void *context))
{
	struct text_options text = { .lines = 10 };
	struct sh_options options = { 0 };
	int c;

	while ((c = next_option(io, argc, argv, "n:", &options)) > 0)
		if (!parse_number(io, options.value, 0, 1L << 40, &text.lines))
			return 1;
	if (c < 0)
		return 1;
	text.prefix = argc - options.index > 1;
	return for_each_input(io, argc, argv, options.index, fn, &text);
}

static int cmd_head(struct sh_io *io, int argc, char **argv)
{
	return head_or_tail(io, argc, argv, head_file);
}

static int cmd_tail(struct sh_io *io, int argc, char **argv)
{
	return head_or_tail(io, argc, argv, tail_file);
}

/* ---- grep ---- */

static bool line_matches(const char *line, size_t len, const struct text_options *o)
{
	for (size_t at = 0; at + o->pattern_len <= len; at++) {
		size_t i = 0;

		while (i < o->pattern_len &&
		       (o->ignore_case ? tolower((u8)line[at + i]) == tolower((u8)o->pattern[i])
				       : line[at + i] == o->pattern[i]))
			i++;
		if (i == o->pattern_len)
			return true;
	}
	return false;
}

static void grep_print(struct sh_io *io, const struct text_options *o, const char *name,
		       unsigned long number, const char *line, size_t len)
{
	if (o->prefix)
		out_printf(io, "%s:", name);
	if (o->number)
		out_printf(io, "%lu:", number);
	out_write(io, line, len);
	out_puts(io, "\n");
}

/* The status is 0, and the count of matches goes to totals[0]: cmd_grep() judges in the end. */
static int grep_file(struct sh_io *io, int fd, const char *name, void *context)
{
	struct text_options *o = context;
	unsigned long number = 0, found = 0;
	struct sh_reader r;
	const char *line;
	size_t len;
	int status;

	if (!name)
		name = "(standard input)";
	if (!reader_init(&r, fd))
		return fail_with(io, "no buffer", -ENOMEM);
	while (!out_stop(io) && (line = reader_line(&r, &len))) {
		number++;
		if (line[len - 1] == '\n')
			len--;
		if (line_matches(line, len, o) != o->invert) {
			found++;
			if (!o->count && !o->quiet)
				grep_print(io, o, name, number, line, len);
		}
		if (reader_empty(&r))
			out_flush(io);
	}
	if (o->count && !o->quiet) {
		if (o->prefix)
			out_printf(io, "%s:", name);
		out_printf(io, "%lu\n", found);
	}
	o->totals[0] += found;
	status = read_error(io, name, r.error) ? 2 : 0;
	reader_free(&r);
	return status;
}

static int cmd_grep(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	struct text_options text = { 0 };
	int c, status;

	while ((c = next_option(io, argc, argv, "vcniqFe:", &options)) > 0) {
		text.invert |= c == 'v';
		text.count |= c == 'c';
		text.number |= c == 'n';
		text.ignore_case |= c == 'i';
		text.quiet |= c == 'q';
		if (c == 'e')
			text.pattern = options.value;
	}
	if (c < 0)
		return 2;
	if (!text.pattern) {
		if (options.index >= argc) {
			usage(io);
			return 2;
		}
		text.pattern = argv[options.index++];
	}
	text.pattern_len = strlen(text.pattern);
	text.prefix = argc - options.index > 1;
	status = for_each_input(io, argc, argv, options.index, grep_file, &text);
	return status ? 2 : !text.totals[0];
}

/* ---- wc, hexdump ---- */

#define WC_CHUNK 4096UL

static void wc_print(struct sh_io *io, const u64 counts[3], const char *name)
{
	out_printf(io, "%9llu %9llu %9llu", (unsigned long long)counts[0],
		   (unsigned long long)counts[1], (unsigned long long)counts[2]);
	if (name)
		out_printf(io, " %s", name);
	out_puts(io, "\n");
}

static int wc_file(struct sh_io *io, int fd, const char *name, void *context)
{
	struct text_options *o = context;
	char *buf = kmalloc(WC_CHUNK, GFP_KERNEL);
	u64 counts[3] = { 0 }; /* lines, words, bytes */
	bool in_word = false;
	ssize_t n;

	if (!buf)
		return fail_with(io, "no buffer", -ENOMEM);
	while ((n = sys_read(fd, buf, WC_CHUNK)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			bool space = isspace((u8)buf[i]);

			counts[0] += buf[i] == '\n';
			counts[1] += !space && !in_word;
			in_word = !space;
		}
		counts[2] += (u64)n;
	}
	kfree(buf);
	wc_print(io, counts, name);
	for (unsigned i = 0; i < 3; i++)
		o->totals[i] += counts[i];
	return read_error(io, name, n);
}

static int cmd_wc(struct sh_io *io, int argc, char **argv)
{
	struct text_options text = { 0 };
	int status = for_each_input(io, argc, argv, 1, wc_file, &text);

	if (argc > 2)
		wc_print(io, text.totals, "total");
	return status;
}

struct hexdump {
	u64 offset;
	u8 row[16], last[16];
	unsigned len;
	bool starred;
};

/* A full row that equals the one before it becomes one `*` for all of its kind. */
static void hexdump_row(struct sh_io *io, struct hexdump *h)
{
	if (!h->len)
		return;
	if (h->offset && h->len == 16 && !memcmp(h->row, h->last, 16)) {
		if (!h->starred)
			out_puts(io, "*\n");
		h->starred = true;
	} else {
		out_printf(io, "%08llx ", (unsigned long long)h->offset);
		for (unsigned i = 0; i < 16; i++) {
			if (i < h->len)
				out_printf(io, "%s%02x", i == 8 ? "  " : " ", h->row[i]);
			else
				out_puts(io, i == 8 ? "    " : "   ");
		}
		out_puts(io, "  |");
		for (unsigned i = 0; i < h->len; i++)
			out_printf(io, "%c", isprint(h->row[i]) ? h->row[i] : '.');
		out_puts(io, "|\n");
		h->starred = false;
	}
	memcpy(h->last, h->row, 16);
	h->offset += h->len;
	h->len = 0;
}

static int hexdump_file(struct sh_io *io, int fd, const char *name, void *context)
{
	struct hexdump *h = context;
	ssize_t n = 1;

	while (!out_stop(io) && (n = sys_read(fd, h->row + h->len, 16 - h->len)) > 0) {
		h->len += (unsigned)n;
		if (h->len == 16)
			hexdump_row(io, h);
	}
	return n < 0 ? read_error(io, name, n) : 0;
}

static int cmd_hexdump(struct sh_io *io, int argc, char **argv)
{
	struct sh_options options = { 0 };
	struct hexdump h = { 0 };
	int c, status;

	while ((c = next_option(io, argc, argv, "C", &options)) > 0)
		;
	if (c < 0)
		return 1;
	status = for_each_input(io, argc, argv, options.index, hexdump_file, &h);
	hexdump_row(io, &h);
	out_printf(io, "%08llx\n", (unsigned long long)h.offset);
	return status;
}

const struct sh_command_def text_commands[] = {
	{ "head", cmd_head, "[-n LINES] [FILE]...", "print the first lines (10)" },
	{ "tail", cmd_tail, "[-n LINES] [FILE]...", "print the last lines (10)" },
	{ "grep", cmd_grep, "[-vcniqF] TEXT [FILE]...",
	  "print lines that contain TEXT, a fixed string (-v: that do not, -c: count)" },
	{ "wc", cmd_wc, "[FILE]...", "count lines, words and bytes" },
	{ "hexdump", cmd_hexdump, "[-C] [FILE]...", "print bytes in hexadecimal and as text" },
	{ 0 },
};
