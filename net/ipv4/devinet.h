/*
 * The IPv4 addresses of lo. On a loopback device, all addresses of a prefix are local: with
 * 127.0.0.1/8, packets to 127.1.2.3 arrive here. All addresses are in network byte order.
 */
#pragma once

#include "kernel/lib/list.h"
#include "net/core/dev.h"

#define INADDR_ANY      0U
#define INADDR_NONE     0xffffffffU
#define INADDR_LOOPBACK 0x0100007fU /* 127.0.0.1 */

#define RT_SCOPE_UNIVERSE 0
#define RT_SCOPE_HOST     254

/* [R] rtnl_mutex and inet_addr_lock to write, one of them to read. */
struct in_ifaddr {
	struct list_head list;
	u32 local, mask, broadcast;
	unsigned prefixlen;
	u8 scope;
	char label[IFNAMSIZ];
};

/* The addresses of lo. */
extern struct list_head inet_addrs;

/* The mask of a prefix of so many bits: at most 32. */
u32 inet_make_mask(unsigned prefixlen);
/* 0, -EEXIST, -ENOMEM. rtnl_mutex held. */
int inet_insert_addr(u32 local, unsigned prefixlen, u32 broadcast, u8 scope);
/* 0 or -EADDRNOTAVAIL. rtnl_mutex held. */
int inet_delete_addr(u32 local, unsigned prefixlen);
/* The first address, or NULL. rtnl_mutex held. */
struct in_ifaddr *inet_first_addr(void);
/* Changes the first address, or adds one. 0 or -ENOMEM, -EINVAL. rtnl_mutex held. */
int inet_set_addr(u32 local);
int inet_set_mask(u32 mask);
/* The device has come up: it gets 127.0.0.1/8 if it has no address. rtnl_mutex held. */
void inetdev_up(struct net_device *dev);

enum inet_addr_type { RTN_UNREACHABLE, RTN_LOCAL, RTN_BROADCAST };
/*
 * What packets to addr do. *prefsrc: the source address of packets to it. Any context but NMI and
 * hardirq.
 */
enum inet_addr_type inet_addr_type(u32 addr, u32 *prefsrc);

/* ioctl(2) about addresses. -ENOTTY: another command. Task context. */
long devinet_ioctl(unsigned cmd, void __user *arg);
