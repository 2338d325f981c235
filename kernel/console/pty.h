/*
 * Pseudo-terminals: a terminal (the slave) whose driver is a file of another program (the master).
 *
 *   program -> write(slave) -> line discipline -> out -> (workqueue) -> read(master)
 *   write(master) -> in -> (workqueue) -> line discipline -> read(slave) -> program
 *
 * A write to either side ends with pty_write(), which puts the bytes into the flip buffer of the
 * other side, and queues work. The worker wakes the reader of the master, or gives the bytes to the
 * line discipline, which may echo them. A task that has read from the slave queues the work again.
 *
 * A reader does not depend on the worker: the master takes what is in its buffer, and the slave, if
 * it has no input, waits for the work (flush_input). So what was written before a read or a poll(2)
 * counts, as on Linux.
 *
 * The master is open once. When it is closed, the slave is hung up for ever. The slave may be
 * opened and closed any number of times. The pty lives until both sides are closed, and for an RCU
 * grace period more: readers of /proc may still look at it.
 *
 * Lock order: as in tty.h; `lock` of the pty is a leaf. fs/devpts/ makes the files.
 */
#pragma once

#include "kernel/console/tty.h"
#include "kernel/rcu/rcu.h"

#define PTY_RING_SIZE 8192U /* bytes; a power of two */

/* What a master in packet mode is told: ioctl_tty(2). */
#define TIOCPKT_DATA       0
#define TIOCPKT_FLUSHREAD  1
#define TIOCPKT_FLUSHWRITE 2
#define TIOCPKT_STOP       4
#define TIOCPKT_START      8
#define TIOCPKT_NOSTOP     16
#define TIOCPKT_DOSTOP     32

/* A flip buffer: what was written to one side, and has not reached the other. */
struct pty_ring {
	u8 bytes[PTY_RING_SIZE];
	u32 head, tail;  /* positions; they only increase */
	struct pty *pty; /* [C] */
	struct tty_flush flush;
};

/* [C] constant; [A] atomic; [K] lock; [B] tty.buf_lock. */
struct pty {
	struct tty_struct tty; /* the slave */
	atomic_t refs;         /* [A] the master, and the open files of the slave */
	struct pty_ring in;    /* [K] to write head, [B] to write tail: to the slave */
	spinlock_t lock;
	struct pty_ring out;         /* [K] to the master */
	unsigned slaves;             /* [K] open files of the slave */
	bool slave_closed;           /* [K] the last of them was closed */
	bool locked;                 /* [A] the slave cannot be opened: unlockpt(3) */
	bool packet;                 /* [K] packet mode */
	u8 packet_status;            /* [K] TIOCPKT_* that the master was not told yet */
	bool told_stops;             /* [A] what packet mode said last: ^S and ^Q stop and start */
	struct mutex write_lock;     /* one writer of the master at a time */
	wait_queue_head_t read_wait; /* readers of the master */
	wait_queue_head_t write_wait;
	struct fasync_struct *fasync; /* [fasync_lock] the master, if it has O_ASYNC */
	struct rcu_head rcu;
};

/* A pty whose slave is called pts/INDEX, with the master open; NULL: memory is short. */
struct pty *pty_create(unsigned index);
/* The master is closed: hangs up the slave. Task context. */
void pty_master_close(struct pty *pty);

/*
 * Open and close a file of the slave. 0, or -EIO: it is locked, or hung up; -EBUSY: TIOCEXCL. The
 * caller keeps the pty alive during the call.
 */
int pty_slave_open(struct tty_struct *tty);
void pty_slave_close(struct tty_struct *tty);
/* The same for /dev/tty, with tasklist_lock held. False: hung up. */
bool pty_slave_get(struct tty_struct *tty);

/*
 * The master's read, write, poll and ioctl. read: waits for a byte; -EIO if no file of the slave is
 * open any more; -EAGAIN, or interrupted_error(). poll: wait on read_wait and write_wait.
 */
ssize_t pty_master_read(struct pty *pty, u8 *buf, size_t count, bool nonblock);
ssize_t pty_master_write(struct pty *pty, const u8 *buf, size_t count, bool nonblock);
bool pty_master_readable(struct pty *pty);
bool pty_master_writable(struct pty *pty);
bool pty_slave_is_closed(struct pty *pty);
/* A status for packet mode waits: POLLPRI. */
bool pty_has_packet_status(const struct pty *pty);
int pty_master_ioctl(struct pty *pty, unsigned cmd, unsigned long arg);
