/*
 * What the parts of trace-export share. One task uses a struct trace_export; all of it works on
 * the system calls of fs/syscalls.h.
 */
#pragma once

#include "shell/export/link.h"
#include "shell/shell.h"

#define TRACEFS "/sys/kernel/tracing"

#define PATH_SIZE 128

struct trace_export {
	struct export_link link;
	struct call *call;
	int port;            /* descriptor of the serial port */
	bool follow;         /* -f */
	bool listen;         /* -l */
	bool interrupted;    /* a signal came: finish; at a second one give up */
	char top[PATH_SIZE]; /* the directory of the trace array */
	const char *instance;
	int *cpu_fds; /* trace_pipe_raw of each CPU, -1 for one that is not there */
	unsigned nr_cpus;
	u64 pages;
	pid_t child;        /* runs the command that was asked for; 0: none, or it has ended */
	int status;         /* its exit status */
	int child_fds[2];   /* its ends of two pipes */
	int script, output; /* ours; -1: closed */
	bool watch_output;  /* a wait for the receiver ends when there is output */
};

/* Every function here gives 0, or a number, or a negative errno. */

/* A signal ended a system call: the first one is a wish to finish, and the call goes on. */
bool export_go_on(struct trace_export *x, long error);
/* The user or the receiver has asked for the end. */
bool export_asked_to_end(const struct trace_export *x);

/* Open a serial port, raw, for the link. An exit status: what failed is told. */
int export_open_port(struct trace_export *x, const char *path);
void export_close_port(struct trace_export *x);
extern const struct export_operations export_port_operations;

/* All that is needed to read pages. */
int export_send_descriptions(struct trace_export *x);
/* What was learned while tracing. */
int export_send_names(struct trace_export *x);
int export_send_stats(struct trace_export *x);

/* trace_pipe_raw of each CPU. */
int export_open_cpus(struct trace_export *x);
void export_close_cpus(struct trace_export *x);
/* Send pages as they come, until somebody asks for the end. */
int export_follow(struct trace_export *x);
/* Nothing is written any more: until nothing is left, or the user has had enough. */
int export_drain(struct trace_export *x);

/* A shell in a task of its own, which waits for what it is to run. */
int export_start_command(struct trace_export *x);
int export_run_command(struct trace_export *x, const char *text);
/* Has it ended? When somebody asks for the end it gets a SIGINT. */
bool export_command_ended(struct trace_export *x);
/* What it has printed, a frame at most: bytes. */
int export_send_output(struct trace_export *x);
/* It ends, if it has not, and what it had is given back. */
void export_end_command(struct trace_export *x);
