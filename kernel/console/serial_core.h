/*
 * UARTs: the layer between a terminal and the 16550 driver, under Linux's names.
 *
 * A port sends from two sources: the transmit buffer of the terminal and, on the console, the
 * messages of the kernel. uart_next_char() chooses the next byte. It changes the source only
 * between lines, so that lines are not mixed. While a terminal line is incomplete (a prompt; a
 * program between two writes), kernel messages wait until a task reads the terminal, until
 * UART_HOLD_NS has passed, or until too many wait. Then they begin on a new line.
 *
 * A port is served by its interrupt, until that comes too often: more than UART_IRQS_MAX times in
 * UART_IRQ_WINDOW_NS, or for more than 1/UART_IRQ_SHARE of a longer window. (On a slow machine even
 * a few interrupts fill the window, and so the CPU.) Then the port's task serves it with interrupts
 * off in the UART, and turns them on again when nothing is left to do. The rule: a flood, wherever
 * it comes from, costs the CPU of the interrupt no more than the window allows; the rest is the
 * work of a task, which the scheduler lets compete with others. An emulated UART sends and receives
 * at once, and so would interrupt for ever. A real one at 115200 baud interrupts 720 times a
 * second, and stays below.
 *
 * port->lock is a leaf: code that holds it takes no other lock and wakes no task. So an interrupt
 * handler does the rest of its work after it has released the lock, and printk() works in any
 * context.
 */
#pragma once

#include "kernel/locking/spinlock.h"
#include "kernel/time/timer.h"

struct tty_struct;
struct tty_operations;

/* The maximum of bytes kept from before the driver turned the FIFO on. */
#define UART_TYPED_AHEAD_MAX 1024

#define UART_XMIT_SIZE    4096U /* bytes; a power of two */
#define UART_WAKEUP_CHARS 2048U /* writers are woken when at most so many bytes are left */
#define UART_FIFO_SIZE    16
#define UART_LINE_MAX     4096 /* kernel messages may break into a longer terminal line */
#define UART_HOLD_NS      (100 * NSEC_PER_MSEC)

#define UART_IRQS_MAX      32
#define UART_IRQ_WINDOW_NS (10 * NSEC_PER_MSEC)
#define UART_IRQ_SHARE     4

/* Legend: [C] constant after the port is detected; [P] lock. */
struct uart_port {
	spinlock_t lock; /* P: taken only through uart_port_lock() and the functions below it */
	int lock_cpu;    /* [P] CPU that holds the lock, or -1 */
	u16 iobase;      /* [C] */
	u8 irq;          /* [C] */
	bool present;    /* [C] */
	bool console;    /* [C] sends kernel messages, too */
	bool irq_driven; /* [P] set once the interrupt works */
	u8 fifo_size;    /* [C] bytes that fit into the empty FIFO */
	u8 ier, mcr;     /* [P] the contents of the registers; polling: of IER afterwards */
	u8 lsr_saved;    /* [P] errors that were read, of the byte that will be taken next */

	u8 typed_ahead[UART_TYPED_AHEAD_MAX]; /* [C] */
	u16 nr_typed_ahead;                   /* [C] */

	u8 xmit[UART_XMIT_SIZE]; /* [P] */
	u32 head, tail;          /* [P] positions in xmit; they only increase */
	bool stopped;            /* [P] ^S: send no terminal output */
	bool tx_blocked; /* [P] uart_transmit() found no room; writers are woken when the FIFO has
			    room */
	bool throttled;  /* [P] the terminal has no room: input stays in the FIFO */
	u32 line_len;    /* [P] bytes of the terminal sent since its last newline */
	u8 pushed[2], nr_pushed; /* [P] bytes to send before anything else, the last one first */
	bool held;               /* [P] kernel messages wait for the end of a terminal line */
	bool hold_expired;       /* [P] kernel messages need not wait any longer */
	struct timer_list hold_timer;
	struct timer_list poll_timer; /* while polling, and if no_interrupt */
	bool no_interrupt;            /* constant: the machine cannot route the interrupt */

	bool polling;             /* [P] the task and poll_timer serve the port; IER is 0 */
	unsigned irqs;            /* [P] interrupts since irq_window */
	ktime_t irq_window;       /* [P] */
	u64 irq_time;             /* of them, in ns. The handler of the interrupt alone uses it */
	struct task_struct *task; /* [C] set before irq_driven */

	u64 rx, tx, overrun, parity, frame, brk; /* [P] counts */
	struct tty_struct *tty;                  /* [C] set before irq_driven */
};

#define UART_PORTS 3
extern struct uart_port serial8250_ports[UART_PORTS]; /* COM1, COM2, COM3 */

/* Turn interrupts off and take the lock. trylock: false also if this CPU already holds the lock. */
void uart_port_lock(struct uart_port *port, unsigned long *flags);
bool uart_port_trylock(struct uart_port *port, unsigned long *flags);
void __uart_port_unlock(struct uart_port *port, unsigned long flags);
/* Releases the port of the console, and sends the kernel messages that came while it was held. */
void console_unlock(struct uart_port *port, unsigned long flags);
/* The same for any port; one that is not the console has no kernel messages. */
void uart_port_unlock(struct uart_port *port, unsigned long flags);

/*
 * The next byte to send, or -1. now: kernel messages do not wait for the end of a terminal line.
 * port->lock held.
 */
int uart_next_char(struct uart_port *port, bool now);

/*
 * For the terminal. uart_write() takes as many bytes as have room, without waiting, and returns
 * their number. Task context.
 */
size_t uart_write(struct tty_struct *tty, const u8 *buf, size_t count);
size_t uart_write_room(const struct tty_struct *tty);
size_t uart_chars_in_buffer(const struct tty_struct *tty);
void uart_flush_chars(struct tty_struct *tty);  /* start sending */
void uart_flush_buffer(struct tty_struct *tty); /* drop unsent bytes, for ^C */
void uart_stop(struct tty_struct *tty);
void uart_start(struct tty_struct *tty);
extern const struct tty_operations uart_ops; /* all of these */
void uart_unthrottle(struct uart_port *port);
/*
 * Puts a received byte with its line status into the flip buffer, and forgets lsr_saved, which
 * status contains. port->lock held.
 */
void uart_insert_char(struct uart_port *port, u8 status, u8 byte);

/*
 * Sends bytes directly, without the transmit buffer, as long as the port takes them. Returns their
 * number. If it is less than count, tx_blocked is set until tty_wakeup(). Interrupts are off only
 * while it fills the FIFO. Task context, one writer at a time.
 */
size_t uart_transmit(struct tty_struct *tty, const u8 *buf, size_t count);

/*
 * Starts sending the pending kernel messages by interrupts. sync, or before the interrupt works:
 * sends them by polling. Any context.
 */
void serial8250_console_kick(bool sync);
/* The hardware part of the operations above. port->lock held. */
void serial8250_write_ier(struct uart_port *port); /* port->ier has changed, or polling */
void serial8250_start_tx(struct uart_port *port);
/*
 * The line status. A read clears its errors in the UART (PC16550D data sheet, 8.6.3), so they are
 * kept in lsr_saved until the byte is taken.
 */
u8 serial8250_read_lsr(struct uart_port *port);
/* Fills the FIFO, if it is empty. Returns the number of bytes. */
size_t serial8250_fill_fifo(struct uart_port *port, const u8 *buf, size_t count);
void serial8250_unthrottle(struct uart_port *port);
