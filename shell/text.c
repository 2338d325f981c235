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

int cmd_echo(struct call *call)
{
	bool newline = true, escapes = false;
	char **word = call->argv;

	/* A word that is not made of n and e alone is text, as -1 in `echo -1`. */
	for (; *word && strstarts(*word, "-") && (*word)[1]; word++) {
		if ((*word)[1 + strspn(*word + 1, "ne")])
			break;
		newline &= !strchr(*word, 'n');
		escapes |= strchr(*word, 'e') != NULL;
	}
	for (; *word; word++) {
		out_write(call, *word, escapes ? unescape(*word) : strlen(*word));
		if (word[1])
			out_write(call, " ", 1);
	}
	if (newline)
		out_write(call, "\n", 1);
	return 0;
}

void cat_input(struct call *call, struct input *in)
{
	while (!stopped(call) && fill(call, in)) {
		out_write(call, in->buf, in->len);
		in->pos = in->len;
	}
}

void head_input(struct call *call, struct input *in)
{
	long n = option(call, 'n', 10);
	const char *line;
	size_t len;

	while (n-- > 0 && !stopped(call) && (line = next_line(call, in, &len)))
		out_write(call, line, len);
}

/* What stands before the last lines so far is consumed whenever more has come. */
void tail_input(struct call *call, struct input *in)
{
	while (!stopped(call) && fill(call, in)) {
		long n = option(call, 'n', 10);
		size_t at;

		for (at = in->len; at && n; at--)
			if (at < in->len && in->buf[at - 1] == '\n' && --n == 0)
				break;
		in->pos = at;
	}
	out_write(call, in->buf + in->pos, in->len - in->pos);
}

static bool contains(const char *line, size_t len, const char *text, size_t n)
{
	for (; len >= n; line++, len--)
		if (!n || (*line == *text && !memcmp(line, text, n)))
			return true;
	return false;
}

static void grep_input(struct call *call, struct input *in)
{
	bool invert = option(call, 'v', 0), count = option(call, 'c', 0), several = call->argc > 2;
	size_t n = strlen(call->argv[0]), len;
	unsigned long found = 0;
	const char *line;

	while (!stopped(call) && (line = next_line(call, in, &len))) {
		if (line[len - 1] == '\n')
			len--;
		if (contains(line, len, call->argv[0], n) == invert)
			continue;
		found++;
		if (count)
			continue;
		if (several)
			out_printf(call, "%s:", in->name);
		out_write(call, line, len);
		out_write(call, "\n", 1);
	}
	if (count && several)
		out_printf(call, "%s:", in->name);
	if (count)
		out_printf(call, "%lu\n", found);
	if (found)
		call->status = 0;
}

int cmd_grep(struct call *call)
{
	call->status = 1;
	return each_input(call, 1, grep_input) ? 2 : call->status;
}

void wc_input(struct call *call, struct input *in)
{
	unsigned long lines = 0, words = 0, bytes = 0;
	bool in_word = false;

	while (!stopped(call) && fill(call, in)) {
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

#define ROW 16

/* A row that equals the one before it becomes one `*` for all of its kind. */
void hexdump_input(struct call *call, struct input *in)
{
	char last[ROW], text[ROW];
	unsigned long offset = 0;
	bool starred = false;

	while (!stopped(call)) {
		const char *row;
		int n;

		while (in->len - in->pos < ROW && fill(call, in))
			;
		n = (int)min(in->len - in->pos, (size_t)ROW);
		if (!n)
			break;
		row = in->buf + in->pos;
		if (!offset || n < ROW || memcmp(row, last, ROW)) {
			for (int i = 0; i < n; i++)
				text[i] = isprint((u8)row[i]) ? row[i] : '.';
			out_printf(call, "%08lx  %*ph%*s|%.*s|\n", offset, n, row,
				   3 * (ROW - n) + 2, "", n, text);
			starred = false;
		} else if (!starred) {
			out_printf(call, "*\n");
			starred = true;
		}
		memcpy(last, row, (size_t)n);
		in->pos += (size_t)n;
		offset += (unsigned long)n;
	}
	out_printf(call, "%08lx\n", offset);
}
