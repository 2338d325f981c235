/* The 16550 driver: receives and sends by interrupts, and by a task in a flood (serial_core.h). */
#include "arch/cpu/io.h"
#include "kernel/console/serial_core.h"
#include "kernel/console/serial_reg.h"
#include "kernel/console/tty.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/irq/irq.h"
#include "kernel/printk/printk.h"
#include "kernel/sched/kthread.h"

/* Bytes per interrupt. Limited, so that a flood of input does not stop all other work. */
#define RX_MAX 16
/*
 * Between two polls, without an interrupt. The FIFO has room for what comes in this time at 115200
 * baud.
 */
#define POLL_NS NSEC_PER_MSEC

static struct tty_struct serial8250_ttys[UART_PORTS];
static struct tty_bufhead serial8250_bufs[UART_PORTS];

/*
 * Stops taking bytes from the UART. Its FIFO fills, and the sender waits (QEMU; on a real line
 * because of RTS).
 */
static void serial8250_throttle(struct uart_port *port)
{
	port->throttled = true;
	port->mcr &= (u8)~UART_MCR_RTS;
	outb(port->iobase + UART_MCR, port->mcr);
	WRITE_ONCE(port->ier, port->ier & (u8) ~(UART_IER_RDI | UART_IER_RLSI));
	serial8250_write_ier(port);
}

/* Takes bytes again. If one waits, the UART interrupts at once. */
void serial8250_unthrottle(struct uart_port *port)
{
	port->throttled = false;
	port->mcr |= UART_MCR_RTS;
	outb(port->iobase + UART_MCR, port->mcr);
	WRITE_ONCE(port->ier, port->ier | UART_IER_RDI | UART_IER_RLSI);
	serial8250_write_ier(port);
}

static void serial8250_stop_tx(struct uart_port *port)
{
	WRITE_ONCE(port->ier, port->ier & (u8)~UART_IER_THRI);
	serial8250_write_ier(port);
}

u8 serial8250_read_lsr(struct uart_port *port)
{
	u8 lsr = inb(port->iobase + UART_LSR);

	port->lsr_saved |= lsr & UART_LSR_ERRORS;
	return lsr | port->lsr_saved;
}

void uart_insert_char(struct uart_port *port, u8 status, u8 byte)
{
	u8 flag = TTY_NORMAL;

	if (status & UART_LSR_BI) {
		port->brk++;
		flag = TTY_BREAK;
	} else if (status & UART_LSR_PE) {
		port->parity++;
		flag = TTY_PARITY;
	} else if (status & UART_LSR_FE) {
		port->frame++;
		flag = TTY_FRAME;
	}
	port->rx++;
	port->lsr_saved = 0;
	tty_insert_flip_char(port->tty, byte, flag);
	if (status & UART_LSR_OE) {
		port->overrun++;
		if (tty_buffer_space_avail(port->tty))
			tty_insert_flip_char(port->tty, 0, TTY_OVERRUN);
	}
}

/* Receives the waiting bytes. False: none. port->lock held. */
static bool serial8250_rx_chars(struct uart_port *port, u8 lsr)
{
	/*
	 * LAB 10: Take the bytes that wait, at most RX_MAX, as long as the flip buffer has room.
	 * Starts as: (void)serial8250_throttle;
	 * if (!(lsr & UART_LSR_DR))
	 *	return false;
	 * uart_insert_char(port, lsr, inb(port->iobase + UART_RX));
	 * return true;
	 */
	unsigned n = 0;

	while ((lsr & (UART_LSR_DR | UART_LSR_BI)) && n < RX_MAX) {
		if (!tty_buffer_space_avail(port->tty)) {
			serial8250_throttle(port);
			break;
		}
		uart_insert_char(port, lsr, inb(port->iobase + UART_RX));
		if (++n < RX_MAX)
			lsr = serial8250_read_lsr(port);
	}
	return n != 0;
	/* END LAB 10 */
}

/* Fills the empty transmitter. With no byte to send, disables its interrupt. port->lock held. */
static void serial8250_tx_chars(struct uart_port *port)
{
	/*
	 * LAB 10: The FIFO has room for port->fifo_size bytes.
	 * Starts as: int c = uart_next_char(port, false);
	 *
	 * if (c < 0) {
	 *	serial8250_stop_tx(port);
	 *	return;
	 * }
	 * outb(port->iobase + UART_TX, (u8)c);
	 * port->tx++;
	 */
	unsigned n;

	for (n = 0; n < port->fifo_size; n++) {
		int c = uart_next_char(port, false);

		if (c < 0)
			break;
		outb(port->iobase + UART_TX, (u8)c);
		port->tx++;
	}
	if (!n)
		serial8250_stop_tx(port);
	/* END LAB 10 */
}

size_t serial8250_fill_fifo(struct uart_port *port, const u8 *buf, size_t count)
{
	size_t n = min(count, (size_t)port->fifo_size);

	if (!(serial8250_read_lsr(port) & UART_LSR_THRE))
		return 0;
	for (size_t i = 0; i < n; i++)
		outb(port->iobase + UART_TX, buf[i]);
	port->tx += n;
	return n;
}

/* The rest of a pass: what must not be done under port->lock. */
static void serial8250_after_pass(struct uart_port *port, bool push, bool wakeup, bool held)
{
	if (push)
		tty_flip_buffer_push(port->tty);
	if (wakeup)
		tty_wakeup(port->tty);
	if (held && !timer_pending(&port->hold_timer))
		mod_timer(&port->hold_timer, ktime_get() + UART_HOLD_NS);
}

/*
 * Receives and sends at most a FIFO of bytes. False: the UART had nothing to receive, and no room
 * or nothing to send. port->lock held, and released, with the flags of uart_port_lock().
 */
static bool serial8250_pass(struct uart_port *port, unsigned long flags)
{
	bool received = false, wakeup = false, throttled, held;
	u64 tx = port->tx;
	u8 lsr = serial8250_read_lsr(port);

	if (!port->throttled)
		received = serial8250_rx_chars(port, lsr);
	throttled = port->throttled;
	inb(port->iobase + UART_MSR); /* acknowledges a change of a modem line */
	if ((port->ier & UART_IER_THRI) && (lsr & UART_LSR_THRE)) {
		serial8250_tx_chars(port);
		wakeup = port->head - port->tail <= UART_WAKEUP_CHARS;
		if (port->head == port->tail)
			WRITE_ONCE(port->tx_blocked, false);
	}
	held = port->held;
	tx = port->tx - tx;
	if (port->polling && !received && !tx) {
		port->polling = false;
		serial8250_write_ier(port);
	}
	uart_port_unlock(port, flags);

	/* The worker may just have emptied the full buffer, without seeing that the port stops. */
	serial8250_after_pass(port, received || throttled, wakeup, held);
	return received || tx;
}

/*
 * Counts an interrupt that begins now. True: there are too many, or they take too much of the time
 * of the CPU, so the task takes over. The caller wakes it after it has released port->lock.
 */
static bool serial8250_flooded(struct uart_port *port, ktime_t now)
{
	u64 window = now - port->irq_window;
	bool too_long = false;

	if (window >= UART_IRQ_WINDOW_NS) {
		too_long = port->irq_time > window / UART_IRQ_SHARE;
		port->irq_window = now;
		port->irqs = 0;
		port->irq_time = 0;
	}
	if (++port->irqs <= UART_IRQS_MAX && !too_long)
		return false;
	port->polling = true;
	serial8250_write_ier(port);
	return true;
}

/* Handles one interrupt of the port. False: it has none. */
static bool serial8250_handle_irq(struct uart_port *port)
{
	ktime_t begin = ktime_get();
	unsigned long flags;

	uart_port_lock(port, &flags);
	if (inb(port->iobase + UART_IIR) & UART_IIR_NO_INT) {
		uart_port_unlock(port, flags);
		return false;
	}
	if (serial8250_flooded(port, begin)) {
		uart_port_unlock(port, flags);
		wake_up_process(port->task);
		mod_timer(&port->poll_timer, begin + POLL_NS);
		return true;
	}
	serial8250_pass(port, flags);
	port->irq_time += ktime_get() - begin;
	return true;
}

/*
 * ISA interrupts are edge-triggered: a new one comes only after the line was low. With all sources
 * disabled it is low. If one of them still has something, it raises the line when it is enabled.
 */
static void serial8250_make_edge(struct uart_port *port)
{
	unsigned long flags;

	uart_port_lock(port, &flags);
	outb(port->iobase + UART_IER, 0);
	serial8250_write_ier(port);
	uart_port_unlock(port, flags);
}

/*
 * One pass for each interrupt. A UART that sends at once, as QEMU's does, would keep a loop here,
 * and so interrupts off, until all bytes are sent.
 */
static bool serial8250_interrupt(int irq __unused, void *dev)
{
	struct uart_port *port = dev;
	bool handled = serial8250_handle_irq(port);

	if (handled)
		serial8250_make_edge(port);
	if (port->console)
		wake_up_klogd();
	return handled;
}

/* The task of a port: serves the port after a flood of interrupts. */
static int serial8250_poll_task(void *data)
{
	struct uart_port *port = data;
	unsigned long flags;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (!READ_ONCE(port->polling)) {
			schedule();
			continue;
		}
		__set_current_state(TASK_RUNNING);
		uart_port_lock(port, &flags);
		serial8250_pass(port, flags);
		if (port->console)
			wake_up_klogd();
		cond_resched();
	}
	return 0;
}

/*
 * While the task serves the port, it may wait for a CPU for longer than the FIFO has room for: then
 * this receives. It also stands for the interrupt of a UART whose line leads to no interrupt
 * controller that works.
 */
static void serial8250_poll(struct timer_list *timer)
{
	struct uart_port *port = container_of(timer, struct uart_port, poll_timer);
	unsigned long flags;

	uart_port_lock(port, &flags);
	if (port->polling) {
		serial8250_pass(port, flags);
	} else {
		uart_port_unlock(port, flags);
		if (port->no_interrupt)
			serial8250_interrupt(port->irq, port);
	}
	if (port->no_interrupt || READ_ONCE(port->polling))
		mod_timer(timer, ktime_get() + POLL_NS);
}

/* Lets the port interrupt, or polls it in a machine without I/O APIC. 0 or an errno. */
static int __init serial8250_set_up_irq(struct uart_port *port)
{
	int error;

	timer_setup(&port->poll_timer, serial8250_poll);
	error = request_irq(port->irq, serial8250_interrupt, port->tty->name, port);
	if (error != -ENODEV)
		return error;
	pr_warn("%s: no interrupt %u in this machine, polling\n", port->tty->name, port->irq);
	port->no_interrupt = true;
	mod_timer(&port->poll_timer, ktime_get());
	return 0;
}

/* The terminal has not ended its line for UART_HOLD_NS: lets kernel messages break into it. */
static void serial8250_hold_timeout(struct timer_list *timer)
{
	struct uart_port *port = container_of(timer, struct uart_port, hold_timer);
	unsigned long flags;

	uart_port_lock(port, &flags);
	if (port->line_len)
		port->hold_expired = true;
	serial8250_start_tx(port);
	uart_port_unlock(port, flags);
}

static int __init serial8250_startup(struct uart_port *port, unsigned index)
{
	static const char *const names[] = { "ttyS0", "ttyS1", "ttyS2" };
	unsigned long flags;
	int error;

	timer_setup(&port->hold_timer, serial8250_hold_timeout);
	tty_port_init(&serial8250_ttys[index], &serial8250_bufs[index], port, names[index]);
	port->tty = &serial8250_ttys[index];
	port->task = kthread_run(serial8250_poll_task, port, "uart/%s", names[index]);
	if (IS_ERR(port->task))
		return (int)PTR_ERR(port->task);
	error = serial8250_set_up_irq(port);
	if (error)
		return error;
	uart_port_lock(port, &flags);
	for (unsigned i = 0; i < port->nr_typed_ahead; i++)
		tty_insert_flip_char(port->tty, port->typed_ahead[i], TTY_NORMAL);
	port->irq_driven = true;
	serial8250_unthrottle(port);
	serial8250_start_tx(port);
	uart_port_unlock(port, flags);
	tty_flip_buffer_push(port->tty);
	pr_info("%s at I/O 0x%x (irq = %u) is a %s\n", names[index], port->iobase, port->irq,
		port->fifo_size > 1 ? "16550A" : "8250");
	return 0;
}

static int __init serial8250_init(void)
{
	int error = 0;

	for (unsigned i = 0; i < ARRAY_SIZE(serial8250_ports); i++) {
		int e = serial8250_ports[i].present ? serial8250_startup(&serial8250_ports[i], i)
						    : 0;

		if (e)
			error = e;
	}
	return error;
}
device_initcall(serial8250_init);
