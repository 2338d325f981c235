/*
 * The 16550 driver with a UART made of software.
 * sources: kernel/console/tty_buffer.c
 *
 * lab10_serial STEP prints what the device and the reader have seen; labs/tests/lab10.py judges it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/console/serial8250.c"

#define LINE_BYTES (3 * TTY_FLIP_SIZE + 5)

struct uart_port serial8250_ports[UART_PORTS];
bool host_irqs_off;

/* The UART: the line holds what the sender has not sent yet. */
static unsigned line_at, line_end, sent, sent_since_empty, overrun_fifo;
static unsigned fifo_size = UART_FIFO_SIZE;
static u8 ier, mcr;
static bool endless, noisy;
static unsigned errors_read; /* the errors of so many bytes: a read of the status clears them */
/* The consumer of the flip buffer, and its switch. */
static unsigned taken, wrong, wrong_flags, interrupts, most_per_interrupt, pushes;
static bool reader_sleeps;
static unsigned to_send;
static irq_handler_t handler;
static void *handler_dev;

static u8 byte_of(unsigned n)
{
	return (u8)(n * 7 + n / 256);
}

static unsigned waiting(void)
{
	return endless ? UART_FIFO_SIZE : line_end - line_at;
}

/* A noisy line has a break, which is no byte, and bytes with errors. */
static u8 errors_of(unsigned n)
{
	if (!noisy)
		return 0;
	return n % 1000 == 500 ? UART_LSR_BI : n % 89 == 7 ? UART_LSR_PE : n % 97 == 5 ? UART_LSR_FE : 0;
}

static u8 flag_of(unsigned n)
{
	u8 errors = errors_of(n);

	return errors == UART_LSR_BI ? TTY_BREAK : errors == UART_LSR_PE ? TTY_PARITY : errors ? TTY_FRAME : TTY_NORMAL;
}

static u8 read_status(void)
{
	u8 errors = errors_read <= line_at ? errors_of(line_at) : 0;
	bool is_byte = errors_of(line_at) != UART_LSR_BI;

	if (!waiting())
		return 0;
	errors_read = line_at + 1;
	return (is_byte ? UART_LSR_DR : 0) | errors;
}

u8 inb(u16 port)
{
	switch (port & 7) {
	case UART_RX:
		if (!waiting())
			wrong++;
		return byte_of(line_at++);
	case UART_IIR:
		return ((ier & UART_IER_RDI) && waiting()) || (ier & UART_IER_THRI) ? 0xc2 : 0xc1;
	case UART_LSR:
		return read_status() | UART_LSR_THRE | UART_LSR_TEMT;
	default:
		return 0;
	}
}

void outb(u16 port, u8 v)
{
	switch (port & 7) {
	case UART_TX:
		if (++sent_since_empty > fifo_size)
			overrun_fifo++;
		wrong += v != byte_of(sent++);
		break;
	case UART_IER:
		ier = v;
		break;
	case UART_MCR:
		mcr = v;
		break;
	}
}

void serial8250_write_ier(struct uart_port *port)
{
	outb(port->iobase + UART_IER, port->ier);
}

int uart_next_char(struct uart_port *port, bool now)
{
	(void)port, (void)now;
	return sent < to_send ? byte_of(sent) : -1;
}

void uart_port_lock(struct uart_port *port, unsigned long *flags)
{
	(void)port, *flags = 0;
}

void uart_port_unlock(struct uart_port *port, unsigned long flags)
{
	(void)port, (void)flags;
}

int request_irq(unsigned irq, irq_handler_t fn, const char *name, void *dev)
{
	(void)irq, (void)name;
	handler = fn;
	handler_dev = dev;
	return 0;
}

/* The line discipline: compares, and takes nothing while the reader sleeps. */
size_t n_tty_receive_buf(struct tty_struct *tty, const u8 *bytes, const u8 *flags, size_t count)
{
	(void)tty;
	if (reader_sleeps)
		return 0;
	for (size_t i = 0; i < count; i++, taken++) {
		wrong += bytes[i] != byte_of(taken);
		wrong_flags += flags[i] != flag_of(taken);
	}
	return count;
}

void INIT_WORK(struct work_struct *work, void (*fn)(struct work_struct *work))
{
	work->func = fn;
}

bool schedule_work_unbound(struct work_struct *work)
{
	pushes++;
	work->func(work);
	return true;
}

void tty_port_init(struct tty_struct *tty, struct tty_bufhead *buf, struct uart_port *port, const char *name)
{
	(void)name;
	tty->port = port;
	tty_buffer_init(tty, buf);
}

void uart_unthrottle(struct uart_port *port)
{
	serial8250_unthrottle(port);
}

void serial8250_start_tx(struct uart_port *port)
{
	port->ier |= UART_IER_THRI;
	outb(port->iobase + UART_IER, port->ier);
}

void mutex_lock(struct mutex *lock) { (void)lock; }
void mutex_unlock(struct mutex *lock) { (void)lock; }
void n_tty_flush_echoes(struct tty_struct *tty) { (void)tty; }
void tty_write_async(struct tty_struct *tty) { (void)tty; }
void tty_wakeup(struct tty_struct *tty) { (void)tty; }
void wake_up_klogd(void) {}
void timer_setup(struct timer_list *timer, void (*fn)(struct timer_list *)) { (void)timer, (void)fn; }
bool mod_timer(struct timer_list *timer, ktime_t when) { (void)timer, (void)when; return false; }
bool timer_pending(const struct timer_list *timer) { (void)timer; return false; }
void schedule(void) {}
void __cond_resched(void) {}
struct task_struct *current_task;

static struct task_struct task; /* the port's own, which never runs here */
static ktime_t now;

struct task_struct *kthread_create(int (*fn)(void *data), void *data, const char *fmt, ...)
{
	(void)fn, (void)data, (void)fmt;
	return &task;
}

bool wake_up_process(struct task_struct *p)
{
	(void)p;
	return true;
}

ktime_t ktime_get(void)
{
	return now;
}

/* Interrupts as long as the device asks for them, or count times. */
static void run(unsigned count)
{
	for (; count && ((ier & UART_IER_THRI) || ((ier & UART_IER_RDI) && waiting())); count--) {
		unsigned before = line_at;

		sent_since_empty = 0;
		interrupts++;
		now += NSEC_PER_SEC; /* so there are never too many interrupts for the driver */
		handler(4, handler_dev);
		if (line_at - before > most_per_interrupt)
			most_per_interrupt = line_at - before;
	}
}

int main(int argc, char **argv)
{
	const char *step = argc > 1 ? argv[1] : "";
	struct uart_port *port = &serial8250_ports[0];

	if (!strcmp(step, "transmit-8250"))
		fifo_size = 1;
	*port = (struct uart_port){ .iobase = 0x3f8, .irq = 4, .present = true, .fifo_size = fifo_size };
	serial8250_init();
	run(10);
	interrupts = pushes = 0;
	if (!strcmp(step, "receive") || !strcmp(step, "noisy")) {
		noisy = !strcmp(step, "noisy");
		line_end = LINE_BYTES;
		run(2 * LINE_BYTES);
	} else if (!strcmp(step, "endless")) {
		endless = true;
		run(1000);
	} else if (!strcmp(step, "throttle")) {
		reader_sleeps = true;
		line_end = LINE_BYTES;
		run(2 * LINE_BYTES);
		printf("buffered %u rts %u\n", line_at, !!(mcr & UART_MCR_RTS));
		reader_sleeps = false;
		tty_buffer_input_taken(port->tty);
		run(2 * LINE_BYTES);
	} else if (!strncmp(step, "transmit", strlen("transmit"))) {
		to_send = 1000;
		serial8250_start_tx(port);
		run(5000);
		printf("asks %u\n", !!(ier & UART_IER_THRI));
	}
	printf("received %u taken %u sent %u wrong %u flags %u lost %u interrupts %u most %u counted %lu pushes %u\n", line_at, taken,
	       sent, wrong, wrong_flags, overrun_fifo, interrupts, most_per_interrupt, (unsigned long)port->tx, pushes);
	return 0;
}
