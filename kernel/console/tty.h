/*
 * Terminals: an object with a line discipline, and a driver: a UART or the master side of a
 * pseudo-terminal (pty.h). Device files use it.
 *
 * Input: UART interrupt -> flip buffer -> (workqueue) flush_to_ldisc -> n_tty_receive_buf ->
 * read_buf -> tty_read. A full stage stops the stage before it, down to the UART: so no byte is
 * lost (docs/console.md).
 *
 * Lock order: atomic_read_lock or atomic_write_lock, modes_lock, buf_lock, input_lock, output_lock;
 * then the UART port's lock, a leaf.
 */
#pragma once

#include "kernel/console/n_tty.h"
#include "kernel/atomic.h"
#include "kernel/workqueue/workqueue.h"
#include "kernel/sched/mutex.h"
#include "kernel/sched/wait.h"

struct pid;

struct uart_port;

#define TTY_FLIP_SIZE 4096U /* bytes; a power of two */

/* The flag of a received byte. */
#define TTY_NORMAL  0
#define TTY_BREAK   1
#define TTY_FRAME   2
#define TTY_PARITY  3
#define TTY_OVERRUN 4

/*
 * The work that hands received bytes on, of each terminal: flush_to_ldisc(), so that a trace shows
 * one name, as on Linux.
 */
struct tty_flush {
	struct work_struct work;
	void (*fn)(struct tty_flush *flush); /* of a pseudo-terminal; NULL: a struct tty_bufhead */
};
void tty_flush_init(struct tty_flush *flush, void (*fn)(struct tty_flush *flush));

/* One producer (the UART, port lock held), one consumer (buf_lock held). */
struct tty_bufhead {
	u8 chars[TTY_FLIP_SIZE];
	u8 flags[TTY_FLIP_SIZE]; /* TTY_* */
	u32 head;                /* [A] written by the producer */
	u32 tail;                /* [A] written by the consumer */
	struct tty_struct *tty;  /* [C] */
	struct tty_flush flush;
};

struct tty_struct;

/*
 * What a terminal does with its output. Task context. stop and start are also called with the
 * output_lock held; none of them sleeps for a long time.
 */
struct tty_operations {
	/* Takes as many bytes as have room, without waiting, and returns their number. */
	size_t (*write)(struct tty_struct *tty, const u8 *buf, size_t count);
	size_t (*write_room)(const struct tty_struct *tty);
	size_t (*chars_in_buffer)(const struct tty_struct *tty); /* not sent yet */
	void (*flush_chars)(struct tty_struct *tty);             /* start sending */
	void (*flush_buffer)(struct tty_struct *tty);            /* drop unsent bytes, for ^C */
	void (*stop)(struct tty_struct *tty);                    /* ^S */
	void (*start)(struct tty_struct *tty);
	/* A reader has made room for input. No lock held. */
	void (*input_taken)(struct tty_struct *tty);
	/*
	 * Received bytes that have not reached the line discipline: waits until they have, as far
	 * as it takes them; drops them. Both are NULL: they reach it at once. Task context, no lock
	 * of the line discipline held.
	 */
	void (*flush_input)(struct tty_struct *tty);
	void (*drop_input)(struct tty_struct *tty);
	/* Received bytes, or the modes, have been changed; for packet mode. May be NULL. */
	void (*changed)(struct tty_struct *tty, unsigned what);
	/*
	 * Files of the terminal are counted. get: one is opened as /dev/tty; false: it is hung up.
	 * tasklist_lock held. close: one is closed. Both are NULL: files are not counted.
	 */
	bool (*get)(struct tty_struct *tty);
	void (*close)(struct tty_struct *tty);
};
#define TTY_CHANGED_FLUSH_READ 1U /* unread input was dropped */
#define TTY_CHANGED_MODES      2U /* termios */

/* [C] constant; [A] atomic. */
struct tty_struct {
	char name[16];                    /* [C] "ttyS0" */
	const struct tty_operations *ops; /* [C] */
	struct uart_port *port;           /* [C] NULL: a pseudo-terminal */
	struct tty_bufhead *buf;          /* [C] NULL: a pseudo-terminal */
	struct n_tty_data ldata;
	struct mutex atomic_read_lock, atomic_write_lock; /* one reader, one writer at a time */
	struct mutex modes_lock;                          /* one task sets modes at a time */
	struct mutex buf_lock;                            /* the flip buffer's consumer */
	struct mutex input_lock, output_lock;             /* [I] and [O] of n_tty_data */
	wait_queue_head_t read_wait, write_wait;
	int waiting_readers; /* [A] sleeping readers */
	bool flow_stopped;   /* [A] ^S */
	bool hung_up;        /* [A] for ever: files of it read 0 bytes, and cannot do more */
	unsigned hangups;    /* [A] the same for the files that were open then: counts vhangup(2) */
	bool exclusive;      /* [A] TIOCEXCL: only root may open it */
	spinlock_t ctrl_lock;
	struct pid *pgrp;       /* [ctrl_lock] the job in the foreground; counted; NULL: none */
	struct pid *session;    /* [ctrl_lock] whose terminal it is; counted; NULL: none */
	struct winsize winsize; /* [ctrl_lock] */
	/* Bits and characters of the modes that only root may change: TIOCSLCKTRMIOS. */
	struct fasync_struct *fasync;  /* [fasync_lock] files with O_ASYNC */
	bool write_async;              /* [A] O_ASYNC: a writer has found too little room */
	struct termios termios_locked; /* [output_lock] */
	u32 ispeed, ospeed;            /* [output_lock] baud; meant only with BOTHER in c_cflag */
};

/*
 * The terminal on COM1 (0) or COM2 (1). NULL: the machine does not have it. After the device
 * initcalls.
 */
struct tty_struct *tty_find(unsigned index);
/* The file through which a program reads and writes. */
struct tty_user {
	bool nonblock;
	bool stays;       /* /dev/console: vhangup(2) leaves it open */
	unsigned hangups; /* of the terminal, when the file was opened */
};
/* Whether the file can do no more. Any context. */
static inline bool tty_user_is_hung_up(const struct tty_struct *tty, struct tty_user user)
{
	return READ_ONCE(tty->hung_up) || (!user.stays && user.hangups != READ_ONCE(tty->hangups));
}
/*
 * Reads the next line, or as much of it as fits. 0: end of file (^D); -EINTR: a signal; -EIO: the
 * input belongs to another job (Linux stops the reader, or returns -EIO if it ignores SIGTTIN).
 * nonblock: -EAGAIN instead of waiting for input or for another reader. Task context.
 */
ssize_t tty_read(struct tty_struct *tty, char *buf, size_t count, struct tty_user user);
/*
 * Writes count bytes in one piece, and waits for room. Returns count; less, or -EINTR, after a
 * signal. nonblock: returns less, or -EAGAIN, instead of waiting for room or for another writer.
 * Task context.
 */
ssize_t tty_write(struct tty_struct *tty, const char *buf, size_t count, struct tty_user user);
/* For poll: wait on read_wait and write_wait. */
bool tty_readable(struct tty_struct *tty);
bool tty_writable(struct tty_struct *tty);
/* ioctl_tty(2). arg: a number, or the address of the argument in the program. */
int tty_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg);
/*
 * TIOCSCTTY: tty becomes the terminal of the session that the current process leads. readable: it
 * has been opened for reading. steal: take it from another session, with CAP_SYS_ADMIN.
 *
 * A process that may only write to a terminal must not get it as the terminal of its session:
 * /dev/tty opens it for reading, too, and TIOCSTI types into it.
 */
int tiocsctty(struct tty_struct *tty, bool readable, bool steal);
/*
 * A program opens tty for reading: it becomes the terminal of its session, if the program leads a
 * session without one, and tty has no session.
 */
void tty_open_proc_set_tty(struct tty_struct *tty);
/*
 * The controlling terminal of the current process, or NULL; only to be compared: a pseudo-terminal
 * may be freed.
 */
struct tty_struct *current_tty(void);
/*
 * The same, and a pseudo-terminal stays until pty_slave_close(). NULL: none, or it was hung up.
 */
struct tty_struct *open_current_tty(void);
/* True when a reader sleeps. tty may be NULL. Any context. */
static inline bool tty_has_waiting_reader(const struct tty_struct *tty)
{
	return tty && READ_ONCE(tty->waiting_readers) > 0;
}

/*
 * What programs have of terminals, and the rest of the kernel does not: jobs, sessions, ioctl(2).
 * tty_jobctrl.c fills it at boot. Without programs each terminal is everybody's, and nobody gets a
 * signal: kernel/monitor/ sets what ^C does there. Task context.
 */
struct tty_program_ops {
	int (*check_change)(struct tty_struct *tty, int sig);       /* tty_check_change() */
	void (*signal_foreground)(struct tty_struct *tty, int sig); /* tty_signal_foreground() */
	void (*opened)(struct tty_struct *tty);                     /* tty_open_proc_set_tty() */
	/* readable: the file was opened for reading. -ENOTTY: unknown. */
	int (*ioctl)(struct tty_struct *tty, unsigned cmd, unsigned long arg, bool readable);
	struct tty_struct *(*open_current)(void); /* open_current_tty(), for /dev/tty */
};
extern const struct tty_program_ops *tty_program_ops; /* never NULL */

/* ---- for the UART driver ---- */

/* Boot: initializes the terminal of a port. Task context. */
void tty_port_init(struct tty_struct *tty, struct tty_bufhead *buf, struct uart_port *port,
		   const char *name);
/* The part for all terminals, but name: modes as after boot. */
void tty_init(struct tty_struct *tty, const struct tty_operations *ops);
/*
 * The bytes in the flip buffer. The port's interrupt alone moves head, under port->lock, and the
 * work item alone moves tail. So for either of them this may be out of date in one way only: the
 * other one has made more room since, or has added bytes.
 */
static inline u32 tty_buffer_used(const struct tty_struct *tty)
{
	return smp_load_acquire(&tty->buf->head) - smp_load_acquire(&tty->buf->tail);
}

static inline u32 tty_buffer_space_avail(const struct tty_struct *tty)
{
	return TTY_FLIP_SIZE - tty_buffer_used(tty);
}

/* Adds a byte to the flip buffer, which must have room. port->lock held. */
static inline void tty_insert_flip_char(struct tty_struct *tty, u8 c, u8 flag)
{
	struct tty_bufhead *buf = tty->buf;
	u32 head = buf->head;

	buf->chars[head % TTY_FLIP_SIZE] = c;
	buf->flags[head % TTY_FLIP_SIZE] = flag;
	smp_store_release(&buf->head, head + 1);
}

/* Makes a kworker give the flip buffer to the line discipline. Hardirq context, no lock held. */
void tty_flip_buffer_push(struct tty_struct *tty);
/*
 * The port can take output again: wakes writers, and sends pending echo. Hardirq context, no lock
 * held.
 */
void tty_wakeup(struct tty_struct *tty);

/* Sends what O_ASYNC promises to a writer that has found too little room. Task context. */
void tty_write_async(struct tty_struct *tty);

/* ---- between tty_buffer.c, n_tty_io.c and tty_io.c ---- */

/*
 * Takes atomic_read_lock or atomic_write_lock. Their holders may sleep for a long time, for input
 * or for room. -EINTR: a signal; nonblock: -EAGAIN instead of sleeping.
 */
int tty_lock(struct mutex *lock, bool nonblock);
/*
 * Gives bytes to the discipline. Returns the number it took: fewer than count when it is full.
 * flags NULL: all are TTY_NORMAL. buf_lock held.
 */
size_t n_tty_receive_buf(struct tty_struct *tty, const u8 *chars, const u8 *flags, size_t count);
/* Sends as much pending echo as has room. */
void n_tty_flush_echoes(struct tty_struct *tty);
/* True when writes go directly to the port: the terminal is raw, and not the console. */
bool tty_bypasses_buffer(const struct tty_struct *tty);
/* Stop the output, and let it go on. output_lock held: who has asked for room has written. */
void n_tty_stop(struct tty_struct *tty);
void n_tty_start(struct tty_struct *tty);

/* ---- n_tty_control.c ---- */

/* Changes the modes. flush: drops unread input. Task context. */
void n_tty_change_modes(struct tty_struct *tty, const struct termios *new, bool flush);
/* tcflush(3), tcflow(3): queue is TC?FLUSH, action TC?O*. -EINVAL. Task context. */
int n_tty_flush(struct tty_struct *tty, unsigned queue);
int n_tty_flow(struct tty_struct *tty, unsigned action);

/* ---- tty_jobctrl.c ---- */

/*
 * May the current process use the terminal for what sig stands for (SIGTTIN: reading, SIGTTOU:
 * changing or writing)? 0; -ERESTARTSYS: its job is in the background and gets sig; -EIO: it is,
 * but sig would not stop it. Task context.
 */
int tty_check_change(struct tty_struct *tty, int sig);
/* Waits until all output has been sent. 0, or -ERESTARTSYS. Task context. */
int tty_wait_until_sent(struct tty_struct *tty);
/* The part of tty_ioctl() for the modes. -ENOTTY: another command. */
int tty_mode_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg);
/* The part of tty_ioctl() for sessions and jobs. -ENOTTY: another command. */
int tty_jobctrl_ioctl(struct tty_struct *tty, unsigned cmd, unsigned long arg);
/* TIOCGPGRP and TIOCGSID without a look at the caller's terminal. 0: none. */
pid_t tty_pgrp_nr(struct tty_struct *tty);
/* The job in the foreground, counted; NULL: none. Task context. */
struct pid *tty_get_pgrp(struct tty_struct *tty);
pid_t tty_session_nr(struct tty_struct *tty);
/*
 * The terminal is gone: its session has no terminal any more, and its leader gets SIGHUP and
 * SIGCONT. for_ever: sets hung_up; else only the files that are open are hung up, and what is
 * unread or unsent is dropped. Wakes all sleepers. Task context.
 */
void tty_hangup(struct tty_struct *tty, bool for_ever);
/* Sends sig to the job in the foreground. Task context. */
void tty_signal_foreground(struct tty_struct *tty, int sig);
ssize_t n_tty_read(struct tty_struct *tty, u8 *buf, size_t count, struct tty_user user);
ssize_t n_tty_write(struct tty_struct *tty, const u8 *buf, size_t count, struct tty_user user);
/* True when input waits in the flip buffer. */
bool tty_buffer_pending(const struct tty_struct *tty);
/* The discipline has room again: continues with the flip buffer. Any context but NMI. */
void tty_buffer_restart_work(struct tty_struct *tty);
/* The same, if input waits there. */
void tty_buffer_input_taken(struct tty_struct *tty);
void tty_buffer_init(struct tty_struct *tty, struct tty_bufhead *buf);
