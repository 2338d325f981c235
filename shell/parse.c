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
 * Returns what follows in the line, or NULL: a quote is not closed.
 */
static const char *expand_word(const char *s, char **text, int status, pid_t pid)
{
	char *to = *text, quote = 0;

	for (; *s && (quote || !strchr(BLANKS OPERATORS, *s)); s++) {
		if (*s == quote) {
			quote = 0;
		} else if (!quote && (*s == '\'' || *s == '"')) {
			quote = *s;
		} else if (quote != '\'' && *s == '$' && (s[1] == '?' || s[1] == '$')) {
			s++;
			to += sprintf(to, "%d", *s == '?' ? status : pid);
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

/* The command at *line, which moves to the operator or the end behind it. It may be empty. */
static struct sh_command *parse_command(const char **line, int status, pid_t pid)
{
	/* Two bytes of line can become a number of ten digits, and each word has a NUL. */
	size_t len = strlen(*line), words = len / 2 + 2;
	struct sh_command *command =
		kzalloc(sizeof(*command) + words * sizeof(char *) + 6 * len + 2, GFP_KERNEL);
	char *text = command ? (char *)&command->argv[words] : NULL, **word;
	const char *s;

	if (!command)
		return ERR_PTR(-ENOMEM);
	for (;;) {
		*line += strspn(*line, BLANKS);
		s = *line;
		if (!*s || strchr(";&|#", *s))
			break;
		if (*s == '<' || *s == '>') {
			bool append = s[0] == '>' && s[1] == '>';

			word = *s == '<' ? &command->in : &command->out;
			if (*s == '>')
				command->out_flags = append ? O_APPEND : O_TRUNC;
			s += 1 + append;
			s += strspn(s, BLANKS);
		} else {
			word = &command->argv[command->argc++];
		}
		*word = text;
		if (!*s || strchr("#" OPERATORS, *s)) {
			*line = s;
			s = NULL;
		} else {
			s = expand_word(s, &text, status, pid);
		}
		if (!s) {
			kfree(command);
			return ERR_PTR(-EINVAL);
		}
		*line = s;
	}
	if (*s == '#')
		*line += strlen(s);
	return command;
}

struct sh_command *sh_parse(const char **line, int status, pid_t pid)
{
	struct sh_command *first = NULL, **tail = &first;

	do {
		struct sh_command *command = parse_command(line, status, pid);
		bool empty = !IS_ERR(command) && !command->argc && !command->in && !command->out;

		if (empty) {
			kfree(command);
			/* Only the end of the line may stand where a pipeline would begin. */
			command = first || **line ? ERR_PTR(-EINVAL) : NULL;
		}
		if (empty || IS_ERR(command)) {
			sh_free(first);
			return command;
		}
		*tail = command;
		tail = &command->next;
	} while (**line == '|' && ++*line);
	first->background = **line == '&';
	*line += **line != '\0';
	return first;
}

void sh_free(struct sh_command *pipeline)
{
	while (!IS_ERR_OR_NULL(pipeline)) {
		struct sh_command *next = pipeline->next;

		kfree(pipeline);
		pipeline = next;
	}
}
