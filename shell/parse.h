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

/* In one piece of memory with its words: kfree() it. */
struct sh_pipeline {
	bool background;
	/* What shell.c adds. */
	bool foreground; /* which gets the terminal */
	/*
	 * To join; 0: the first command's own. The shell sets it to that PID when it has made that
	 * task, before the others: the first may read either, and both mean the same.
	 */
	pid_t job;
	atomic_t users; /* the shell, and each command's task */

	unsigned count;
	struct sh_command {
		/* NULL-terminated; one of them may be empty. */
		char **argv;
		char **redirections; /* files, behind one of < > a (that is >>) */
		/* What shell.c adds. */
		struct sh_pipeline *pipeline;
		int fds[2]; /* to become descriptors 0 and 1 */
		pid_t pid;
	} commands[];
};

/*
 * Take the next pipeline off a line: NULL when nothing is left but a comment; ERR_PTR(-EINVAL) when
 * *line begins with what was not understood, -ENOMEM. status and pid are $? and $$.
 */
struct sh_pipeline *sh_parse(const char **line, int status, pid_t pid);
