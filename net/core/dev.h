/*
 * Network devices. There is one, `lo`: what is sent on it comes in on it, through the backlog of
 * the CPU, in the softirq NET_RX.
 */
#pragma once

#include "arch/cpu/percpu.h"
#include "kernel/sched/mutex.h"
#include "net/core/skbuff.h"

#define IFNAMSIZ 16

#define IFF_UP       0x1U
#define IFF_LOOPBACK 0x8U
#define IFF_RUNNING  0x40U
#define IFF_LOWER_UP 0x10000U
/* The flags that programs may change; the others are what the device is. */
#define IFF_CHANGEABLE IFF_UP

#define ARPHRD_LOOPBACK  772
#define LOOPBACK_IFINDEX 1

/* One for each CPU; written by the CPU itself with softirqs off. */
struct net_device_stats {
	u64 packets, bytes, dropped;
};

/* [R] rtnl_mutex to write, readers take what they get; [C] constant. */
struct net_device {
	char name[IFNAMSIZ];   /* [C] */
	int ifindex;           /* [C] */
	unsigned flags;        /* [R] IFF_* */
	unsigned mtu;          /* [R] */
	unsigned tx_queue_len; /* [R] shown only: lo has no queue */
};

extern struct net_device loopback_dev;
/* Changes of devices, addresses and routes. */
extern struct mutex rtnl_mutex;

/* The device with that name, or NULL. */
struct net_device *dev_get_by_name(const char *name);
static inline bool netif_running(const struct net_device *dev)
{
	return READ_ONCE(dev->flags) & IFF_UP;
}
/* What programs see: the flags, and that a device that is up works. */
unsigned dev_get_flags(const struct net_device *dev);
/* Sets those of the flags that programs may change. rtnl_mutex held. */
void dev_change_flags(struct net_device *dev, unsigned flags);
/* 0 or -EINVAL. rtnl_mutex held. */
int dev_set_mtu(struct net_device *dev, unsigned mtu);
void dev_get_stats(struct net_device_stats *sum);

/*
 * Sends a packet, which it takes over. Softirqs are off: they run when the caller turns them on.
 * may_drop: the packet may be lost if the backlog is long.
 */
void dev_queue_xmit(struct sk_buff *skb, bool may_drop);

/* ioctl(2) SIOCGIF* and SIOCSIF* for sockets of all families. -ENOTTY: another command. */
long dev_ioctl(unsigned cmd, void __user *arg);
