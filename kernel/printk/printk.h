/* Kernel messages: a ring for dmesg, and the console. */
#pragma once

#include "kernel/compiler.h"

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
	"c" /* goes on with this CPU's last line */

/*
 * Format a message into the ring with a level and a time stamp, and have the console print it if
 * its level is below console_loglevel. Any context, NMI included. A line is never mixed with
 * another's. Formats: kernel/lib/vsprintf.h (%pS symbol+offset, %ps symbol).
 */
__printf(1, 2) int printk(const char *fmt, ...);
int vprintk(const char *fmt, va_list args);

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

extern int console_loglevel; /* messages with a smaller level number are printed: 7 by default */
extern int default_message_loglevel; /* for printk without a level: 4 */
extern int minimum_console_loglevel, default_console_loglevel;

/*
 * Panic, after the other CPUs have been stopped: take the console from whoever holds it, and write
 * all that is pending, polling. Every later message is written the same way, at once. Any context.
 */
void console_flush_on_panic(void);
/*
 * true: an oops is being reported; messages are written at once, by polling, while the console is
 * free (its holder writes them otherwise). false takes one true back. Any context.
 */
void bust_spinlocks(bool on);
/* Write what is pending, kernel messages and terminal output, by polling, and return when the UART
 * is empty. */
void console_flush(void);

/*
 * Read records, each `<level>[seconds.micros] text\n`, from *seq on; *seq advances past what was
 * read, and jumps forward over what was overwritten. Bytes, or 0 when there is no more. Any context
 * but NMI.
 */
size_t kmsg_read(u64 *seq, char *buf, size_t size);
/*
 * One record in the format of Linux's /dev/kmsg, `prio,seq,micros,-;text\n`
 * (Documentation/ABI/testing/dev-kmsg). Bytes; 0 when there is no more; -EPIPE when *seq was
 * overwritten (it now is the first that is left); -EINVAL when it does not fit.
 */
ssize_t kmsg_read_record(u64 *seq, char *buf, size_t size);
u64 kmsg_first_seq(void);
u64 kmsg_next_seq(void);
/* Messages that found no room in the ring, and slots of it that the console had to skip. */
u64 printk_dropped(void);
/* A reader of /dev/kmsg sleeps here. */
struct wait_queue_head;
extern struct wait_queue_head log_wait;

/*
 * The console driver's side (kernel/console). console_pending: a byte waits for the console.
 * console_next_char: that byte, or -1; the caller holds the console's port lock. console_in_line: a
 * line has been begun and not ended. console_backlog: slots of the ring not yet written.
 */
bool console_pending(void);
int console_next_char(void);
bool console_in_line(void);
u64 console_backlog(void);
#define CONSOLE_BACKLOG_HIGH                                                                       \
	512 /* slots: from here on kernel messages go first, even within a line */
/* Wake /dev/kmsg readers if a message came since. Hardirq context or task context; no lock held. */
void wake_up_klogd(void);
bool klogd_wake_pending(void);
