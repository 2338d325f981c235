/* ioctl(2) about the addresses of lo: netdevice(7). */
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "net/core/ifreq.h"
#include "net/ipv4/devinet.h"

static struct sockaddr_in to_name(u32 addr)
{
	return (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = addr };
}

/* The interfaces that have an address. */
static long get_conf(struct ifconf __user *arg)
{
	struct in_ifaddr *ifa;
	struct ifconf conf;
	int room, used = 0;

	if (copy_from_user(&conf, arg, sizeof(conf)))
		return -EFAULT;
	room = conf.buf ? conf.len : 0x7fffffff;
	mutex_lock(&rtnl_mutex);
	list_for_each_entry (ifa, &inet_addrs, list) {
		struct ifreq ifr = { .addr = to_name(ifa->local) };

		if (room - used < (int)sizeof(ifr))
			break;
		strscpy(ifr.ifr_name, ifa->label, sizeof(ifr.ifr_name));
		if (conf.buf && copy_to_user((char __user *)conf.buf + used, &ifr, sizeof(ifr))) {
			mutex_unlock(&rtnl_mutex);
			return -EFAULT;
		}
		used += (int)sizeof(ifr);
	}
	mutex_unlock(&rtnl_mutex);
	return put_user(used, &arg->len);
}

/* rtnl_mutex held. */
static long get(unsigned cmd, struct ifreq *ifr)
{
	const struct in_ifaddr *ifa = inet_first_addr();

	if (!ifa)
		return -EADDRNOTAVAIL;
	switch (cmd) {
	case SIOCGIFADDR:
	case SIOCGIFDSTADDR:
		ifr->addr = to_name(ifa->local);
		return 0;
	case SIOCGIFBRDADDR:
		ifr->addr = to_name(ifa->broadcast);
		return 0;
	}
	ifr->addr = to_name(ifa->mask);
	return 0;
}

/* rtnl_mutex held. 1: there is nothing to write back. */
static long set(unsigned cmd, const struct ifreq *ifr)
{
	struct in_ifaddr *ifa = inet_first_addr();
	long err = 0;

	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	if (ifr->addr.sin_family != AF_INET)
		return -EINVAL;
	if (cmd == SIOCSIFADDR) {
		err = inet_set_addr(ifr->addr.sin_addr);
		/* A device with an address is up: netdevice(7). */
		if (!err && ifr->addr.sin_addr)
			dev_change_flags(&loopback_dev, loopback_dev.flags | IFF_UP);
	} else if (!ifa) {
		err = -EADDRNOTAVAIL;
	} else if (cmd == SIOCSIFNETMASK) {
		err = inet_set_mask(ifr->addr.sin_addr);
	} else if (cmd == SIOCSIFBRDADDR) {
		ifa->broadcast = ifr->addr.sin_addr;
	}
	return err ? err : 1;
}

long devinet_ioctl(unsigned cmd, void __user *arg)
{
	struct ifreq ifr;
	long ret;

	if (cmd == SIOCGIFCONF)
		return get_conf(arg);
	if (cmd < SIOCGIFADDR || cmd > SIOCSIFNETMASK)
		return -ENOTTY;
	if (copy_from_user(&ifr, arg, sizeof(ifr)))
		return -EFAULT;
	ifr.ifr_name[IFNAMSIZ - 1] = '\0';
	if (!dev_get_by_name(ifr.ifr_name))
		return -ENODEV;
	mutex_lock(&rtnl_mutex);
	ret = cmd & 1 ? get(cmd, &ifr) : set(cmd, &ifr); /* the numbers alternate */
	mutex_unlock(&rtnl_mutex);
	if (ret)
		return ret > 0 ? 0 : ret;
	return copy_to_user(arg, &ifr, sizeof(ifr)) ? -EFAULT : 0;
}
