/* The shell's language: see parse.h. */
#include "shell/parse.h"
#include "fs/fs.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"

#define BLANKS    " \t"
#define OPERATORS ";&|<>"

/*
 * The word at s, without its quotes and with its parameters, goes to *text, which moves behind it.
 * Returns what follows in the line, or NULL: there is no word, or a quote is not closed.
 */
static const char *expand_word(const char *s, char **text, int status, pid_t pid)
{
	char *to = *text, quote = 0;

	if (!*s || strchr("#" OPERATORS, *s))
		return NULL;
	for (; *s && (quote || !strchr(BLANKS OPERATORS, *s)); s++) {
		if (*s == quote) {
			quote = 0;
		} else if (!quote && (*s == '\'' || *s == '"')) {
			quote = *s;
		} else if (quote != '\'' && *s == '$' && (s[1] == '?' || s[1] == '$')) {
			to += sprintf(to, "%d", *++s == '?' ? status : pid);
		} else {
			if (*s == '\\' && s[1] &&
			    (!quote || (quote == '"' && strchr("$`\"\\", s[1]))))
				s++;
			*to++ = *s;
		}
	}
	*to++ = '\0';
	*text = to;
	return quote ? NULL : s;
}

/*
 * The command at *line, which moves to the operator or the end behind it, or to what is not
 * understood (-EINVAL). It may be empty.
 */
static int parse_command(const char **line, struct sh_command *c, char ***words, char **text,
			 int status, pid_t pid)
{
	c->argv = *words;
	for (;;) {
		const char *s = *line += strspn(*line, BLANKS);
		char **to;

		if (strchr("#;&|", *s)) { /* or the end */
			*(*words)++ = NULL;
			return 0;
		}
		if (*s == '<' || *s == '>') {
			bool append = s[0] == '>' && s[1] == '>';

			to = *s == '<' ? &c->in : &c->out;
			if (*s == '>')
				c->out_flags = append ? O_APPEND : O_TRUNC;
			s += 1 + append;
			s += strspn(s, BLANKS);
		} else {
			to = (*words)++;
			c->argc++;
		}
		*to = *text;
		s = expand_word(s, text, status, pid);
		if (!s)
			return -EINVAL;
		*line = s;
	}
}

struct sh_pipeline *sh_parse(const char **line, int status, pid_t pid)
{
	/* Two bytes of line can become a number of ten digits, and each word has a NUL. */
	size_t len = strlen(*line), words = len / 2 + 2 + PIPELINE_MAX;
	struct sh_pipeline *p =
		kzalloc(sizeof(*p) + words * sizeof(char *) + 6 * len + 2, GFP_KERNEL);
	char **word = (char **)(p + 1), *text = (char *)(word + words);
	bool nothing = false;
	int error = p ? 0 : -ENOMEM;

	while (!error) {
		struct sh_command *c = &p->commands[p->count++];

		error = parse_command(line, c, &word, &text, status, pid);
		if (!error && !c->argc && !c->in && !c->out) {
			/* Only the end of the line may stand where a pipeline would begin. */
			nothing = p->count == 1 && strchr("#", **line);
			error = nothing ? 0 : -EINVAL;
		}
		if (error || **line != '|')
			break;
		error = p->count < PIPELINE_MAX ? 0 : -E2BIG;
		*line += !error;
	}
	if (error || nothing) {
		kfree(p);
		return error ? ERR_PTR(error) : NULL;
	}
	p->background = **line == '&';
	*line += **line == '#' ? strlen(*line) : **line != '\0';
	return p;
}
