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

#include "kernel/atomic.h"

#define PIPELINE_MAX 16 /* commands */

/* In one piece of memory with its words: kfree() it. */
struct sh_pipeline {
	bool background;
	unsigned count;
	struct sh_command {
		char *in, *out; /* redirected to these files, or NULL */
		int out_flags;  /* O_TRUNC, or O_APPEND: >> */
		int argc;
		char **argv; /* NULL-terminated */
		/* What shell.c adds when it starts the command. */
		struct sh_pipeline *pipeline;
		pid_t job;       /* to join; 0: its own */
		bool foreground; /* which gets the terminal */
		int fds[2];      /* to become descriptors 0 and 1 */
	} commands[PIPELINE_MAX];
	atomic_t users; /* shell.c: the shell, and each command's task */
};

/*
 * Take the next pipeline off a line: NULL when nothing is left but a comment; ERR_PTR(-EINVAL) when
 * *line begins with what was not understood, -E2BIG when the pipeline is too long, -ENOMEM. status
 * and pid are
 * $? and $$.
 */
struct sh_pipeline *sh_parse(const char **line, int status, pid_t pid);
