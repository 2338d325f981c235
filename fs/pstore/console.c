/*
 * What the console prints, in a zone. It is a console of printk() that needs no device: it takes
 * the lines of the log from the first one on, in any context, but never waits.
 */
#include "arch/cpu/irqflags.h"
#include "fs/pstore/internal.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/locking/spinlock.h"
#include "kernel/printk/printk.h"

static struct {
	spinlock_t lock; /* bare, and only tried */
	bool ready;      /* [A] */
	u64 seq;         /* [lock] the next record; also read without it */
	char line[KMSG_LINE_MAX];
} pcon;

/* pcon.lock held. */
static void copy_lines(void)
{
	u64 seq = pcon.seq;
	size_t length;

	while ((length = kmsg_read_line(&seq, pcon.line))) {
		char *text; /* behind "<6>", or "<14>" of a program */
		unsigned long prio = simple_strtoul(pcon.line + 1, &text, 10);

		text++;
		if (LOG_LEVEL(prio) < console_loglevel)
			persistent_ram_write(&ramoops_console, text,
					     length - (size_t)(text - pcon.line));
		WRITE_ONCE(pcon.seq, seq);
	}
}

static void pstore_console_kick(bool sync __unused)
{
	unsigned long flags;
	bool copied;

	if (!READ_ONCE(pcon.ready))
		return;
	/*
	 * A CPU that finds the lock taken returns: the holder looks again when it has released it.
	 */
	do {
		local_irq_save(flags);
		copied = raw_ticket_trylock(&pcon.lock);
		if (copied) {
			copy_lines();
			raw_ticket_unlock(&pcon.lock);
		}
		local_irq_restore(flags);
		smp_mb();
	} while (copied && kmsg_readable(READ_ONCE(pcon.seq)));
}

static bool pstore_console_drain(void)
{
	return false; /* it is never behind */
}

static void pstore_console_bust_lock(void)
{
	smp_store_release(&pcon.lock.value, 0);
}

DEFINE_CONSOLE(pstore_console) = {
	.kick = pstore_console_kick,
	.drain = pstore_console_drain,
	.flush = pstore_console_drain,
	.bust_lock = pstore_console_bust_lock,
};

void pstore_console_init(void)
{
	if (!ramoops_console.size)
		return;
	WRITE_ONCE(pcon.ready, true);
	pstore_console_kick(false);
}
