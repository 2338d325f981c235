/* The lock-free ring of kernel messages. printk_ringbuffer.h describes it. */
#include "kernel/printk/printk_ringbuffer.h"
#include "kernel/lib/string.h"

static u64 slot_writing(u64 seq)
{
	return (seq + 1) * 2;
}

static struct prb_slot *slot_of(struct printk_ringbuffer *rb, u64 seq)
{
	return &rb->slots[seq % PRB_SLOTS];
}

/* The state of a slot that is ready for number seq: its previous number is committed. */
static u64 slot_ready_for(u64 seq)
{
	return seq < PRB_SLOTS ? 0 : slot_committed(seq - PRB_SLOTS);
}

u64 prb_next_seq(const struct printk_ringbuffer *rb)
{
	return __atomic_load_n(&rb->next, __ATOMIC_ACQUIRE);
}

u64 prb_first_seq(const struct printk_ringbuffer *rb)
{
	u64 next = prb_next_seq(rb);

	return next > PRB_SLOTS ? next - PRB_SLOTS : 0;
}

/*
 * Takes n successive numbers. False: a CPU still writes the previous contents of one of these
 * slots.
 */
static bool prb_reserve(struct printk_ringbuffer *rb, unsigned n, u64 *first)
{
	u64 seq = prb_next_seq(rb);

	for (;;) {
		u64 found;
		unsigned i;

		for (i = 0; i < n; i++)
			if (__atomic_load_n(&slot_of(rb, seq + i)->state, __ATOMIC_ACQUIRE) !=
			    slot_ready_for(seq + i))
				break;
		if (i < n) {
			/*
			 * Either other CPUs have taken numbers since next was read, or a slot is
			 * really busy.
			 */
			found = prb_next_seq(rb);
			if (found == seq)
				return false;
			seq = found;
			continue;
		}
		found = cmpxchg(&rb->next, seq, seq + n);
		if (found == seq) {
			*first = seq;
			return true;
		}
		seq = found;
	}
}

bool prb_write(struct printk_ringbuffer *rb, unsigned prio, u64 ts_nsec, unsigned cpu,
	       const char *text, size_t len)
{
	unsigned n = len ? (unsigned)DIV_ROUND_UP(len, PRB_SLOT_TEXT) : 1;
	u64 seq;

	if (!prb_reserve(rb, n, &seq)) {
		__atomic_fetch_add(&rb->dropped, 1, __ATOMIC_RELAXED);
		return false;
	}
	for (unsigned i = 0; i < n; i++)
		__atomic_store_n(&slot_of(rb, seq + i)->state, slot_writing(seq + i),
				 __ATOMIC_RELAXED);
	smp_mb(); /* readers see the state "being written" before any byte of the new text */
	/* Commits the first slot last. So when a reader finds it committed, all slots are. */
	for (unsigned i = n; i-- > 0;) {
		struct prb_slot *slot = slot_of(rb, seq + i);

		slot->ts_nsec = ts_nsec;
		slot->text_len = (u16)len;
		slot->part = (u16)i;
		slot->prio = (u16)prio;
		slot->cpu = (u16)cpu;
		memcpy(slot->text, text + i * PRB_SLOT_TEXT,
		       min((size_t)PRB_SLOT_TEXT, len - i * PRB_SLOT_TEXT));
		smp_store_release(&slot->state, slot_committed(seq + i));
	}
	return true;
}

enum prb_result prb_read(const struct printk_ringbuffer *rb, u64 seq, struct printk_record *r)
{
	const struct prb_slot *slot = &rb->slots[seq % PRB_SLOTS];
	u64 state = smp_load_acquire(&slot->state);
	unsigned n, part;

	if (state > slot_committed(seq))
		return PRB_LOST;
	if (state != slot_committed(seq))
		return PRB_EMPTY;
	part = slot->part;
	r->seq = seq;
	r->ts_nsec = slot->ts_nsec;
	r->prio = slot->prio;
	r->cpu = slot->cpu;
	r->len = min((size_t)slot->text_len, (size_t)PRB_TEXT_MAX);
	n = r->len ? (unsigned)DIV_ROUND_UP(r->len, PRB_SLOT_TEXT) : 1;
	r->next_seq = seq + n;
	if (!part)
		for (unsigned i = 0; i < n; i++)
			memcpy(r->text + i * PRB_SLOT_TEXT, rb->slots[(seq + i) % PRB_SLOTS].text,
			       min((size_t)PRB_SLOT_TEXT, r->len - i * PRB_SLOT_TEXT));
	smp_mb(); /* copies before it reads the states again */
	for (unsigned i = 0; i < (part ? 1 : n); i++)
		if (READ_ONCE(rb->slots[(seq + i) % PRB_SLOTS].state) != slot_committed(seq + i))
			return PRB_LOST;
	return part ? PRB_PARTIAL : PRB_OK;
}

bool prb_read_next(const struct printk_ringbuffer *rb, u64 *seq, struct printk_record *r, u64 *lost)
{
	u64 skipped = 0;
	bool ok = false;

	for (;;) {
		enum prb_result result = prb_read(rb, *seq, r);

		if (result == PRB_LOST) {
			u64 first = prb_first_seq(rb);

			/*
			 * A slot that is being overwritten is lost, too. So this skips at least
			 * one.
			 */
			first = max(first, *seq + 1);
			skipped += first - *seq;
			*seq = first;
		} else if (result == PRB_PARTIAL) {
			skipped++;
			++*seq;
		} else {
			ok = result == PRB_OK;
			break;
		}
	}
	if (lost)
		*lost += skipped;
	return ok;
}
