/* Kernel messages: a ring for dmesg, and the console. */
#pragma once

#include "kernel/linker_table.h"

#define KERN_EMERG                                                                                 \
	"\001"                                                                                     \
	"0"
#define KERN_ALERT                                                                                 \
	"\001"                                                                                     \
	"1"
#define KERN_CRIT                                                                                  \
	"\001"                                                                                     \
	"2"
#define KERN_ERR                                                                                   \
	"\001"                                                                                     \
	"3"
#define KERN_WARNING                                                                               \
	"\001"                                                                                     \
	"4"
#define KERN_NOTICE                                                                                \
	"\001"                                                                                     \
	"5"
#define KERN_INFO                                                                                  \
	"\001"                                                                                     \
	"6"
#define KERN_DEBUG                                                                                 \
	"\001"                                                                                     \
	"7"
#define KERN_CONT                                                                                  \
	"\001"                                                                                     \
	"c" /* continues this CPU's last line */

/*
 * Formats a message, and stores it in the ring with a level and a time stamp. The console prints it
 * if its level is below console_loglevel. A line is never mixed with another line. A message longer
 * than PRINTK_TEXT_MAX bytes is cut. Formats: kernel/lib/vsprintf.h (%pS symbol+offset, %ps
 * symbol). Any context, NMI included.
 */
#define PRINTK_TEXT_MAX 1040
__printf(1, 2) int printk(const char *fmt, ...);
int vprintk(const char *fmt, va_list args);
/*
 * The same for a message of a program: the text has no level in front. prio is LOG_PRIO(). Any
 * context.
 */
__printf(2, 3) int printk_emit(unsigned prio, const char *fmt, ...);

/*
 * The priority of a message, as in syslog(3): the lowest three bits are the level, the eight bits
 * above them the facility, which tells the kind of program. The kernel is facility 0.
 */
#define LOG_PRIO(facility, level) ((facility) << 3 | ((unsigned)(level)&7))
#define LOG_FACILITY(prio)        ((unsigned)(prio) >> 3 & 0xff)
#define LOG_LEVEL(prio)           ((int)((prio)&7))
#define LOG_USER                  1U /* the facility of programs that name none */

#ifndef pr_fmt
#define pr_fmt(fmt) fmt
#endif
#define pr_emerg(fmt, ...)  printk(KERN_EMERG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_crit(fmt, ...)   printk(KERN_CRIT pr_fmt(fmt), ##__VA_ARGS__)
#define pr_err(fmt, ...)    printk(KERN_ERR pr_fmt(fmt), ##__VA_ARGS__)
#define pr_warn(fmt, ...)   printk(KERN_WARNING pr_fmt(fmt), ##__VA_ARGS__)
#define pr_notice(fmt, ...) printk(KERN_NOTICE pr_fmt(fmt), ##__VA_ARGS__)
#define pr_info(fmt, ...)   printk(KERN_INFO pr_fmt(fmt), ##__VA_ARGS__)
#define pr_debug(fmt, ...)  printk(KERN_DEBUG pr_fmt(fmt), ##__VA_ARGS__)
#define pr_cont(fmt, ...)   printk(KERN_CONT fmt, ##__VA_ARGS__)

extern int console_loglevel;         /* messages with a smaller level are printed; default: 7 */
extern int default_message_loglevel; /* of a printk() without a level: 4 */
extern int minimum_console_loglevel, default_console_loglevel;

/*
 * For a panic, after the other CPUs have been stopped: takes the console away from the CPU that
 * holds it, and writes all pending messages by polling. Every later message is written in the same
 * way, at once. Any context.
 */
void console_flush_on_panic(void);
/*
 * true: this CPU reports an oops. Messages are written at once, by polling, while the console is
 * free; else the holder of the console writes them. false: takes back one true. Any context.
 */
void bust_spinlocks(bool on);
/*
 * Writes all pending kernel messages and terminal output by polling. Returns when the console's
 * device has sent the last byte. False: the machine has no console.
 */
bool console_flush(void);

/*
 * Reads the record at *seq, in the format of Linux's /dev/kmsg, `prio,seq,micros,-;text\n`
 * (Documentation/ABI/testing/dev-kmsg), and moves *seq behind it. Bytes of the text that are not
 * printable ASCII, and backslashes, are shown as \xNN. Returns the number of bytes; 0:
 * no record yet; -EPIPE: the record is overwritten, and *seq is now the oldest record that is not;
 * -EINVAL: buf is too small. Any context but NMI.
 */
ssize_t kmsg_read_record(u64 *seq, char *buf, size_t size);
/*
 * Reads the record at *seq, or the oldest one if that is overwritten, as the line `<PRIO>[SECONDS]
 * TEXT\n`, and moves *seq behind it. buf has room for KMSG_LINE_MAX bytes. Returns the number of
 * bytes; 0: no record yet. Any context.
 */
#define KMSG_LINE_MAX (PRINTK_TEXT_MAX + 56)
size_t kmsg_read_line(u64 *seq, char *buf);
bool kmsg_readable(u64 seq); /* the record seq, or one behind it, can be read */
u64 kmsg_first_seq(void);
u64 kmsg_next_seq(void);
/* Bytes of text that the log keeps. */
#define KMSG_BUFFER_SIZE (2048 * 104)
/* The number of messages that found no room in the ring. */
u64 printk_dropped(void);
/*
 * Hooks of /dev/kmsg, NULL before it exists. waiting: true if a task waits for a record, any
 * context. wake: wakes all of them, any context but NMI.
 */
struct kmsg_reader_hooks {
	bool (*waiting)(void);
	void (*wake)(void);
};
extern const struct kmsg_reader_hooks *kmsg_reader_hooks;

/* ---- for the console driver ---- */

/*
 * A device that prints kernel messages. It works from the first message on, before any initcall:
 * so drivers add themselves to a linker table. All functions: any context.
 */
struct console {
	/* Starts sending the pending messages. sync: sends them before it returns, if it can. */
	void (*kick)(bool sync);
	/* Sends some of the pending messages by polling. False: this CPU cannot, now or ever. */
	bool (*drain)(void);
	/*
	 * Sends everything by polling, and waits until the device is empty; does nothing if this
	 * CPU holds the device already. False: the machine does not have the device.
	 */
	bool (*flush)(void);
	/* Panic: the holder of the device has been stopped, and will never release it. */
	void (*bust_lock)(void);
};
/* DEFINE_CONSOLE(name) = { … }; */
#define DEFINE_CONSOLE(name)                                                                       \
	static const struct console name LINKER_TABLE_ENTRY(rodata, consoles, #name)

/* True when a byte waits for the console. */
bool console_pending(void);
/* The next byte for the console, or -1. The console's port lock is held. */
int console_next_char(void);
/* The next byte is again the first one of the line of the last byte. Panic. */
void console_repeat_line(void);
/* The number of slots of the ring that the console has not written yet. */
u64 console_backlog(void);
/* Slots. With more of them, kernel messages go first, even in the middle of a terminal line. */
#define CONSOLE_BACKLOG_HIGH 512
/*
 * Wakes the readers of /dev/kmsg if a message came since the last call. Hardirq or task context, no
 * lock held.
 */
void wake_up_klogd(void);
