/* Chooses the next byte for a UART to send, and manages its transmit buffer. See serial_core.h. */
#include "kernel/console/serial_core.h"
#include "arch/cpu/irqflags.h"
#include "kernel/console/serial_reg.h"
#include "kernel/console/tty.h"
#include "kernel/lib/string.h"
#include "kernel/printk/printk.h"

/*
 * printk() takes the port lock, and the lock checker of a DEBUG build calls printk(). So it is a
 * raw ticket lock: the checker does not see it, and it is no preemption point.
 */
void uart_port_lock(struct uart_port *port, unsigned long *flags)
{
	local_irq_save(*flags);
	raw_ticket_lock(&port->lock);
	WRITE_ONCE(port->lock_cpu, (int)smp_processor_id());
}

bool uart_port_trylock(struct uart_port *port, unsigned long *flags)
{
	local_irq_save(*flags);
	if (raw_ticket_trylock(&port->lock)) {
		WRITE_ONCE(port->lock_cpu, (int)smp_processor_id());
		return true;
	}
	local_irq_restore(*flags);
	return false;
}

void __uart_port_unlock(struct uart_port *port, unsigned long flags)
{
	/* A panic may have taken the lock from a CPU that did not stop. */
	if (READ_ONCE(port->lock_cpu) == (int)smp_processor_id()) {
		WRITE_ONCE(port->lock_cpu, -1);
		raw_ticket_unlock(&port->lock);
	}
	local_irq_restore(flags);
}

void console_unlock(struct uart_port *port, unsigned long flags)
{
	__uart_port_unlock(port, flags);
	smp_mb(); /* Releases the lock before it looks for messages. A printk() that finds the lock
		     taken has committed its message before. So one of the two sees it. */
	if (console_pending() && !(READ_ONCE(port->ier) & UART_IER_THRI) && !READ_ONCE(port->held))
		serial8250_console_kick(false);
}

void uart_port_unlock(struct uart_port *port, unsigned long flags)
{
	if (port->console)
		console_unlock(port, flags);
	else
		__uart_port_unlock(port, flags);
}

static bool uart_tty_ready(const struct uart_port *port)
{
	return !port->stopped && port->head != port->tail;
}

/* True when a kernel message may begin now, although the terminal's line is not complete. */
static bool uart_may_break_line(struct uart_port *port, bool now)
{
	if (uart_tty_ready(port))
		return port->line_len > UART_LINE_MAX;
	return now || console_backlog() > CONSOLE_BACKLOG_HIGH || port->hold_expired ||
	       port->stopped || tty_has_waiting_reader(port->tty);
}

/*
 * The next byte of a kernel message. If a terminal line is not complete, the message begins on a
 * new line.
 */
static int uart_next_console_char(struct uart_port *port)
{
	int c = console_next_char();

	if (c < 0 || !port->line_len)
		return c;
	port->line_len = 0;
	port->hold_expired = false;
	port->pushed[0] = (u8)c;
	port->pushed[1] = '\n';
	port->nr_pushed = 2;
	return '\r';
}

int uart_next_char(struct uart_port *port, bool now)
{
	int c;

	port->held = false;
	if (port->nr_pushed)
		return port->pushed[--port->nr_pushed];
	if (port->console && console_pending()) {
		if (!port->line_len || uart_may_break_line(port, now)) {
			c = uart_next_console_char(port);
			if (c >= 0)
				return c;
		} else if (!uart_tty_ready(port)) {
			port->held = true;
		}
	}
	if (!uart_tty_ready(port))
		return -1;
	c = port->xmit[port->tail++ % UART_XMIT_SIZE];
	port->line_len++;
	if (c == '\n') {
		port->line_len = 0;
		port->hold_expired = false;
	}
	return c;
}

size_t uart_write(struct tty_struct *tty, const u8 *buf, size_t count)
{
	struct uart_port *port = tty->port;
	unsigned long flags;
	size_t done = 0;

	uart_port_lock(port, &flags);
	while (done < count && port->head - port->tail < UART_XMIT_SIZE) {
		size_t at = port->head % UART_XMIT_SIZE;
		size_t n = min((size_t)UART_XMIT_SIZE - at, count - done);

		n = min(n, (size_t)(UART_XMIT_SIZE - (port->head - port->tail)));
		memcpy(port->xmit + at, buf + done, n);
		port->head += (u32)n;
		done += n;
	}
	uart_port_unlock(port, flags);
	return done;
}

size_t uart_transmit(struct tty_struct *tty, const u8 *buf, size_t count)
{
	struct uart_port *port = tty->port;
	unsigned long flags;
	size_t done = 0, n;

	do {
		uart_port_lock(port, &flags);
		/* Bytes in the transmit buffer must go first; and ^S stops all of them. */
		n = port->head == port->tail && !port->stopped
			    ? serial8250_fill_fifo(port, buf + done, count - done)
			    : 0;
		if (!n) {
			WRITE_ONCE(port->tx_blocked, true);
			serial8250_start_tx(port);
		}
		uart_port_unlock(port, flags);
		done += n;
	} while (n && done < count);
	return done;
}

size_t uart_chars_in_buffer(const struct tty_struct *tty)
{
	const struct uart_port *port = tty->port;

	return READ_ONCE(port->head) - READ_ONCE(port->tail);
}

size_t uart_write_room(const struct tty_struct *tty)
{
	return UART_XMIT_SIZE - uart_chars_in_buffer(tty);
}

void uart_flush_chars(struct tty_struct *tty)
{
	struct uart_port *port = tty->port;
	unsigned long flags;

	uart_port_lock(port, &flags);
	serial8250_start_tx(port);
	uart_port_unlock(port, flags);
}

void uart_flush_buffer(struct tty_struct *tty)
{
	struct uart_port *port = tty->port;
	unsigned long flags;

	uart_port_lock(port, &flags);
	port->tail = port->head;
	uart_port_unlock(port, flags);
}

void uart_stop(struct tty_struct *tty)
{
	struct uart_port *port = tty->port;
	unsigned long flags;

	uart_port_lock(port, &flags);
	port->stopped = true;
	uart_port_unlock(port, flags);
}

void uart_start(struct tty_struct *tty)
{
	struct uart_port *port = tty->port;
	unsigned long flags;

	uart_port_lock(port, &flags);
	port->stopped = false;
	serial8250_start_tx(port);
	uart_port_unlock(port, flags);
}

void uart_unthrottle(struct uart_port *port)
{
	unsigned long flags;

	uart_port_lock(port, &flags);
	if (port->throttled)
		serial8250_unthrottle(port);
	uart_port_unlock(port, flags);
}

const struct tty_operations uart_ops = {
	.write = uart_write,
	.write_room = uart_write_room,
	.chars_in_buffer = uart_chars_in_buffer,
	.flush_chars = uart_flush_chars,
	.flush_buffer = uart_flush_buffer,
	.stop = uart_stop,
	.start = uart_start,
	.input_taken = tty_buffer_input_taken,
};
