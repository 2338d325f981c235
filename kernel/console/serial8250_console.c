/*
 * The 16550 as the console of the kernel. It polls from the first message on, and uses interrupts
 * when serial8250.c has set them up. The functions here do not sleep. They take only the lock of
 * the port, and only by trylock.
 */
#include "arch/cpu/io.h"
#include "kernel/console/serial_core.h"
#include "kernel/console/serial_reg.h"
#include "kernel/printk/printk.h"

/* The usual IRQ of the third port is that of the first one; scripts/boot gives it another one. */
struct uart_port serial8250_ports[UART_PORTS] = {
	{ .iobase = 0x3f8, .irq = 4, .console = true, .lock_cpu = -1 },
	{ .iobase = 0x2f8, .irq = 3, .lock_cpu = -1 },
	{ .iobase = 0x3e8, .irq = 5, .lock_cpu = -1 },
};

static struct uart_port *const console_port = &serial8250_ports[0];

#define QUIET_POLLS 2000 /* polls without a byte: some milliseconds */
#define POLL_PAUSE  1000 /* loops between two polls */

/*
 * Turns the FIFO on, and keeps bytes that were typed before. The UART empties the FIFO when its
 * enable bit changes (PC16550D data sheet, 8.4), so this function first reads until the line is
 * quiet. If firmware has turned the FIFO on, its bytes stay there.
 *
 * A byte that arrives between the last poll and the change is lost. So each poll also writes FCR,
 * and only the last write has another value: an emulator such as QEMU has then translated these
 * instructions already, and does not pause between them.
 */
static void serial8250_enable_fifo(struct uart_port *port)
{
	const u8 on = UART_FCR_ENABLE_FIFO | UART_FCR_TRIGGER_8;
	unsigned quiet = 0;
	bool last;

	if ((inb(port->iobase + UART_IIR) & UART_IIR_FIFO) == UART_IIR_FIFO) {
		outb(port->iobase + UART_FCR, on);
		return;
	}
	do {
		bool full = port->nr_typed_ahead == UART_TYPED_AHEAD_MAX;
		bool enough = !port->nr_typed_ahead || quiet++ >= QUIET_POLLS;
		u8 ready = inb(port->iobase + UART_LSR) & UART_LSR_DR;

		last = full | (enough & !ready);
		outb(port->iobase + UART_FCR, on & (u8)-last);
		if (ready && !last) {
			port->typed_ahead[port->nr_typed_ahead++] = inb(port->iobase + UART_RX);
			quiet = 0;
		}
		for (unsigned i = 0; i < POLL_PAUSE && port->nr_typed_ahead && !last; i++)
			barrier();
	} while (!last);
}

/*
 * Detects a UART: only a UART keeps a value in the scratch register. Sets 115200 baud, 8 bits, no
 * parity.
 */
static void serial8250_probe(struct uart_port *port)
{
	outb(port->iobase + UART_SCR, 0x5a);
	if (inb(port->iobase + UART_SCR) != 0x5a)
		return;
	outb(port->iobase + UART_SCR, 0xa5);
	if (inb(port->iobase + UART_SCR) != 0xa5)
		return;
	outb(port->iobase + UART_IER, 0);
	outb(port->iobase + UART_LCR, UART_LCR_WLEN8 | UART_LCR_DLAB);
	outb(port->iobase + UART_DLL, 1);
	outb(port->iobase + UART_DLM, 0);
	outb(port->iobase + UART_LCR, UART_LCR_WLEN8);
	serial8250_enable_fifo(port);
	port->mcr = UART_MCR_DTR | UART_MCR_RTS | UART_MCR_OUT2;
	outb(port->iobase + UART_MCR, port->mcr);
	port->fifo_size = (inb(port->iobase + UART_IIR) & UART_IIR_FIFO) == UART_IIR_FIFO
				  ? UART_FIFO_SIZE
				  : 1;
	port->present = true;
}

static void serial8250_early_init(void)
{
	static bool done;

	if (__atomic_exchange_n(&done, true, __ATOMIC_ACQ_REL))
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(serial8250_ports); i++)
		serial8250_probe(&serial8250_ports[i]);
}

/*
 * Sends at most max bytes by polling, in bursts of the FIFO size. Returns their number. port->lock
 * held.
 */
static unsigned serial8250_poll_tx(struct uart_port *port, unsigned max)
{
	unsigned sent = 0;

	while (sent < max) {
		int c = uart_next_char(port, true);

		if (c < 0)
			break;
		if (sent % port->fifo_size == 0)
			while (!(serial8250_read_lsr(port) & UART_LSR_THRE))
				cpu_relax();
		outb(port->iobase + UART_TX, (u8)c);
		port->tx++;
		sent++;
	}
	return sent;
}

void serial8250_write_ier(struct uart_port *port)
{
	outb(port->iobase + UART_IER, port->polling ? 0 : port->ier);
}

void serial8250_start_tx(struct uart_port *port)
{
	if (!port->irq_driven || (port->ier & UART_IER_THRI))
		return;
	WRITE_ONCE(port->ier, port->ier | UART_IER_THRI);
	serial8250_write_ier(port);
}

void serial8250_console_kick(bool sync)
{
	struct uart_port *port = console_port;
	unsigned long flags;

	serial8250_early_init();
	if (!port->present)
		return;
	do {
		/* The holder looks for messages after it has released the lock. */
		if (!uart_port_trylock(port, &flags))
			return;
		if (sync || !port->irq_driven)
			serial8250_poll_tx(port, ~0U);
		else
			serial8250_start_tx(port);
		__uart_port_unlock(port, flags);
		smp_mb(); /* as in console_unlock() */
	} while (console_pending() && !(READ_ONCE(port->ier) & UART_IER_THRI));
}

static bool serial8250_console_drain(void)
{
	struct uart_port *port = console_port;
	unsigned long flags;

	if (!port->present)
		return false;
	if (uart_port_trylock(port, &flags)) {
		serial8250_poll_tx(port, 4 * UART_FIFO_SIZE);
		console_unlock(port, flags);
		return true;
	}
	cpu_relax();
	return READ_ONCE(port->lock_cpu) != (int)smp_processor_id();
}

static bool serial8250_console_flush(void)
{
	struct uart_port *port = console_port;
	unsigned long flags;

	if (!port->present)
		return false;
	while (!uart_port_trylock(port, &flags)) {
		if (READ_ONCE(port->lock_cpu) == (int)smp_processor_id())
			return true; /* an NMI or a fault has interrupted the holder */
		cpu_relax();
	}
	serial8250_poll_tx(port, ~0U);
	while (!(serial8250_read_lsr(port) & UART_LSR_TEMT))
		cpu_relax();
	console_unlock(port, flags);
	return true;
}

/* The holder may have taken a byte, and not sent it. So its line comes again, on a new line. */
static void serial8250_console_bust_lock(void)
{
	struct uart_port *port = console_port;

	if (port->lock_cpu != -1) {
		port->nr_pushed = 0;
		port->line_len = 1;
		console_repeat_line();
	}
	port->lock_cpu = -1;
	smp_store_release(&port->lock.value, 0);
}

DEFINE_CONSOLE(serial8250_console) = {
	.kick = serial8250_console_kick,
	.drain = serial8250_console_drain,
	.flush = serial8250_console_flush,
	.bust_lock = serial8250_console_bust_lock,
};
