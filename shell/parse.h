/*
 * The shell's language: the parser turns a line into pipelines of commands. It is pure code, which
 * the host tests and fuzzes.
 *
 *	line     := [pipeline ((";" | "&") pipeline)*] [";" | "&"]
 *	pipeline := command ("|" command)*
 *	command  := (word | ("<" | ">" | ">>") word)+
 *
 * '…', "…", \ and # have their meaning in sh. The only parameters are $? and $$.
 */
#pragma once

#include "kernel/atomic.h"

/* A pipeline and its words are one allocation, which kfree() frees. */
struct sh_pipeline {
	bool background;
	/* The parser does not set the rest: it is for shell.c. */
	bool foreground; /* the job gets the terminal */
	/*
	 * The process group that the commands join; 0: a new one, with the PID of the first
	 * command. The shell replaces 0 by that PID after it has made the first task, and before it
	 * makes the others. So the first task may read 0 or its PID, which mean the same to it.
	 */
	pid_t job;
	atomic_t users; /* references: the shell, and each command's task */

	unsigned count;
	struct sh_command {
		/* Both end with a NULL. One of the two may be empty. */
		char **argv;
		char **redirections; /* one of < > a (for >>), then the name of the file */
		/* For shell.c. */
		struct sh_pipeline *pipeline;
		int fds[2]; /* the task makes them its descriptors 0 and 1 */
		pid_t pid;
	} commands[];
};

/*
 * Takes the next pipeline from *line. Returns NULL if *line has no more commands, ERR_PTR(-EINVAL)
 * if *line now begins with a syntax error, or ERR_PTR(-ENOMEM). status and pid are $? and $$.
 */
struct sh_pipeline *sh_parse(const char **line, int status, pid_t pid);
