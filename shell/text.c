/* Commands on text: echo, cat, head, tail, grep, wc, hexdump. */
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "shell/shell.h"

/* Make bytes of \n, \t, \\ and so on, and of \0 with up to three octal digits. The new length. */
static size_t unescape(char *s)
{
	static const char letters[] = "abefnrtv\\", values[] = "\a\b\033\f\n\r\t\v\\";
	char *to = s, *start = s;

	for (; *s; s++, to++) {
		const char *letter = *s == '\\' && s[1] ? strchr(letters, s[1]) : NULL;

		*to = letter ? values[letter - letters] : *s;
		if (letter)
			s++;
		else if (*s == '\\' && s[1] == '0') {
			*to = 0;
			s++;
			for (unsigned n = 0; n < 3 && s[1] >= '0' && s[1] <= '7'; n++)
				*to = (char)(*to * 8 + *++s - '0');
		}
	}
	return (size_t)(to - start);
}

/* All in one write: to a file of tracefs that is one request. */
static int cmd_echo(struct call *call)
{
	bool newline = true, escapes = false;
	char **word = call->argv, *text, *to;
	size_t size = 1;

	/* A word that is not made of n and e alone is text, as -1 in `echo -1`. */
	for (; *word && strstarts(*word, "-") && (*word)[1]; word++) {
		if ((*word)[1 + strspn(*word + 1, "ne")])
			break;
		newline &= !strchr(*word, 'n');
		escapes |= strchr(*word, 'e') != NULL;
	}
	for (unsigned i = 0; word[i]; i++)
		size += strlen(word[i]) + 1;
	text = to = kmalloc(size, GFP_KERNEL);
	if (!text)
		return failed(call, "words", -ENOMEM);
	for (; *word; word++) {
		size_t n = escapes ? unescape(*word) : strlen(*word);

		memcpy(to, *word, n);
		to += n;
		if (word[1])
			*to++ = ' ';
	}
	if (newline)
		*to++ = '\n';
	out_write(call, text, (size_t)(to - text));
	kfree(text);
	return 0;
}
SHELL_COMMAND("echo", NULL, 0, "[-n] [-e] [WORD]...",
	      "print the words (-n: no newline; -e: with \\n, \\t, \\0NNN…)", .run = cmd_echo);

static void cat_input(struct call *call, struct stream *in)
{
	while (!stopped(call) && stream_fill(in)) {
		out_write(call, in->buf, in->len);
		in->pos = in->len;
	}
}
SHELL_COMMAND("cat", "", 0, "[FILE]...", "print files, or the standard input", .input = cat_input);

static void head_input(struct call *call, struct stream *in)
{
	long n = option(call, 'n', 10);
	size_t len;
	char *line;

	while (n-- > 0 && !stopped(call) && (line = stream_line(in, &len))) {
		line[len] = '\n';
		out_write(call, line, len + 1);
	}
}
SHELL_COMMAND("head", "n:", 0, "[-n N] [FILE]...", "print the first 10 lines", .input = head_input);

/* What stands before the last lines so far is consumed whenever more has come. */
static void tail_input(struct call *call, struct stream *in)
{
	while (!stopped(call) && stream_fill(in)) {
		long n = option(call, 'n', 10);
		size_t at;

		for (at = in->len; at && n; at--)
			if (at < in->len && in->buf[at - 1] == '\n' && --n == 0)
				break;
		in->pos = at;
	}
	out_write(call, in->buf + in->pos, in->len - in->pos);
}
SHELL_COMMAND("tail", "n:", 0, "[-n N] [FILE]...", "print the last 10 lines", .input = tail_input);

static void grep_input(struct call *call, struct stream *in)
{
	bool invert = option(call, 'v', 0), count = option(call, 'c', 0), several = call->argc > 2;
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

static int cmd_grep(struct call *call)
{
	call->status = 1;
	return each_input(call, 1, grep_input) ? 2 : call->status;
}
SHELL_COMMAND("grep", "vc", 1, "[-v] [-c] TEXT [FILE]...",
	      "print lines with TEXT (-v: without it; -c: how many)", .run = cmd_grep);

static void wc_input(struct call *call, struct stream *in)
{
	unsigned long lines = 0, words = 0, bytes = 0;
	bool in_word = false;

	while (!stopped(call) && stream_fill(in)) {
		const char *s = in->buf + in->pos, *end = in->buf + in->len;

		bytes += in->len - in->pos;
		in->pos = in->len;
		for (; s < end; s++) {
			lines += *s == '\n';
			words += !isspace((u8)*s) && !in_word;
			in_word = !isspace((u8)*s);
		}
	}
	out_printf(call, "%9lu %9lu %9lu %s\n", lines, words, bytes, in->name);
}
SHELL_COMMAND("wc", "", 0, "[FILE]...", "count lines, words and bytes", .input = wc_input);

#define ROW 16

/* Rows that equal the one before them become one `*`. */
static void hexdump_input(struct call *call, struct stream *in)
{
	char last[ROW], text[ROW];
	unsigned long offset = 0;
	bool starred = false;

	while (!stopped(call)) {
		char *row;
		int n;

		while (in->len - in->pos < ROW && stream_fill(in))
			;
		row = in->buf + in->pos;
		n = (int)min(in->len - in->pos, (size_t)ROW);
		if (!n)
			break;
		if (offset && n == ROW && !memcmp(row, last, ROW)) {
			if (!starred)
				out_printf(call, "*\n");
			starred = true;
		} else {
			for (int i = 0; i < n; i++)
				text[i] = isprint((u8)row[i]) ? row[i] : '.';
			out_printf(call, "%08lx  %*ph%*s|%.*s|\n", offset, n, row,
				   3 * (ROW - n) + 2, "", n, text);
			memcpy(last, row, (size_t)n);
			starred = false;
		}
		in->pos += (size_t)n;
		offset += (unsigned long)n;
	}
	out_printf(call, "%08lx\n", offset);
}
SHELL_COMMAND("hexdump", "C", 0, "[FILE]...", "print bytes as hexadecimal and text",
	      .input = hexdump_input);
