/*
 * The shell's language: a line becomes pipelines of commands. Pure: tested and fuzzed on the host.
 *
 *	line     := [pipeline ((";" | "&") pipeline)*] [";" | "&"]
 *	pipeline := command ("|" command)*
 *	command  := (word | ("<" | ">" | ">>") word)+
 *
 * '…', "…", \ and # work as in sh. $? and $$ are the only parameters.
 */
#pragma once

#include "kernel/compiler.h"

/* In one piece of memory with all its words. */
struct sh_command {
	struct sh_command *next; /* the output is piped to this one */
	char *in, *out;          /* redirected to these files, or NULL */
	int out_flags;           /* O_TRUNC, or O_APPEND: >> */
	bool background;         /* the whole pipeline */
	/* What shell.c adds when it starts the command. */
	pid_t job;       /* to join; 0: its own */
	bool foreground; /* which gets the terminal */
	int fds[2];      /* to become descriptors 0 and 1 */
	int argc;
	char *argv[]; /* NULL-terminated */
};

/*
 * Take the next pipeline off a line (sh_free() it): NULL when nothing is left, ERR_PTR(-EINVAL)
 * when *line begins with what was not understood, or -ENOMEM. status and pid are $? and $$.
 */
struct sh_command *sh_parse(const char **line, int status, pid_t pid);
/* NULL and errors are fine. */
void sh_free(struct sh_command *pipeline);
