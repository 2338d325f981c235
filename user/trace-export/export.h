/* The interface between the parts of trace-export. */
#pragma once

#include <errno.h>

#include "link.h"

#define TRACEFS "/sys/kernel/tracing"

#define PATH_SIZE 512

#define PAGE_SIZE 4096U /* a sub-buffer has a multiple of it, which may be more than a frame holds */

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

struct trace_export {
	struct export_link link;
	int port;            /* descriptor of the serial port */
	bool follow;         /* -f */
	bool listen;         /* -l */
	bool interrupted;    /* a signal came: finish; a second one ends the command */
	char top[PATH_SIZE]; /* the trace array's directory */
	const char *instance;
	int *cpu_fds; /* trace_pipe_raw of each CPU; -1: could not be opened */
	unsigned nr_cpus;
	unsigned page_size; /* of a sub-buffer */
	u64 bytes;          /* of pages */
	size_t packed;      /* bytes of files that wait in link.payload for send_files() */
	pid_t child;      /* the shell that runs the requested command; 0: none, or it has ended */
	int status;       /* the child's exit status */
	int child_fds[2]; /* the child's ends of two pipes */
	int script, output; /* our ends of the pipes; -1: closed */
	bool watch_output;  /* output of the child ends a wait for the receiver */
};

/* Functions that return int return 0 or a number, or a negative errno. */

/* Prints `trace-export: WHAT: ` and the text of a negative errno. Returns 1. */
int failed(const char *what, long error);
/* The result of a system call, or the negative errno. */
static inline long result(long returned)
{
	return returned < 0 ? -errno : returned;
}
/* Calls fn with the path and the name of each entry of a directory, sorted. Returns the first result that is not 0. */
long scan_directory(const char *directory, long (*fn)(void *arg, const char *path, const char *name), void *arg);

/* Lets SIGINT and SIGTERM come only in export_wait(). */
void export_catch_signals(void);
/* In a child: signals as they were before. */
void export_release_signals(void);
struct pollfd;
/* poll(2), during which a signal may come: -EINTR. */
long export_wait(struct pollfd *ready, unsigned count, int timeout_ms);
/*
 * Called with the error of a system call. True if the first signal ended the call: the transfer
 * finishes, and the caller repeats the call.
 */
bool export_go_on(struct trace_export *x, long error);
/* True when the user or the receiver has requested the end. */
bool export_asked_to_end(const struct trace_export *x);

/* Opens a serial port in raw mode for the link. Prints an error. Returns an exit status. */
int export_open_port(struct trace_export *x, const char *path);
void export_close_port(struct trace_export *x);
extern const struct export_operations export_port_operations;

/* Sends all that a reader of the pages needs. */
int export_send_descriptions(struct trace_export *x);
/* Sends the names that were recorded while tracing: tasks, formats. */
int export_send_names(struct trace_export *x);
/* Sends per_cpu/cpuN/stats. */
int export_send_stats(struct trace_export *x);

/* Opens and closes trace_pipe_raw of each CPU. */
int export_open_cpus(struct trace_export *x);
void export_close_cpus(struct trace_export *x);
/*
 * Sends pages as they fill, until the user, the receiver or the command's end stops the transfer.
 */
int export_follow(struct trace_export *x);
/* Sends the remaining pages of a stopped trace. Without -f a request for the end stops it. */
int export_drain(struct trace_export *x);

/* Starts a shell in a task of its own, which waits for a command line. */
int export_start_command(struct trace_export *x);
/* Gives the shell its command line. */
int export_run_command(struct trace_export *x, const char *text);
/* True when the shell has ended. Sends it SIGINT when the user or the receiver requests the end. */
bool export_command_ended(struct trace_export *x);
/* Sends one frame of the shell's output at most. Returns the number of bytes. */
int export_send_output(struct trace_export *x);
/* Kills the shell if it still runs, and releases its resources. */
void export_end_command(struct trace_export *x);
