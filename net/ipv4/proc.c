/* /proc/net/udp, icmp, raw, tcp, sockstat, dev and route. The formats are Linux's. */
#include "fs/proc/proc_fs.h"
#include "kernel/init.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/tcp.h"

/* ---- tables of sockets ---- */

/* What one file shows. private_data of its seq_file is not used: each file has its operations. */
static void *table_start(struct inet_table *table, loff_t pos)
{
	return pos ? inet_table_nth(table, (u64)pos - 1) : SEQ_START_TOKEN;
}

static void table_stop(struct seq_file *m, void *v)
{
	(void)m;
	if (v && v != SEQ_START_TOKEN)
		sock_put(v);
}

static void *table_next(struct seq_file *m, struct inet_table *table, void *v, loff_t pos)
{
	struct sock *next;

	if (v == SEQ_START_TOKEN)
		return inet_table_nth(table, 0);
	next = inet_table_next(table, v, (u64)pos - 1);
	table_stop(m, v);
	return next;
}

#define HEADING                                                                                    \
	"sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  "        \
	"timeout "                                                                                 \
	"inode ref pointer drops"

/* number: width of the first column; width: of a line; 0: as long as it is. */
static int dgram_show(struct seq_file *m, struct sock *sk, int number, int width)
{
	char line[160];

	spin_lock_bh(&sk->lock);
	snprintf(line, sizeof(line),
		 "%*d: %08X:%04X %08X:%04X %02X %08X:%08X %02X:%08lX %08X %5u %8d %lu %d %016lx %u",
		 number, sk->num & ((1 << INET_HASH_BITS) - 1), sk->rcv_saddr, sk->num, sk->daddr,
		 ntohs(sk->dport), sk->state, 0, (unsigned)sk->rmem, 0, 0UL, 0, sk->uid, 0, sk->ino,
		 atomic_read(&sk->refs), 0UL, sk->drops);
	spin_unlock_bh(&sk->lock);
	seq_printf(m, "%-*s\n", width, line);
	return 0;
}

static int udp_show(struct seq_file *m, void *v)
{
	if (v != SEQ_START_TOKEN)
		return dgram_show(m, v, 5, 127);
	seq_printf(m, "%-127s\n", "   " HEADING);
	return 0;
}

static int icmp_show(struct seq_file *m, void *v)
{
	if (v != SEQ_START_TOKEN)
		return dgram_show(m, v, 5, 127);
	seq_printf(m, "%-127s\n", "  " HEADING);
	return 0;
}

static int raw_show(struct seq_file *m, void *v)
{
	if (v != SEQ_START_TOKEN)
		return dgram_show(m, v, 4, 0);
	seq_puts(m, "  " HEADING "\n");
	return 0;
}

/* Order, timers and windows are not kept: nothing is sent twice. */
static int tcp_show(struct seq_file *m, void *v)
{
	static const char heading[] = "  sl  local_address rem_address   st tx_queue rx_queue tr "
				      "tm->when retrnsmt   uid  "
				      "timeout inode";
	struct tcp_sock *tp = v;
	struct sock *sk = v;
	char line[150];

	if (v == SEQ_START_TOKEN) {
		seq_printf(m, "%-149s\n", heading);
		return 0;
	}
	spin_lock_bh(&sk->lock);
	snprintf(line, sizeof(line),
		 "%4lu: %08X:%04X %08X:%04X %02X %08X:%08X %02X:%08lX %08X %5u %8d %lu %d %016lx "
		 "%d 0 0 10 0",
		 m->index - 1, sk->rcv_saddr, sk->num, sk->daddr, ntohs(sk->dport), sk->state, 0,
		 sk->state == TCP_LISTEN ? tp->qlen : (unsigned)tp->rcv_bytes, 0, 0UL, 0, sk->uid,
		 0, sk->ino, atomic_read(&sk->refs), 0UL, 100);
	spin_unlock_bh(&sk->lock);
	seq_printf(m, "%-149s\n", line);
	return 0;
}

#define TABLE_FILE(name, prot, show_fn)                                                            \
	static void *name##_seq_start(struct seq_file *m, loff_t *pos)                             \
	{                                                                                          \
		(void)m;                                                                           \
		return table_start((prot).table, *pos);                                            \
	}                                                                                          \
	static void *name##_seq_next(struct seq_file *m, void *v, loff_t *pos)                     \
	{                                                                                          \
		return table_next(m, (prot).table, v, ++*pos);                                     \
	}                                                                                          \
	static const struct seq_operations name##_sops = {                                         \
		.start = name##_seq_start,                                                         \
		.next = name##_seq_next,                                                           \
		.stop = table_stop,                                                                \
		.show = show_fn,                                                                   \
	};                                                                                         \
	DEFINE_SEQ_ATTRIBUTE(name)

TABLE_FILE(udp, udp_prot, udp_show);
TABLE_FILE(icmp, ping_prot, icmp_show);
TABLE_FILE(raw, raw_prot, raw_show);
TABLE_FILE(tcp, tcp_prot, tcp_show);

/* ---- sums ---- */

struct socket_sums {
	unsigned inuse, orphan, tw;
	size_t pages; /* of packets that wait */
};

static void add_socket(struct socket_sums *sums, struct sock *sk)
{
	spin_lock_bh(&sk->lock);
	if (sk->state == TCP_TIME_WAIT || (sk->state == TCP_FIN_WAIT2 && sk->dead)) {
		sums->tw++;
	} else {
		sums->inuse++;
		sums->orphan += sk->dead;
	}
	sums->pages += (sk->rmem + PAGE_SIZE - 1) / PAGE_SIZE;
	spin_unlock_bh(&sk->lock);
}

static struct socket_sums sum_sockets(struct inet_table *table)
{
	struct sock *sk = inet_table_nth(table, 0), *next;
	struct socket_sums sums = { 0 };

	for (u64 pos = 1; sk; pos++) {
		add_socket(&sums, sk);
		next = inet_table_next(table, sk, pos);
		sock_put(sk);
		sk = next;
	}
	return sums;
}

/* There are no fragments, and no UDP-Lite. */
static int sockstat_show(struct seq_file *m, void *v)
{
	struct socket_sums tcp = sum_sockets(tcp_prot.table), udp = sum_sockets(udp_prot.table);

	(void)v;
	seq_printf(m, "sockets: used %d\n", sockets_used());
	seq_printf(m, "TCP: inuse %u orphan %u tw %u alloc %ld mem %ld\n", tcp.inuse, tcp.orphan,
		   tcp.tw, tcp_sockets_count() - tcp.tw, tcp_memory_pages());
	seq_printf(m, "UDP: inuse %u mem %lu\n", udp.inuse, udp.pages);
	seq_puts(m, "UDPLITE: inuse 0\n");
	seq_printf(m, "RAW: inuse %u\n", sum_sockets(raw_prot.table).inuse);
	seq_puts(m, "FRAG: inuse 0 memory 0\n");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sockstat);

/* ---- devices and routes ---- */

static int dev_show(struct seq_file *m, void *v)
{
	struct net_device_stats s;

	(void)v;
	dev_get_stats(&s);
	seq_puts(m, "Inter-|   Receive                                                |  Transmit\n"
		    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    "
		    "packets errs drop fifo colls carrier compressed\n");
	seq_printf(m,
		   "%6s: %7lu %7lu %4lu %4lu %4lu %5lu %10lu %9lu %8lu %7lu %4lu %4lu %4lu %5lu "
		   "%7lu %10lu\n",
		   loopback_dev.name, s.bytes, s.packets, 0UL, s.dropped, 0UL, 0UL, 0UL, 0UL,
		   s.bytes, s.packets, 0UL, 0UL, 0UL, 0UL, 0UL, 0UL);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(dev);

/* The main table of routes: that of local addresses is another one, so lo has no line here. */
static int route_show(struct seq_file *m, void *v)
{
	(void)v;
	seq_printf(m, "%-127s\n",
		   "Iface\tDestination\tGateway "
		   "\tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(route);

static int __init inet_proc_init(void)
{
	if (!proc_create("udp", 0444, proc_net, &udp_fops) ||
	    !proc_create("icmp", 0444, proc_net, &icmp_fops) ||
	    !proc_create("raw", 0444, proc_net, &raw_fops) ||
	    !proc_create("tcp", 0444, proc_net, &tcp_fops) ||
	    !proc_create("sockstat", 0444, proc_net, &sockstat_fops) ||
	    !proc_create("dev", 0444, proc_net, &dev_fops) ||
	    !proc_create("route", 0444, proc_net, &route_fops))
		return -ENOMEM;
	return 0;
}
late_initcall(inet_proc_init);
