/* The device lo, and the way of a packet through it. See dev.h. */
#include "net/core/dev.h"

#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "kernel/smp.h"
#include "net/core/net_events.h"
#include "net/ipv4/devinet.h"
#include "net/ipv4/ip.h"

#define MAX_BACKLOG 1000 /* net.core.netdev_max_backlog */
#define BUDGET      64   /* packets in one run of the softirq */

/* Only the CPU itself uses its own, with softirqs off. */
struct softnet_data {
	struct list_head backlog;
	unsigned len;
	struct net_device_stats stats;
};
static DEFINE_PER_CPU(struct softnet_data, softnet_data);

struct net_device loopback_dev = {
	.name = "lo",
	.ifindex = LOOPBACK_IFINDEX,
	.flags = IFF_LOOPBACK,
	.mtu = 65536,
	.tx_queue_len = 1000,
};
DEFINE_MUTEX(rtnl_mutex);

struct net_device *dev_get_by_name(const char *name)
{
	return strcmp(name, loopback_dev.name) ? NULL : &loopback_dev;
}

unsigned dev_get_flags(const struct net_device *dev)
{
	unsigned flags = READ_ONCE(dev->flags);

	return flags & IFF_UP ? flags | IFF_RUNNING : flags;
}

void dev_change_flags(struct net_device *dev, unsigned flags)
{
	unsigned changed = (dev->flags ^ flags) & IFF_CHANGEABLE;

	WRITE_ONCE(dev->flags, dev->flags ^ changed);
	if (changed & flags & IFF_UP)
		inetdev_up(dev);
}

int dev_set_mtu(struct net_device *dev, unsigned mtu)
{
	if ((int)mtu < 0)
		return -EINVAL;
	WRITE_ONCE(dev->mtu, mtu);
	return 0;
}

void dev_get_stats(struct net_device_stats *sum)
{
	unsigned cpu;

	*sum = (struct net_device_stats){ 0 };
	for_each_online_cpu (cpu) {
		const struct net_device_stats *s = &per_cpu(softnet_data, cpu).stats;

		sum->packets += READ_ONCE(s->packets);
		sum->bytes += READ_ONCE(s->bytes);
		sum->dropped += READ_ONCE(s->dropped);
	}
}

/* ---- sending ---- */

/*
 * The functions that are noinline here and in net/ipv4/ are the way of a packet, as a trace shows
 * it.
 */

/* Leaves the packet to the softirq of this CPU. Softirqs are off. */
static noinline void netif_rx(struct sk_buff *skb, bool may_drop)
{
	struct softnet_data *sd = this_cpu_ptr(&softnet_data);

	trace_netif_rx(skb);
	if (may_drop && sd->len >= MAX_BACKLOG) {
		sd->stats.dropped++;
		kfree_skb(skb);
		return;
	}
	list_add_tail(&skb->list, &sd->backlog);
	if (!sd->len++)
		raise_softirq(NET_RX_SOFTIRQ);
}

/* Ethernet would begin here. */
#define LOOPBACK_HEADER 14

static noinline void loopback_xmit(struct sk_buff *skb, bool may_drop)
{
	struct softnet_data *sd = this_cpu_ptr(&softnet_data);

	sd->stats.packets++;
	sd->stats.bytes += skb->len + LOOPBACK_HEADER;
	netif_rx(skb, may_drop);
}

void dev_queue_xmit(struct sk_buff *skb, bool may_drop)
{
	trace_net_dev_queue(skb);
	loopback_xmit(skb, may_drop);
}

/* ---- receiving ---- */

static noinline void netif_receive_skb(struct sk_buff *skb)
{
	trace_netif_receive_skb(skb);
	ip_rcv(skb);
}

/* Takes packets out of the backlog of this CPU. False: there are more. */
static noinline bool process_backlog(struct softnet_data *sd)
{
	for (unsigned n = 0; n < BUDGET; n++) {
		struct sk_buff *skb = list_first_entry_or_null(&sd->backlog, struct sk_buff, list);

		if (!skb)
			return true;
		list_del_init(&skb->list);
		sd->len--;
		netif_receive_skb(skb);
	}
	return !sd->len;
}

/* NET_RX_SOFTIRQ. */
static void net_rx_action(void)
{
	if (!process_backlog(this_cpu_ptr(&softnet_data)))
		raise_softirq(NET_RX_SOFTIRQ);
}

static int __init net_dev_init(void)
{
	unsigned cpu;

	for_each_online_cpu (cpu)
		INIT_LIST_HEAD(&per_cpu(softnet_data, cpu).backlog);
	open_softirq(NET_RX_SOFTIRQ, net_rx_action);
	return 0;
}
core_initcall(net_dev_init);
