/* The addresses of lo: see devinet.h. */
#include "net/ipv4/devinet.h"

#include "kernel/errno.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "net/core/byteorder.h"

LIST_HEAD(inet_addrs);
static DEFINE_SPINLOCK(inet_addr_lock); /* a leaf */

u32 inet_make_mask(unsigned prefixlen)
{
	return prefixlen ? htonl(~0U << (32 - prefixlen)) : 0;
}

static struct in_ifaddr *find_addr(u32 local, unsigned prefixlen)
{
	struct in_ifaddr *ifa;

	list_for_each_entry (ifa, &inet_addrs, list)
		if (ifa->local == local && ifa->prefixlen == prefixlen)
			return ifa;
	return NULL;
}

int inet_insert_addr(u32 local, unsigned prefixlen, u32 broadcast, u8 scope)
{
	struct in_ifaddr *ifa;

	if (find_addr(local, prefixlen))
		return -EEXIST;
	ifa = kzalloc(sizeof(*ifa), GFP_KERNEL);
	if (!ifa)
		return -ENOMEM;
	ifa->local = local;
	ifa->prefixlen = prefixlen;
	ifa->mask = inet_make_mask(prefixlen);
	ifa->broadcast = broadcast;
	ifa->scope = scope;
	strscpy(ifa->label, loopback_dev.name, sizeof(ifa->label));
	spin_lock_bh(&inet_addr_lock);
	list_add_tail(&ifa->list, &inet_addrs);
	spin_unlock_bh(&inet_addr_lock);
	return 0;
}

int inet_delete_addr(u32 local, unsigned prefixlen)
{
	struct in_ifaddr *ifa = find_addr(local, prefixlen);

	if (!ifa)
		return -EADDRNOTAVAIL;
	spin_lock_bh(&inet_addr_lock);
	list_del(&ifa->list);
	spin_unlock_bh(&inet_addr_lock);
	kfree(ifa);
	return 0;
}

struct in_ifaddr *inet_first_addr(void)
{
	return list_first_entry_or_null(&inet_addrs, struct in_ifaddr, list);
}

static bool is_loopback(u32 addr)
{
	return (addr & 0xff) == 127;
}

int inet_set_addr(u32 local)
{
	struct in_ifaddr *ifa = inet_first_addr();

	if (ifa && ifa->local == local)
		return 0;
	if (ifa) {
		spin_lock_bh(&inet_addr_lock);
		list_del(&ifa->list);
		spin_unlock_bh(&inet_addr_lock);
		kfree(ifa);
	}
	if (!local)
		return 0;
	return inet_insert_addr(local, is_loopback(local) ? 8 : 32, 0,
				is_loopback(local) ? RT_SCOPE_HOST : RT_SCOPE_UNIVERSE);
}

int inet_set_mask(u32 mask)
{
	struct in_ifaddr *ifa = inet_first_addr();
	u32 host = ~ntohl(mask);

	if (!ifa)
		return -EADDRNOTAVAIL;
	if (host & (host + 1)) /* ones, then zeros */
		return -EINVAL;
	spin_lock_bh(&inet_addr_lock);
	ifa->mask = mask;
	ifa->prefixlen = host == ~0U ? 0 : (unsigned)__builtin_clz(host | 1) + !host;
	spin_unlock_bh(&inet_addr_lock);
	return 0;
}

void inetdev_up(struct net_device *dev)
{
	(void)dev;
	if (!inet_first_addr())
		(void)inet_insert_addr(INADDR_LOOPBACK, 8, 0, RT_SCOPE_HOST);
}

enum inet_addr_type inet_addr_type(u32 addr, u32 *prefsrc)
{
	enum inet_addr_type type = RTN_UNREACHABLE;
	struct in_ifaddr *ifa;

	*prefsrc = INADDR_ANY;
	if (!netif_running(&loopback_dev))
		return type;
	if (addr == INADDR_ANY)
		addr = INADDR_LOOPBACK;
	spin_lock_bh(&inet_addr_lock);
	list_for_each_entry (ifa, &inet_addrs, list) {
		if ((addr ^ ifa->local) & ifa->mask)
			continue;
		*prefsrc = ifa->local;
		type = RTN_LOCAL;
		if (addr != ifa->local && ifa->prefixlen < 31 && addr == (addr | ~ifa->mask))
			type = RTN_BROADCAST;
		break;
	}
	spin_unlock_bh(&inet_addr_lock);
	return type;
}
