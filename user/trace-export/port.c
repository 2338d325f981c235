/* The link's operations on a serial port, and the signals that end a transfer. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <termios.h>
#include <unistd.h>

#include "export.h"

static sigset_t normal_mask;

static void note_signal(int number)
{
	(void)number; /* the call that it interrupts returns EINTR */
}

void export_catch_signals(void)
{
	struct sigaction action = { .sa_handler = note_signal };
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, SIGINT);
	sigaddset(&ours, SIGTERM);
	sigprocmask(SIG_BLOCK, &ours, &normal_mask);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void export_release_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &normal_mask, NULL);
}

long export_wait(struct pollfd *ready, unsigned count, int timeout_ms)
{
	struct timespec time = { timeout_ms / 1000, timeout_ms % 1000 * 1000000L };

	return result(ppoll(ready, count, timeout_ms < 0 ? NULL : &time, &normal_mask));
}

bool export_go_on(struct trace_export *x, long error)
{
	if (error != -EINTR || x->interrupted)
		return false;
	x->interrupted = x->link.ending = true;
	return true;
}

bool export_asked_to_end(const struct trace_export *x)
{
	return x->interrupted || x->link.stop;
}

static int port_send(void *context, const void *data, size_t size)
{
	struct trace_export *x = context;
	const u8 *p = data;

	while (size) {
		ssize_t n = result(write(x->port, p, size));

		if (n == -EAGAIN) {
			struct pollfd ready = { .fd = x->port, .events = POLLOUT };

			n = export_wait(&ready, 1, -1) < 0 ? -errno : 0;
		}
		if (n < 0 && !export_go_on(x, n))
			return (int)n;
		if (n > 0) {
			p += n;
			size -= (size_t)n;
		}
	}
	return 0;
}

static long port_receive(void *context, void *buf, size_t size, int timeout_ms)
{
	struct trace_export *x = context;
	struct pollfd ready[] = {
		{ .fd = x->port, .events = POLLIN },
		{ .fd = x->watch_output ? x->output : -1, .events = POLLIN },
	};
	long n = export_wait(ready, ARRAY_SIZE(ready), timeout_ms);

	if (n > 0)
		n = ready[0].revents ? result(read(x->port, buf, size)) : 0;
	if (n == -EAGAIN)
		n = 0;
	return n < 0 && export_go_on(x, n) ? 0 : n;
}

static void port_waiting(void *context)
{
	(void)context;
	fprintf(stderr, "trace-export: waiting for the receiver\n");
}

const struct export_operations export_port_operations = { port_send, port_receive, port_waiting };

int export_open_port(struct trace_export *x, const char *path)
{
	struct termios modes;
	long error = 0;

	x->port = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (x->port < 0)
		return failed(path, -errno);
	/* One transfer at a time, because two would read each other's answers. */
	if (flock(x->port, LOCK_EX | LOCK_NB))
		error = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (!error)
		error = result(tcgetattr(x->port, &modes));
	if (!error) {
		cfmakeraw(&modes);
		error = result(tcsetattr(x->port, TCSANOW, &modes));
	}
	if (!error)
		return 0;
	export_close_port(x);
	return failed(path, error);
}

void export_close_port(struct trace_export *x)
{
	close(x->port);
}
