/* The words of a command line: quotes, variables, redirections. */
#include "kernel/monitor/monitor.h"

#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/sched.h"

static void add(struct command *c, char byte)
{
	if (c->used < LINE_SIZE)
		c->text[c->used++] = byte;
}

static void add_variable(struct command *c, char name)
{
	int value = name == '?' ? last_status : (name == '!' ? last_job : current->pid);

	c->used += (size_t)scnprintf(c->text + c->used, LINE_SIZE - c->used, "%d", value);
}

/* Whether a backslash before c takes the meaning of c. In double quotes it stays before others. */
static bool is_escaped(char c, char quote)
{
	return c && (quote != '"' || strchr("\"$\\`", c));
}

/* Copies a word to c->text, up to a blank or an operator. NULL: a quote is open at the end. */
static char *next_word(const char **line, struct command *c)
{
	char *word = c->text + c->used, quote = '\0';
	const char *s;

	for (s = *line; *s && (quote || !strchr(" \t;&<>|()`", *s)); s++) {
		if (*s == quote)
			quote = '\0';
		else if (!quote && (*s == '\'' || *s == '"'))
			quote = *s;
		else if (quote != '\'' && *s == '$' && s[1] && strchr("?!$", s[1]))
			add_variable(c, *++s);
		else if (quote != '\'' && *s == '\\' && is_escaped(s[1], quote))
			add(c, *++s);
		else
			add(c, *s);
	}
	add(c, '\0');
	*line = s;
	return quote ? NULL : word;
}

static int syntax_error(const char *s)
{
	const char quoted[] = { '"', *s, '"', '\0' };

	complain("sh: syntax error: unexpected %s\n", *s ? quoted : "newline");
	return STATUS_SYNTAX;
}

/* Reads the name of the file behind > or >>. */
static int parse_target(const char **line, struct command *c)
{
	c->append = (*line)[1] == '>';
	*line = skip_spaces(*line + 1 + c->append);
	if (!**line || strchr(";&<>|()`", **line))
		return syntax_error(*line);
	c->target = next_word(line, c);
	return 0;
}

int parse_command(const char **line, struct command *c)
{
	bool closed = true;

	while (closed && c->argc < ARGS_MAX && c->used < LINE_SIZE) {
		*line = skip_spaces(*line);
		if (**line == '#')
			*line += strlen(*line);
		if (!**line || **line == ';' || **line == '&')
			return **line && !c->argc && !c->target ? syntax_error(*line) : 0;
		if (**line == '>') {
			if (parse_target(line, c))
				return STATUS_SYNTAX;
			closed = c->target;
		} else if (strchr("<|()`", **line)) {
			return syntax_error(*line);
		} else {
			c->argv[c->argc] = next_word(line, c);
			closed = c->argv[c->argc++];
		}
	}
	complain(closed ? "sh: line too long\n" : "sh: syntax error: unterminated quoted string\n");
	return STATUS_SYNTAX;
}
