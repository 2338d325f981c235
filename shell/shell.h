/* The shell's own state, and the running of what was parsed (shell/exec.c) for its loop
 * (shell/shell.c). */
#pragma once

#include "fs/syscalls.h"
#include "shell/parse.h"

#define SH_LINE_MAX 4096 /* bytes of a line with its newline, as a terminal has them */

/* Only the shell's task touches it. */
struct shell {
	bool interactive; /* on a terminal, with a prompt and jobs of its own */
	int input;        /* descriptor that lines come from */
	int status;       /* $? */
	pid_t last_job;   /* $! */
	bool leaving;     /* exit was called, or a signal ended a command of a script */
	int signal;       /* that signal */
};

/* Run parsed lists one after the other: sh->status. Stops early when sh->leaving. */
void sh_run(struct shell *sh, struct sh_list *lists);
/* Parse a terminated line and run it; a syntax error is told, status 2. */
void sh_run_line(struct shell *sh, const char *line);
/* Reap background jobs that have ended. */
void sh_reap(void);
/* Wait for all background jobs; 0 or 130 when ^C came. */
int sh_wait_all(void);
/* Put the calling task into the job pgrp (0: its own), and give it the terminal on descriptor 0 if
 * it is one. */
void sh_set_job(pid_t pgrp, bool terminal);
/* A copy of fd above those that a redirection can name, or a negative errno. */
int sh_dup_high(int fd);
