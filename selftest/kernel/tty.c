/* Self-tests of terminals: calls that must not sleep, ports that must not stop for ever. */
#include "kernel/console/serial_core.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

/* One call, made by a thread of its own while the test holds a lock of the terminal. */
struct nonblocking_call {
	ssize_t (*fn)(struct tty_struct *tty);
	struct tty_struct *tty;
	atomic_t returned;
	ssize_t result;
};

static const struct tty_user nonblock_user = { .nonblock = true, .stays = true };

static ssize_t read_nonblock(struct tty_struct *tty)
{
	char c;

	return tty_read(tty, &c, 1, nonblock_user);
}

static ssize_t write_nonblock(struct tty_struct *tty)
{
	return tty_write(tty, "x", 1, nonblock_user);
}

static void make_call(void *arg, unsigned index __unused)
{
	struct nonblocking_call *call = arg;

	call->result = call->fn(call->tty);
	atomic_set(&call->returned, 1);
}

/* True when the call returns while lock is held: it does not sleep for lock. */
static bool returns_while_locked(struct nonblocking_call *call, struct mutex *lock)
{
	struct test_group group;
	bool returned;

	mutex_lock(lock);
	if (!test_group_start(&group, 1, ANY_CPU, make_call, call)) {
		mutex_unlock(lock);
		return false;
	}
	while (!atomic_read(&call->returned) &&
	       READ_ONCE(group.threads[0].task->__state) != TASK_INTERRUPTIBLE)
		cond_resched();
	returned = atomic_read(&call->returned);
	mutex_unlock(lock);
	test_group_wait(&group);
	return returned;
}

SELFTEST(tty, a_nonblocking_read_does_not_wait_for_another_reader)
{
	struct nonblocking_call call = { .fn = read_nonblock, .tty = tty_find(0) };

	ASSERT(call.tty);
	EXPECT(returns_while_locked(&call, &call.tty->atomic_read_lock));
	/* -EIO: only the monitor's shell may read. */
	EXPECT(call.result == -EAGAIN || call.result == -EIO);
}

SELFTEST(tty, a_nonblocking_write_does_not_wait_for_another_writer)
{
	struct nonblocking_call call = { .fn = write_nonblock, .tty = tty_find(0) };

	ASSERT(call.tty);
	EXPECT(returns_while_locked(&call, &call.tty->atomic_write_lock));
	EXPECT_EQ(call.result, -EAGAIN);
}

SELFTEST(tty, a_port_that_stops_while_its_buffer_is_emptied_goes_on)
{
	struct uart_port *port = &serial8250_ports[0];
	unsigned long flags;
	unsigned polls = 0;

	ASSERT(port->tty);
	/* The interrupt has found the buffer full; the worker has emptied it before it saw this. */
	uart_port_lock(port, &flags);
	port->throttled = true;
	serial8250_start_tx(port);
	uart_port_unlock(port, flags);
	while (READ_ONCE(port->throttled) && polls++ < 10000)
		msleep(1);
	EXPECT(!READ_ONCE(port->throttled));
	uart_unthrottle(port);
}
