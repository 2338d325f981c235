/*
 * printk: stores messages in the ring, and feeds the console from the ring.
 *
 * printk() formats into a buffer of its CPU (one for NMIs, one for all other contexts), and commits
 * whole lines to the lock-free ring. This works in any context. Then it kicks the console driver:
 * in normal operation the driver enables the transmit interrupt; during boot, oops and panic it
 * sends the text at once.
 *
 * The driver takes the bytes one by one with console_next_char(), under its port lock. A CPU that
 * finds the lock taken returns, because the holder looks for new messages after it has released the
 * lock. If the console falls far behind, printk() itself sends (console_throttle). So no message is
 * lost, except in a storm of NMIs.
 */
#include "arch/cpu/irqflags.h"
#include "kernel/errno.h"
#include "kernel/export.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/preempt.h"
#include "kernel/printk/printk.h"
#include "kernel/printk/printk_events.h"
#include "kernel/printk/printk_ringbuffer.h"
#include "kernel/time/ktime.h"

BUILD_BUG_ON(PRINTK_TEXT_MAX != PRB_TEXT_MAX);

#define PREFIX_MAX 48 /* bytes before the text of a line: "[    1.234567] " */

int console_loglevel = 7;
int default_message_loglevel = 4;
int minimum_console_loglevel = 1;
int default_console_loglevel = 7;

const struct kmsg_reader_hooks *kmsg_reader_hooks __ro_after_init;
DEFINE_LINKER_TABLE(rodata, const struct console, consoles);

static struct printk_ringbuffer prb;
static atomic_t oops_in_progress; /* bust_spinlocks() depth */
static bool panic_mode;           /* set by console_flush_on_panic(), and never cleared */
static bool klogd_wake;           /* [A] a message has come since the last wake_up_klogd() */

/*
 * The buffers of one CPU, used with interrupts off. [0] is for NMIs, [1] for all other contexts.
 * cont holds a line without a newline, until the rest of the line comes.
 */
struct printk_context {
	char text[2 + PRB_TEXT_MAX + 2]; /* with the level, a newline and a NUL */
	char cont[PRB_TEXT_MAX];
	size_t cont_len;
	unsigned cont_prio;
	u64 cont_ts;
};

static DEFINE_PER_CPU(struct printk_context, printk_contexts[2]);

/* The line that the console sends: [port lock] of the console. seq is also read without it. */
static struct {
	u64 seq;
	u64 lost;
	size_t pos, len;
	struct printk_record record;
	char line[PREFIX_MAX + PRB_TEXT_MAX + 2];
} con;

static int __init loglevel_setup(const char *value)
{
	int level = 0;

	if (!value || *value < '0' || *value > '9')
		return -EINVAL;
	while (*value >= '0' && *value <= '9' && level < 100)
		level = level * 10 + (*value++ - '0');
	console_loglevel = max(level, minimum_console_loglevel);
	return 0;
}
__setup("loglevel", loglevel_setup);

static int __init quiet_setup(const char *value __unused)
{
	console_loglevel = 4;
	return 0;
}
__setup("quiet", quiet_setup);

static int __init debug_setup(const char *value __unused)
{
	console_loglevel = 10;
	return 0;
}
__setup("debug", debug_setup);

/* ---- writing ---- */

static void cont_flush(struct printk_context *ctx)
{
	if (ctx->cont_len)
		prb_write(&prb, ctx->cont_prio, ctx->cont_ts, smp_processor_id(), ctx->cont,
			  ctx->cont_len);
	ctx->cont_len = 0;
}

static void cont_add(struct printk_context *ctx, unsigned prio, u64 ts, const char *s, size_t len)
{
	if (ctx->cont_len + len > sizeof(ctx->cont))
		cont_flush(ctx);
	if (!ctx->cont_len) {
		ctx->cont_prio = prio;
		ctx->cont_ts = ts;
	}
	len = min(len, sizeof(ctx->cont));
	memcpy(ctx->cont + ctx->cont_len, s, len);
	ctx->cont_len += len;
}

/*
 * Takes the level off the front of *text, if it has one. KERN_CONT: true; else stores the level in
 * *prio.
 */
static bool take_level(const char **text, unsigned *prio)
{
	const char *s = *text;

	if (s[0] != KERN_CONT[0] || !s[1])
		return false;
	*text += 2;
	if (s[1] >= '0' && s[1] <= '7')
		*prio = LOG_PRIO(0U, s[1] - '0');
	return s[1] == KERN_CONT[1];
}

/*
 * Stores the text line by line. Text behind the last newline waits in ctx->cont for the rest of its
 * line.
 */
static void printk_store(struct printk_context *ctx, unsigned prio, u64 ts, const char *s)
{
	while (*s) {
		const char *end = strchr(s, '\n');

		if (!end) {
			cont_add(ctx, prio, ts, s, strlen(s));
			break;
		}
		if (ctx->cont_len) {
			cont_add(ctx, prio, ts, s, (size_t)(end - s));
			cont_flush(ctx);
		} else {
			prb_write(&prb, prio, ts, smp_processor_id(), s,
				  min((size_t)(end - s), (size_t)PRB_TEXT_MAX));
		}
		s = end + 1;
	}
}

static void console_kick(bool sync)
{
	for_each_linker_table_entry (console, consoles)
		console->kick(sync);
}

/* False: no console can be drained by this CPU. */
static bool console_drain(void)
{
	bool drained = false;

	for_each_linker_table_entry (console, consoles)
		drained |= console->drain();
	return drained;
}

static bool console_synchronous(void)
{
	return atomic_read(&oops_in_progress) || READ_ONCE(panic_mode);
}

/*
 * If the console is far behind, sends a part of the messages. Waiting for the port lock cannot
 * deadlock, because its holder waits for no other lock (it is a leaf). But an NMI may have
 * interrupted the holder. So an NMI does not wait.
 */
static void console_throttle(void)
{
	while (console_backlog() > PRB_SLOTS / 2 && !in_nmi())
		if (!console_drain())
			break;
}

/* levels: the text may begin with a level, which then is the priority. */
static int vprintk_emit(bool levels, unsigned prio, const char *fmt, va_list args)
{
	const struct kmsg_reader_hooks *readers;
	struct printk_context *ctx;
	const char *text;
	unsigned long flags;
	u64 ts = ktime_get();
	int len;

	local_irq_save(flags);
	ctx = this_cpu_ptr(&printk_contexts[in_nmi() ? 0 : 1]);
	len = vsnprintf(ctx->text, sizeof(ctx->text), fmt, args);
	if ((size_t)len >= sizeof(ctx->text)) /* The text was cut, with its newline. */
		ctx->text[sizeof(ctx->text) - 2] = '\n';
	text = ctx->text;
	if (!levels || !take_level(&text, &prio))
		cont_flush(ctx);
	printk_store(ctx, prio, ts, text);
	trace_console(text, strlen(text));
	local_irq_restore(flags);

	/*
	 * Commits the record before it looks for readers. A reader queues itself before it looks
	 * for records. So one of the two sees the other.
	 */
	smp_mb();
	readers = READ_ONCE(kmsg_reader_hooks);
	if (readers && readers->waiting())
		WRITE_ONCE(klogd_wake, true);
	console_kick(console_synchronous());
	console_throttle();
	return len;
}

int vprintk(const char *fmt, va_list args)
{
	return vprintk_emit(true, LOG_PRIO(0U, default_message_loglevel), fmt, args);
}
EXPORT_SYMBOL(vprintk);

int printk(const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vprintk(fmt, args);
	va_end(args);
	return len;
}
EXPORT_SYMBOL(printk);

int printk_emit(unsigned prio, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vprintk_emit(false, prio, fmt, args);
	va_end(args);
	return len;
}

void wake_up_klogd(void)
{
	if (READ_ONCE(klogd_wake) && xchg(&klogd_wake, false))
		kmsg_reader_hooks->wake();
}

/* ---- to the console ---- */

static size_t format_stamp(char *buf, size_t size, u64 ts_nsec)
{
	u64 usec = ts_nsec / NSEC_PER_USEC;

	return (size_t)snprintf(buf, size, "[%5llu.%06llu] ", (unsigned long long)(usec / 1000000),
				(unsigned long long)(usec % 1000000));
}

/*
 * An oops may interrupt the making of a line at any instruction, and then sends lines of its own.
 * So until the line is complete there is no line: con.pos is not below con.len.
 */
static void console_begin_line(void)
{
	WRITE_ONCE(con.len, 0);
	barrier();
}

static void console_end_line(size_t len, u64 seq)
{
	barrier();
	WRITE_ONCE(con.pos, 0);
	WRITE_ONCE(con.len, len);
	WRITE_ONCE(con.seq, seq);
}

/* The line of the first lost messages, or of a record. Returns its length. */
static size_t console_format(const struct printk_record *r)
{
	size_t len;

	if (con.lost)
		return (size_t)snprintf(con.line, sizeof(con.line),
					"** %llu printk messages dropped **\r\n",
					(unsigned long long)con.lost);
	len = format_stamp(con.line, PREFIX_MAX, r->ts_nsec);
	memcpy(con.line + len, r->text, r->len);
	len += r->len;
	con.line[len++] = '\r';
	con.line[len++] = '\n';
	return len;
}

static bool console_load_line(void)
{
	u64 seq = con.seq;

	console_begin_line();

	while (prb_read_next(&prb, &seq, &con.record, &con.lost)) {
		struct printk_record *r = &con.record;

		if (con.lost) {
			/* Sends this line first. The next call reads the record again. */
			console_end_line(console_format(r), seq);
			con.lost = 0;
			return true;
		}
		seq = r->next_seq;
		if (LOG_LEVEL(r->prio) >= console_loglevel)
			continue;
		console_end_line(console_format(r), seq);
		return true;
	}
	WRITE_ONCE(con.seq, seq);
	return false;
}

static bool console_in_line(void)
{
	return READ_ONCE(con.pos) < READ_ONCE(con.len);
}

u64 console_backlog(void)
{
	u64 next = prb_next_seq(&prb), seq = READ_ONCE(con.seq);

	return next > seq ? next - seq : 0;
}

/*
 * Ignores a record that a CPU is still writing: this CPU kicks the console when it has committed
 * it.
 */
bool console_pending(void)
{
	return console_in_line() || kmsg_readable(READ_ONCE(con.seq));
}

int console_next_char(void)
{
	if (!console_in_line() && !console_load_line())
		return -1;
	return (unsigned char)con.line[con.pos++];
}

void console_repeat_line(void)
{
	con.pos = 0;
}

void bust_spinlocks(bool on)
{
	if (on) {
		atomic_inc(&oops_in_progress);
		return;
	}
	if (atomic_dec_and_test(&oops_in_progress))
		console_kick(false);
}

bool console_flush(void)
{
	bool flushed = false;

	for_each_linker_table_entry (console, consoles)
		flushed |= console->flush();
	return flushed;
}

/* Skips records that are not committed: the CPU that wrote them has been stopped in between. */
static void console_skip_unfinished(void)
{
	while (console_backlog() && !console_pending()) {
		con.lost++;
		con.seq++;
	}
}

void console_flush_on_panic(void)
{
	unsigned cpu;

	WRITE_ONCE(panic_mode, true);
	for_each_possible_cpu (cpu) {
		cont_flush(&per_cpu_ptr(&printk_contexts[0], cpu)[0]);
		cont_flush(&per_cpu_ptr(&printk_contexts[0], cpu)[1]);
	}
	for_each_linker_table_entry (console, consoles)
		console->bust_lock();
	while (console_flush() && console_backlog())
		console_skip_unfinished();
}

/* ---- to readers ---- */

bool kmsg_readable(u64 seq)
{
	return prb_readable(&prb, seq);
}

u64 kmsg_first_seq(void)
{
	return prb_first_seq(&prb);
}

u64 kmsg_next_seq(void)
{
	return prb_next_seq(&prb);
}

u64 printk_dropped(void)
{
	return READ_ONCE(prb.dropped);
}

int kmsg_read_next(u64 *seq, struct printk_record *r)
{
	u64 next = *seq, lost = 0;
	bool found = prb_read_next(&prb, &next, r, &lost);

	*seq = next;
	if (lost)
		return -EPIPE;
	return found;
}

size_t kmsg_read_line(u64 *seq, char *buf)
{
	struct printk_record r;
	size_t n;
	int found;

	do
		found = kmsg_read_next(seq, &r);
	while (found < 0);
	if (!found)
		return 0;
	*seq = r.next_seq;
	n = (size_t)snprintf(buf, PREFIX_MAX, "<%u>", r.prio);
	n += format_stamp(buf + n, PREFIX_MAX, r.ts_nsec);
	memcpy(buf + n, r.text, r.len);
	buf[n + r.len] = '\n';
	return n + r.len + 1;
}
