/*
 * UARTs: what lies between a terminal and the 16550 driver, under Linux's names.
 *
 * A port sends from two sources: the terminal's transmit buffer and, on the console, the kernel's
 * messages. The port picks the next byte itself (uart_next_char) and changes the source only
 * between lines, so that the two share the wire without tearing a line. When a terminal line stands
 * unfinished (a prompt; a program between two writes), kernel messages wait until somebody reads
 * the terminal, or UART_HOLD_NS, or until too many wait; then they begin on a line of their own.
 *
 * port->lock is a leaf: nothing else is locked and nobody is woken while it is held. That is why
 * what an interrupt finds is acted upon after the lock is released, and why printk works anywhere.
 */
#pragma once

#include "kernel/locking/spinlock.h"
#include "kernel/time/timer.h"

struct tty_struct;

/* Bytes that are kept of what was typed before the driver turned the FIFO on. */
#define UART_TYPED_AHEAD_MAX 1024

#define UART_XMIT_SIZE    4096U /* bytes; a power of two */
#define UART_WAKEUP_CHARS 2048U /* writers are woken when so few are left */
#define UART_FIFO_SIZE    16
#define UART_LINE_MAX     4096 /* kernel messages may break into a terminal line longer than that */
#define UART_HOLD_NS      (100 * NSEC_PER_MSEC)

/* Legend: [C] constant after the port was found; [P] lock. */
struct uart_port {
	spinlock_t lock; /* P: taken by the functions below only, see uart_port_lock() */
	int lock_cpu;    /* [P] the holder, or -1 */
	u16 iobase;      /* [C] */
	u8 irq;          /* [C] */
	bool present;    /* [C] */
	bool console;    /* [C] sends kernel messages too */
	bool irq_driven; /* [P] set once, when the interrupt works */
	u8 fifo_size;    /* [C] bytes that may be sent at once */
	u8 ier, mcr;     /* [P] what the registers hold */

	u8 typed_ahead[UART_TYPED_AHEAD_MAX]; /* [C] */
	u16 nr_typed_ahead;                   /* [C] */

	u8 xmit[UART_XMIT_SIZE]; /* [P] */
	u32 head, tail;          /* [P] of xmit, counting for ever */
	bool stopped;            /* [P] ^S: send nothing of the terminal */
	bool tx_blocked;         /* [P] uart_transmit() found no room; wakes when there is */
	bool throttled;          /* [P] the terminal has no room: leave input in the FIFO */
	u32 line_len;            /* [P] bytes the terminal has sent since its last newline */
	u8 pushed[2], nr_pushed; /* [P] bytes that go out before anything else, last one first */
	bool held;               /* [P] kernel messages wait for the end of a terminal line */
	bool hold_expired;       /* [P] they have waited enough */
	struct timer_list hold_timer;

	u64 rx, tx, overrun, parity, frame, brk; /* [P] counts */
	struct tty_struct *tty;                  /* [C] set before irq_driven */
};

extern struct uart_port serial8250_ports[2]; /* COM1, COM2 */

/* Interrupts off, whatever they were. trylock: false also when this CPU holds the lock already. */
void uart_port_lock(struct uart_port *port, unsigned long *flags);
bool uart_port_trylock(struct uart_port *port, unsigned long *flags);
void __uart_port_unlock(struct uart_port *port, unsigned long flags);
/* The same, and looks for kernel messages that came meanwhile. */
void uart_port_unlock(struct uart_port *port, unsigned long flags);

/* The byte to send now, or -1. now: do not hold messages back. port->lock held. */
int uart_next_char(struct uart_port *port, bool now);

/* The terminal's side. Bytes taken, none waited for. Task context. */
size_t uart_write(struct uart_port *port, const u8 *buf, size_t count);
size_t uart_write_room(struct uart_port *port);
size_t uart_chars_in_buffer(struct uart_port *port);
void uart_flush_chars(struct uart_port *port);  /* start sending */
void uart_flush_buffer(struct uart_port *port); /* forget what was not sent: ^C */
void uart_stop(struct uart_port *port);
void uart_start(struct uart_port *port);
void uart_unthrottle(struct uart_port *port);
/* One received byte with its line status bits into the flip buffer. port->lock held. */
void uart_insert_char(struct uart_port *port, u8 status, u8 byte);

/*
 * Send bytes at once, past the transmit buffer, as long as the port takes them: how many. When that
 * is not all, tx_blocked until tty_wakeup(). The writer's own time is spent, with interrupts
 * off for a FIFO's worth only. Task context, one writer.
 */
size_t uart_transmit(struct uart_port *port, const u8 *buf, size_t count);

/*
 * Starts sending the pending kernel messages by interrupts. sync, or before the interrupt works:
 * sends them by polling. Any context.
 */
void serial8250_console_kick(bool sync);
/* Hardware side of the operations above; port->lock held. */
void serial8250_start_tx(struct uart_port *port);
/* Fill the FIFO if it is empty: how many bytes, 0 if it is not. */
size_t serial8250_fill_fifo(struct uart_port *port, const u8 *buf, size_t count);
void serial8250_unthrottle(struct uart_port *port);
