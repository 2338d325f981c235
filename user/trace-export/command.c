/* Runs a command for the receiver, in a shell with pipes in place of a terminal. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "export.h"

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void run_shell(const struct trace_export *x)
{
	setpgid(0, 0);
	dup2(x->child_fds[0], 0);
	dup2(x->child_fds[1], 1);
	dup2(x->child_fds[1], 2);
	export_release_signals();
	execl("/bin/sh", "sh", (char *)NULL);
	_exit(127);
}

int export_start_command(struct trace_export *x)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	long error = result(pipe2(in, O_CLOEXEC));

	if (!error)
		error = result(pipe2(out, O_CLOEXEC));
	x->child_fds[0] = in[0];
	x->child_fds[1] = out[1];
	x->script = in[1];
	x->output = out[0];
	x->status = 0;
	if (!error)
		error = result(fork());
	if (!error)
		run_shell(x);
	if (error > 0) {
		x->child = (pid_t)error;
		setpgid(x->child, x->child); /* the child does it, too: the first of the two counts */
		return 0;
	}
	export_end_command(x);
	return (int)error;
}

int export_run_command(struct trace_export *x, const char *text)
{
	ssize_t n = result(write(x->script, text, strlen(text)));

	if (n >= 0)
		n = result(write(x->script, "\n", 1));
	/*
	 * Now the child sees end-of-file when we close our end, and we see it when the child ends.
	 */
	close_end(&x->script);
	close_end(&x->child_fds[0]);
	close_end(&x->child_fds[1]);
	return n < 0 ? (int)n : 0;
}

static void reap(struct trace_export *x, int status)
{
	x->child = 0;
	x->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void interrupt_command(struct trace_export *x, int sig)
{
	kill(-x->child, sig);
}

bool export_command_ended(struct trace_export *x)
{
	int status;

	if (x->child && export_asked_to_end(x))
		interrupt_command(x, SIGINT);
	if (x->child && waitpid(x->child, &status, WNOHANG) > 0)
		reap(x, status);
	return !x->child;
}

int export_send_output(struct trace_export *x)
{
	struct pollfd ready = { .fd = x->output, .events = POLLIN };
	long n = x->output < 0 ? 0 : result(poll(&ready, 1, 0));

	if (n > 0) {
		n = result(read(x->output, x->link.payload, EXPORT_PAYLOAD));
		if (n == 0)
			close_end(&x->output);
	}
	if (n < 0)
		return export_go_on(x, n) ? 0 : (int)n;
	if (n && export_link_send(&x->link, EXPORT_OUTPUT, 0, 0, (size_t)n))
		return x->link.error;
	return (int)n;
}

void export_end_command(struct trace_export *x)
{
	int status;

	close_end(&x->script);
	close_end(&x->child_fds[0]);
	close_end(&x->child_fds[1]);
	close_end(&x->output);
	if (!x->child)
		return;
	interrupt_command(x, SIGKILL);
	if (waitpid(x->child, &status, 0) > 0)
		reap(x, status);
}
