/* The link's operations on a serial port. */
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "shell/export/export.h"

bool export_go_on(struct trace_export *x, long error)
{
	if (error != -EINTR || x->interrupted)
		return false;
	x->interrupted = x->link.ending = true;
	flush_signals(current);
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
		ssize_t n = sys_write(x->port, p, size);

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
	long n = sys_poll(ready, ARRAY_SIZE(ready), timeout_ms);

	if (n > 0)
		n = ready[0].revents ? sys_read(x->port, buf, size) : 0;
	return n < 0 && export_go_on(x, n) ? 0 : n;
}

static void port_waiting(void *context)
{
	struct trace_export *x = context;

	err_printf("%s: waiting for the receiver\n", x->call->command->name);
}

const struct export_operations export_port_operations = { port_send, port_receive, port_waiting };

static bool port_taken; /* one transfer at a time, because two would read each other's answers */

int export_open_port(struct trace_export *x, const char *path)
{
	struct termios modes;
	long fd = sys_open(path, O_RDWR, 0), error;

	if (fd < 0)
		return failed(x->call, path, fd);
	if (__atomic_exchange_n(&port_taken, true, __ATOMIC_ACQUIRE)) {
		sys_close((int)fd);
		return failed(x->call, path, -EBUSY);
	}
	x->port = (int)fd;
	error = sys_ioctl((int)fd, TCGETS, (unsigned long)&modes);
	if (!error) {
		termios_make_raw(&modes);
		error = sys_ioctl((int)fd, TCSETS, (unsigned long)&modes);
	}
	if (!error)
		return 0;
	export_close_port(x);
	return failed(x->call, path, error);
}

void export_close_port(struct trace_export *x)
{
	sys_close(x->port);
	__atomic_store_n(&port_taken, false, __ATOMIC_RELEASE);
}
