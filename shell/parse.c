/* The parser of the shell's language. See parse.h. */
#include "shell/parse.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"

#define BLANKS    " \t"
#define OPERATORS ";&|<>"

/*
 * Copies the word at s to *text, without its quotes and with its parameters expanded, and moves
 * *text behind it. Returns the rest of the line, or NULL if s has no word or an open quote.
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
 * Takes the words of the command at *line, and moves *line to the operator or the end behind the
 * command. Returns false if *line has no command, or at a syntax error, to which it moves *line.
 */
static bool parse_command(const char **line, struct sh_command *c, char **text, int status,
			  pid_t pid)
{
	char **word = c->argv, **redirection = c->redirections;

	for (const char *s = *line; s; s = expand_word(s, text, status, pid)) {
		*line = s += strspn(s, BLANKS);
		if (!*s || strchr("#;&|", *s))
			return c->argv[0] || c->redirections[0];
		if (*s != '<' && *s != '>') {
			*word++ = *text;
			continue;
		}
		*redirection++ = *text;
		*(*text)++ = strstarts(s, ">>") ? 'a' : *s;
		s += strstarts(s, ">>") ? 2 : 1;
		s += strspn(s, BLANKS);
	}
	return false;
}

struct sh_pipeline *sh_parse(const char **line, int status, pid_t pid)
{
	size_t len = strlen(*line), commands = 1, words;
	struct sh_pipeline *p;
	char **argv, **redirections, *text;

	for (const char *s = *line; *s; s++)
		commands += *s == '|';
	/* Two bytes of the line ($? or $$) can become ten digits, and each word needs a NUL. */
	words = len / 2 + 2 + commands;
	p = kzalloc(sizeof(*p) + commands * sizeof(p->commands[0]) + 2 * words * sizeof(char *) +
			    6 * len + 2,
		    GFP_KERNEL);
	if (!p)
		return ERR_PTR(-ENOMEM);
	argv = (char **)&p->commands[commands];
	redirections = argv + words;
	text = (char *)(redirections + words);
	do {
		struct sh_command *c = &p->commands[p->count++];

		c->argv = argv;
		c->redirections = redirections;
		if (!parse_command(line, c, &text, status, pid)) {
			/* Without a command, only the end of the line is correct, or a comment. */
			bool nothing = p->count == 1 && strchr("#", **line);

			kfree(p);
			return nothing ? NULL : ERR_PTR(-EINVAL);
		}
		while (*argv++)
			; /* moves behind the NULL */
		while (*redirections++)
			;
	} while (**line == '|' && ++*line);
	p->background = **line == '&';
	*line += **line == '#' ? strlen(*line) : **line != '\0';
	return p;
}
