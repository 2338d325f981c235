/* ioctl(2) about devices: netdevice(7). What is about addresses is in net/ipv4/. */
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "net/core/ifreq.h"

/* The name of the device with the index that the program gives. */
static long get_name(struct ifreq *ifr)
{
	if (ifr->value != loopback_dev.ifindex)
		return -ENODEV;
	strscpy(ifr->ifr_name, loopback_dev.name, sizeof(ifr->ifr_name));
	return 0;
}

/* 1: there is nothing to write back. */
static long set(unsigned cmd, struct net_device *dev, const struct ifreq *ifr)
{
	int err = 0;

	if (!capable(CAP_NET_ADMIN))
		return -EPERM;
	mutex_lock(&rtnl_mutex);
	if (cmd == SIOCSIFFLAGS)
		dev_change_flags(dev, (unsigned)(u16)ifr->flags);
	else
		err = dev_set_mtu(dev, (unsigned)ifr->value);
	mutex_unlock(&rtnl_mutex);
	return err ? err : 1;
}

static long get(unsigned cmd, const struct net_device *dev, struct ifreq *ifr)
{
	switch (cmd) {
	case SIOCGIFFLAGS:
		ifr->flags = (s16)dev_get_flags(dev);
		return 0;
	case SIOCGIFMETRIC:
		ifr->value = 0;
		return 0;
	case SIOCGIFMTU:
		ifr->value = (int)READ_ONCE(dev->mtu);
		return 0;
	case SIOCGIFINDEX:
		ifr->value = dev->ifindex;
		return 0;
	case SIOCGIFTXQLEN:
		ifr->value = (int)READ_ONCE(dev->tx_queue_len);
		return 0;
	case SIOCGIFHWADDR:
		ifr->hwaddr = (struct sockaddr){ .sa_family = ARPHRD_LOOPBACK };
		return 0;
	case SIOCGIFMAP:
		memset(ifr->map, 0, sizeof(ifr->map));
		return 0;
	}
	return -ENOTTY;
}

static bool is_ours(unsigned cmd)
{
	switch (cmd) {
	case SIOCGIFNAME:
	case SIOCGIFFLAGS:
	case SIOCSIFFLAGS:
	case SIOCGIFMETRIC:
	case SIOCGIFMTU:
	case SIOCSIFMTU:
	case SIOCGIFHWADDR:
	case SIOCGIFINDEX:
	case SIOCGIFTXQLEN:
	case SIOCGIFMAP:
		return true;
	}
	return false;
}

long dev_ioctl(unsigned cmd, void __user *arg)
{
	struct net_device *dev;
	struct ifreq ifr;
	long ret;

	if (!is_ours(cmd))
		return -ENOTTY;
	if (copy_from_user(&ifr, arg, sizeof(ifr)))
		return -EFAULT;
	ifr.ifr_name[IFNAMSIZ - 1] = '\0';
	dev = dev_get_by_name(ifr.ifr_name);
	if (cmd == SIOCGIFNAME)
		ret = get_name(&ifr);
	else if (!dev)
		ret = -ENODEV;
	else if (cmd == SIOCSIFFLAGS || cmd == SIOCSIFMTU)
		ret = set(cmd, dev, &ifr);
	else
		ret = get(cmd, dev, &ifr);
	if (ret)
		return ret > 0 ? 0 : ret;
	return copy_to_user(arg, &ifr, sizeof(ifr)) ? -EFAULT : 0;
}
