/*
 * The monitor: the prompt of a kernel without programs. docs/shell.md describes it.
 *
 * Its threads are kernel threads: the shell, which reads lines from /dev/console and runs them, and
 * a thread for each job in the background. They work through the files of the VFS alone. All
 * functions here need task context and may sleep; ^C or `kill` ends a sleep with -EINTR.
 */
#pragma once

#include "fs/vfs/fs.h"

#define LINE_SIZE         4096 /* bytes of a line, and of all words of a command, with their NULs */
#define ARGS_MAX          256
#define CURRENT_NAME_SIZE 200

/* The status of a command that does not end by itself. The others are those of Linux's sh. */
#define STATUS_FAILED      1
#define STATUS_SYNTAX      2
#define STATUS_NOT_FOUND   127
#define STATUS_INTERRUPTED 130

/* One command of a line. Only the thread that runs it uses it. [J] jobs_lock. */
struct command {
	unsigned argc;
	char *argv[ARGS_MAX + 1]; /* words in text; the last one is NULL */
	char *target;             /* the file behind > or >>; NULL: the terminal */
	bool append;              /* >> */
	struct file *out;         /* counted while the command runs */
	struct path pwd;          /* of a job: counted */
	struct task_struct *task; /* of a job: its thread; counted, as an oops may end it */
	struct list_head jobs;    /* [J] */
	size_t used;              /* bytes of text; LINE_SIZE: the words do not fit */
	char text[LINE_SIZE];
};

/* ---- monitor.c ---- */

extern struct file *console; /* /dev/console; constant before the first command */
/* $?, $!, and the name of the current directory. Only the shell's thread sets them. */
extern int last_status;
extern pid_t last_job;
extern char current_name[CURRENT_NAME_SIZE];

/* Prints a message to the terminal. Cuts it to 256 bytes. */
__printf(1, 2) void complain(const char *format, ...);
/* Sends ^C to the job with this PID. Or -ESRCH. */
int kill_job(pid_t pid);
/* `wait`: for the end of all jobs, if the current thread is the shell. Returns the status. */
int wait_for_jobs(struct command *c);

/* ---- parse.c ---- */

/*
 * Reads a command from *line into c, which is zeroed, and moves *line to the `;` or `&` behind the
 * command, or to the end. 0; a status, after a message: the line makes no sense.
 */
int parse_command(const char **line, struct command *c);

/* ---- commands.c ---- */

/* Runs a command in the current thread. Returns its status. */
int run_command(struct command *c);
