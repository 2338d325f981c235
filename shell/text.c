/* Commands on text: echo, cat, head, tail, grep, wc, hexdump. */
#include "kernel/lib/ctype.h"
#include "shell/shell.h"

/* Uses one write for all words, because a file of tracefs takes each write as one request. */
static int cmd_echo(struct call *call)
{
	char *text, *to;
	size_t size = 1;

	for (char **word = call->argv; *word; word++)
		size += strlen(*word) + 1;
	text = to = kmalloc(size, GFP_KERNEL);
	if (!text)
		return failed(call, "words", -ENOMEM);
	for (char **word = call->argv; *word; word++) {
		size_t n = option(call, 'e', 0) ? string_unescape_inplace(*word) : strlen(*word);

		memcpy(to, *word, n);
		to += n;
		if (word[1])
			*to++ = ' ';
	}
	if (!option(call, 'n', 0))
		*to++ = '\n';
	stream_write(&call->out, text, (size_t)(to - text));
	kfree(text);
	return 0;
}
SHELL_COMMAND("echo", "?ne", 0, "[-n] [-e] [WORD]...",
	      "print the words (-n: no newline; -e: with \\n, \\t, \\0NNN…)", .run = cmd_echo);

static void cat_input(struct call *call, struct stream *in)
{
	for (; !stopped(call) && stream_fill(in); in->pos = in->len)
		stream_write(&call->out, in->buf, in->len);
}
SHELL_COMMAND("cat", "", 0, "[FILE]...", "print files, or the standard input", .input = cat_input);

static void head_input(struct call *call, struct stream *in)
{
	long n = option(call, 'n', option(call, '#', 10));
	size_t len;
	char *line;

	while (n-- > 0 && !stopped(call) && (line = stream_line(in, &len))) {
		line[len] = '\n';
		stream_write(&call->out, line, len + 1);
	}
}
SHELL_COMMAND("head", "n:#", 0, "[-n N] [FILE]...", "print the first 10 lines",
	      .input = head_input);

/* After each read, consumes the bytes before the last n lines, so the buffer stays small. */
static void tail_input(struct call *call, struct stream *in)
{
	while (!stopped(call) && stream_fill(in)) {
		long n = option(call, 'n', option(call, '#', 10));
		size_t at;

		for (at = in->len; at && n; at--)
			if (at < in->len && in->buf[at - 1] == '\n' && --n == 0)
				break;
		in->pos = at;
	}
	stream_write(&call->out, in->buf + in->pos, in->len - in->pos);
}
SHELL_COMMAND("tail", "n:#", 0, "[-n N] [FILE]...", "print the last 10 lines", .input = tail_input);

static void grep_input(struct call *call, struct stream *in)
{
	bool invert = option(call, 'v', 0), count = option(call, 'c', 0);
	bool several = call->argv[1] && call->argv[2];
	const char *text = call->argv[0], *line;
	const char *name = several ? in->name : "", *colon = several ? ":" : "";
	unsigned long found = 0;
	size_t len;

	while (!stopped(call) && (line = stream_line(in, &len))) {
		if (!strstr(line, text) != invert)
			continue;
		found++;
		if (!count)
			out_printf(call, "%s%s%s\n", name, colon, line);
	}
	if (count)
		out_printf(call, "%s%s%lu\n", name, colon, found);
	if (found)
		call->status = 0;
}
SHELL_COMMAND("grep", "vc", 1, "[-v] [-c] TEXT [FILE]...",
	      "print lines with TEXT (-v: without it; -c: how many)", .input = grep_input,
	      .status = 1);

static void wc_input(struct call *call, struct stream *in)
{
	unsigned long lines = 0, words = 0, bytes = 0;
	char before = ' ';

	for (; !stopped(call) && stream_fill(in); in->pos = in->len) {
		bytes += in->len;
		for (const char *s = in->buf; s < in->buf + in->len; before = *s++) {
			lines += *s == '\n';
			words += !isspace((u8)*s) && isspace((u8)before);
		}
	}
	out_printf(call, "%9lu %9lu %9lu %s\n", lines, words, bytes, in->name);
}
SHELL_COMMAND("wc", "", 0, "[FILE]...", "count lines, words and bytes", .input = wc_input);

#define ROW 16

/* Prints one `*` for all rows that are equal to the row before. */
static void hexdump_input(struct call *call, struct stream *in)
{
	char row[ROW], last[ROW], text[ROW];
	unsigned long offset = 0;
	bool same = false;
	int n;

	for (; !stopped(call) && (n = (int)stream_read(in, row, ROW)); offset += (unsigned long)n) {
		bool starred = same;

		same = offset && n == ROW && !memcmp(row, last, ROW);
		if (same && !starred)
			out_printf(call, "*\n");
		if (same)
			continue;
		for (int i = 0; i < n; i++)
			text[i] = isprint((u8)row[i]) ? row[i] : '.';
		out_printf(call, "%08lx  %*ph%*s|%.*s|\n", offset, n, row, 3 * (ROW - n) + 2, "", n,
			   text);
		memcpy(last, row, ROW);
	}
	out_printf(call, "%08lx\n", offset);
}
SHELL_COMMAND("hexdump", "C", 0, "[FILE]...", "print bytes as hexadecimal and text",
	      .input = hexdump_input);
