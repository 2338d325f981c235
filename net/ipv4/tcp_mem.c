/*
 * The memory of all TCP connections together: net.ipv4.tcp_mem, tcp(7).
 *
 * A segment of data is charged from before its allocation until it is freed, wherever it is: in a
 * backlog, at the receiver, or returning as an acknowledgement. Segments without data are not
 * charged: each connection has at most two.
 *
 * Three limits, in pages. Above the third nobody gets memory. Between the second and the third, and
 * then until the first is reached, memory is under pressure: a connection gets no more than its
 * share of the third limit, so that many small connections go on beside a few large ones.
 */
#include "fs/proc/proc_fs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/irq/softirq.h"
#include "kernel/mm/page_alloc.h"
#include "net/ipv4/tcp.h"

/* A connection with fewer bytes under way sends under pressure, too: net.ipv4.tcp_wmem. */
#define TCP_WMEM_MIN 4096U

enum { MEM_EASY, MEM_PRESSURE, MEM_MAX };

static int tcp_mem[3];                   /* a torn read is harmless */
static bool under_pressure;              /* the same */
static atomic64_t tcp_memory_allocated;  /* bytes */
static atomic64_t tcp_sockets_allocated; /* sockets of TCP, with a file or without */
/*
 * Connections that were refused memory. A release of memory wakes whoever waits at their sockets.
 */
static DEFINE_SPINLOCK(refused_lock);
static LIST_HEAD(refused); /* [refused_lock] of tcp_sock.refused; read without it */

static s64 pages(s64 bytes)
{
	return (bytes + (s64)PAGE_SIZE - 1) / (s64)PAGE_SIZE;
}

long tcp_memory_pages(void)
{
	return pages(atomic64_read(&tcp_memory_allocated));
}

long tcp_sockets_count(void)
{
	return atomic64_read(&tcp_sockets_allocated);
}

void tcp_count_socket(int n)
{
	atomic64_add(n, &tcp_sockets_allocated);
}

/* Does the connection get memory if all connections then have `used` bytes? */
static bool may_use(const struct tcp_sock *tp, s64 used)
{
	s64 max = READ_ONCE(tcp_mem[MEM_MAX]), own;

	used = pages(used);
	if (likely(used <= READ_ONCE(tcp_mem[MEM_EASY]))) {
		if (unlikely(READ_ONCE(under_pressure)))
			WRITE_ONCE(under_pressure, false);
		return true;
	}
	if (used > max)
		return false;
	if (used > READ_ONCE(tcp_mem[MEM_PRESSURE]))
		WRITE_ONCE(under_pressure, true);
	if (!READ_ONCE(under_pressure) || READ_ONCE(tp->wmem) < TCP_WMEM_MIN)
		return true;
	own = pages((s64)(READ_ONCE(tp->wmem) + READ_ONCE(tp->sk.rmem)));
	return own * tcp_sockets_count() < max;
}

/* Before its last attempt: a release that comes after the attempt wakes the connection. */
static void add_refused(struct tcp_sock *tp)
{
	spin_lock_bh(&refused_lock);
	if (list_empty(&tp->refused))
		list_add_tail(&tp->refused, &refused);
	spin_unlock_bh(&refused_lock);
	smp_mb(); /* tcp_uncharge() adds before it looks at the list */
}

static void wake_refused(void)
{
	spin_lock_bh(&refused_lock);
	while (!list_empty(&refused)) {
		struct tcp_sock *tp = list_first_entry(&refused, struct tcp_sock, refused);

		list_del_init(&tp->refused);
		wake_up_all(&tp->sk.sock.wait);
	}
	spin_unlock_bh(&refused_lock);
}

void tcp_forget_refused(struct tcp_sock *tp)
{
	spin_lock_bh(&refused_lock);
	list_del_init(&tp->refused);
	spin_unlock_bh(&refused_lock);
}

static bool try_charge(const struct tcp_sock *tp, unsigned size)
{
	s64 used = atomic64_read(&tcp_memory_allocated), found;

	while (may_use(tp, used + size)) {
		found = atomic64_cmpxchg(&tcp_memory_allocated, used, used + size);
		if (found == used)
			return true;
		used = found;
	}
	return false;
}

bool tcp_charge(struct tcp_sock *tp, unsigned size)
{
	if (likely(try_charge(tp, size)))
		return true;
	add_refused(tp);
	return try_charge(tp, size);
}

void tcp_uncharge(unsigned size)
{
	atomic64_add(-(s64)size, &tcp_memory_allocated);
	if (unlikely(!list_empty(&refused)))
		wake_refused();
}

/* For the largest segment: a program that is told that it can send must not be refused. */
static bool has_memory(const struct tcp_sock *tp)
{
	return may_use(tp, atomic64_read(&tcp_memory_allocated) + TCP_TRUESIZE(TCP_PIECE));
}

bool tcp_poll_memory(struct tcp_sock *tp)
{
	if (likely(has_memory(tp)))
		return true;
	add_refused(tp);
	return has_memory(tp);
}

/* ---- net.ipv4.tcp_mem ---- */

/* Linux ignores a write with a negative number, too. */
static int proc_tcp_mem(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	int values[ARRAY_SIZE(tcp_mem)];
	struct ctl_table local = { .data = values, .maxlen = sizeof(values) };
	int err;

	(void)table;
	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = READ_ONCE(tcp_mem[i]);
	err = proc_dointvec(&local, write, buf, size);
	if (err || !write)
		return err;
	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		if (values[i] < 0)
			return 0;
	for (unsigned i = 0; i < ARRAY_SIZE(values); i++)
		WRITE_ONCE(tcp_mem[i], values[i]);
	wake_refused();
	return 0;
}

SYSCTL(tcp_mem, "net/ipv4", "tcp_mem", 0644, proc_tcp_mem);

/* Linux's defaults: 3/64, 4/64 and 6/64 of the free memory. */
static int __init tcp_mem_init(void)
{
	struct meminfo info;
	int part;

	si_meminfo(&info);
	part = max((int)(info.free / PAGE_SIZE / 64), 32);
	tcp_mem[MEM_EASY] = 3 * part;
	tcp_mem[MEM_PRESSURE] = 4 * part;
	tcp_mem[MEM_MAX] = 6 * part;
	return 0;
}
late_initcall(tcp_mem_init);
