/* Runs a command for the receiver, in a shell with pipes in place of a terminal. */
#include "kernel/process/session.h"
#include "kernel/process/wait.h"
#include "kernel/errno.h"
#include "shell/export/export.h"

/* The child's own copy of its pipe ends, because the parent may close its ends at any moment. */
struct child {
	int in, out;
};

static int command_main(void *arg)
{
	struct child *child = arg;
	char *argv[] = { "sh", NULL };
	int status;

	kernel_setpgid(0);
	sys_dup2(child->in, 0);
	sys_dup2(child->out, 1);
	sys_dup2(child->out, 2);
	kfree(child);
	sys_close_range(3, ~0U, 0);
	status = run_command(argv);
	if (signal_pending(current))
		do_exit(kernel_dequeue_signal());
	return status;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		sys_close(*fd);
	*fd = -1;
}

int export_start_command(struct trace_export *x)
{
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	struct child *child = kmalloc(sizeof(*child), GFP_KERNEL);
	long error = child ? sys_pipe(in) : -ENOMEM;

	if (!error)
		error = sys_pipe(out);
	x->child_fds[0] = in[0];
	x->child_fds[1] = out[1];
	x->script = in[1];
	x->output = out[0];
	x->status = 0;
	if (!error) {
		*child = (struct child){ in[0], out[1] };
		error = kernel_clone(command_main, child, "sh");
	}
	if (error > 0) {
		x->child = (pid_t)error;
		return 0;
	}
	kfree(child);
	export_end_command(x);
	return (int)error;
}

int export_run_command(struct trace_export *x, const char *text)
{
	ssize_t n = sys_write(x->script, text, strlen(text));

	if (n >= 0)
		n = sys_write(x->script, "\n", 1);
	/* Now the child sees end-of-file when we close our end, and we see it when the child ends.
	 */
	close_end(&x->script);
	close_end(&x->child_fds[0]);
	close_end(&x->child_fds[1]);
	return (int)min(n, (ssize_t)0);
}

static void reap(struct trace_export *x, int status)
{
	x->child = 0;
	x->status = exit_status(status);
}

static void interrupt_command(struct trace_export *x, int sig)
{
	if (kill_pgrp(x->child, sig, false) == -ESRCH)
		(void)kill_pid(x->child, sig); /* the child has no process group of its own yet */
}

bool export_command_ended(struct trace_export *x)
{
	int status;

	if (x->child && export_asked_to_end(x))
		interrupt_command(x, SIGINT);
	if (x->child && kernel_wait4(x->child, &status, WNOHANG) > 0)
		reap(x, status);
	return !x->child;
}

int export_send_output(struct trace_export *x)
{
	struct pollfd ready = { .fd = x->output, .events = POLLIN };
	long n = x->output < 0 ? 0 : sys_poll(&ready, 1, 0);

	if (n > 0) {
		n = sys_read(x->output, x->link.payload, EXPORT_PAYLOAD);
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
	while (kernel_wait4(x->child, &status, 0) == -EINTR)
		flush_signals(current);
	reap(x, status);
}
