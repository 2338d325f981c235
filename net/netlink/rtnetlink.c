/* NETLINK_ROUTE: the link lo, its addresses, and the routes that follow from them. rtnetlink(7). */
#include "kernel/lib/string.h"
#include "kernel/task/cred.h"
#include "net/ipv4/devinet.h"
#include "net/netlink/netlink.h"

#define RTM_NEWLINK  16
#define RTM_GETLINK  18
#define RTM_SETLINK  19
#define RTM_NEWADDR  20
#define RTM_DELADDR  21
#define RTM_GETADDR  22
#define RTM_NEWROUTE 24
#define RTM_GETROUTE 26

struct ifinfomsg {
	u8 ifi_family, pad;
	u16 ifi_type;
	int ifi_index;
	u32 ifi_flags, ifi_change;
};
enum {
	IFLA_ADDRESS = 1,
	IFLA_BROADCAST = 2,
	IFLA_IFNAME = 3,
	IFLA_MTU = 4,
	IFLA_QDISC = 6,
	IFLA_TXQLEN = 13,
	IFLA_OPERSTATE = 16,
};

struct ifaddrmsg {
	u8 ifa_family, ifa_prefixlen, ifa_flags, ifa_scope;
	u32 ifa_index;
};
enum { IFA_ADDRESS = 1, IFA_LOCAL = 2, IFA_LABEL = 3, IFA_BROADCAST = 4, IFA_CACHEINFO = 6 };
#define IFA_F_PERMANENT 0x80

struct rtmsg {
	u8 rtm_family, rtm_dst_len, rtm_src_len, rtm_tos;
	u8 rtm_table, rtm_protocol, rtm_scope, rtm_type;
	u32 rtm_flags;
};
enum { RTA_DST = 1, RTA_OIF = 4, RTA_PREFSRC = 7, RTA_TABLE = 15 };
#define RT_TABLE_LOCAL 255
#define RTPROT_KERNEL  2
#define RT_SCOPE_LINK  253
/* Types of routes; inet_addr_type() has its own names for what it tells. */
#define ROUTE_LOCAL     2
#define ROUTE_BROADCAST 3

/* The subject of a request, and the socket that asks. */
struct rt_request {
	struct netlink_sock *nlk;
	const struct nlmsghdr *nlh;
	u32 portid;
};

/* The header behind that of the request, or NULL: it is too short. */
static const void *header_of(const struct rt_request *rq, unsigned len)
{
	return rq->nlh->nlmsg_len < sizeof(*rq->nlh) + len ? NULL : rq->nlh + 1;
}

static bool is_dump(const struct rt_request *rq)
{
	return (rq->nlh->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
}

/* ---- links ---- */

static int answer_link(const struct rt_request *rq)
{
	static const u8 no_address[6];
	const struct net_device *dev = &loopback_dev;
	unsigned flags = dev_get_flags(dev);
	struct nl_answer answer;
	struct ifinfomsg *ifi = nl_begin(&answer, rq->nlh, rq->portid, RTM_NEWLINK,
					 is_dump(rq) ? NLM_F_MULTI : 0, sizeof(*ifi));
	u8 state = 0; /* unknown, as that of all loopback interfaces */

	if (!ifi)
		return -ENOBUFS;
	ifi->ifi_type = ARPHRD_LOOPBACK;
	ifi->ifi_index = dev->ifindex;
	ifi->ifi_flags = flags & IFF_UP ? flags | IFF_LOWER_UP : flags;
	nl_put_string(&answer, IFLA_IFNAME, dev->name);
	nl_put_u32(&answer, IFLA_TXQLEN, dev->tx_queue_len);
	nl_put(&answer, IFLA_OPERSTATE, &state, sizeof(state));
	nl_put_u32(&answer, IFLA_MTU, dev->mtu);
	nl_put_string(&answer, IFLA_QDISC, flags & IFF_UP ? "noqueue" : "noop");
	nl_put(&answer, IFLA_ADDRESS, no_address, sizeof(no_address));
	nl_put(&answer, IFLA_BROADCAST, no_address, sizeof(no_address));
	return nl_end(&answer, rq->nlk);
}

/* Whether a request is about lo: 0, -ENODEV, -EINVAL. */
static int check_link(const struct rt_request *rq, const struct ifinfomsg *ifi)
{
	const char *name = nl_attr(rq->nlh, sizeof(*ifi), IFLA_IFNAME, 2);

	if (ifi->ifi_index)
		return ifi->ifi_index == loopback_dev.ifindex ? 0 : -ENODEV;
	if (!name)
		return -EINVAL;
	return strncmp(name, loopback_dev.name, sizeof("lo")) ? -ENODEV : 0;
}

static int get_link(const struct rt_request *rq)
{
	const struct ifinfomsg *ifi = header_of(rq, sizeof(*ifi));
	int err = 0;

	if (!is_dump(rq))
		err = ifi ? check_link(rq, ifi) : -EINVAL;
	return err ? err : answer_link(rq);
}

static int set_link(const struct rt_request *rq)
{
	const struct ifinfomsg *ifi = header_of(rq, sizeof(*ifi));
	const u32 *mtu = nl_attr(rq->nlh, sizeof(*ifi), IFLA_MTU, sizeof(u32));
	u32 change;
	int err = ifi ? check_link(rq, ifi) : -EINVAL;

	if (!err && rq->nlh->nlmsg_type == RTM_NEWLINK && (rq->nlh->nlmsg_flags & NLM_F_EXCL))
		err = -EEXIST;
	if (!err && mtu)
		err = dev_set_mtu(&loopback_dev, *mtu);
	if (err)
		return err;
	change = ifi->ifi_change ? ifi->ifi_change : ~0U;
	if (ifi->ifi_flags || ifi->ifi_change)
		dev_change_flags(&loopback_dev,
				 (loopback_dev.flags & ~change) | (ifi->ifi_flags & change));
	return 0;
}

/* ---- addresses ---- */

static int answer_addr(const struct rt_request *rq, const struct in_ifaddr *ifa)
{
	static const u32 for_ever[4] = { ~0U, ~0U, 0, 0 }; /* struct ifa_cacheinfo */
	struct nl_answer answer;
	struct ifaddrmsg *ifm =
		nl_begin(&answer, rq->nlh, rq->portid, RTM_NEWADDR, NLM_F_MULTI, sizeof(*ifm));

	if (!ifm)
		return -ENOBUFS;
	*ifm = (struct ifaddrmsg){ .ifa_family = AF_INET,
				   .ifa_prefixlen = (u8)ifa->prefixlen,
				   .ifa_flags = IFA_F_PERMANENT,
				   .ifa_scope = ifa->scope,
				   .ifa_index = LOOPBACK_IFINDEX };
	nl_put_u32(&answer, IFA_ADDRESS, ifa->local);
	nl_put_u32(&answer, IFA_LOCAL, ifa->local);
	if (ifa->broadcast)
		nl_put_u32(&answer, IFA_BROADCAST, ifa->broadcast);
	nl_put_string(&answer, IFA_LABEL, ifa->label);
	nl_put(&answer, IFA_CACHEINFO, for_ever, sizeof(for_ever));
	return nl_end(&answer, rq->nlk);
}

static int get_addr(const struct rt_request *rq)
{
	const u8 *family = header_of(rq, 1);
	struct in_ifaddr *ifa;
	int err = 0;

	if (!is_dump(rq))
		return -EOPNOTSUPP;
	if (family && *family != AF_UNSPEC && *family != AF_INET)
		return 0;
	list_for_each_entry (ifa, &inet_addrs, list) {
		err = answer_addr(rq, ifa);
		if (err)
			break;
	}
	return err;
}

static int change_addr(const struct rt_request *rq)
{
	const struct ifaddrmsg *ifm = header_of(rq, sizeof(*ifm));
	const u32 *local = nl_attr(rq->nlh, sizeof(*ifm), IFA_LOCAL, sizeof(u32));
	const u32 *broadcast = nl_attr(rq->nlh, sizeof(*ifm), IFA_BROADCAST, sizeof(u32));

	if (!local)
		local = nl_attr(rq->nlh, sizeof(*ifm), IFA_ADDRESS, sizeof(u32));
	if (!ifm || !local || ifm->ifa_family != AF_INET || ifm->ifa_prefixlen > 32)
		return -EINVAL;
	if (ifm->ifa_index != LOOPBACK_IFINDEX)
		return -ENODEV;
	if (rq->nlh->nlmsg_type == RTM_DELADDR)
		return inet_delete_addr(*local, ifm->ifa_prefixlen);
	return inet_insert_addr(*local, ifm->ifa_prefixlen, broadcast ? *broadcast : 0,
				ifm->ifa_scope);
}

/* ---- routes ---- */

static int answer_route(const struct rt_request *rq, u32 dst, unsigned len, u8 type, u32 source)
{
	struct nl_answer answer;
	struct rtmsg *rtm =
		nl_begin(&answer, rq->nlh, rq->portid, RTM_NEWROUTE, NLM_F_MULTI, sizeof(*rtm));

	if (!rtm)
		return -ENOBUFS;
	*rtm = (struct rtmsg){ .rtm_family = AF_INET,
			       .rtm_dst_len = (u8)len,
			       .rtm_table = RT_TABLE_LOCAL,
			       .rtm_protocol = RTPROT_KERNEL,
			       .rtm_scope = type == ROUTE_LOCAL ? RT_SCOPE_HOST : RT_SCOPE_LINK,
			       .rtm_type = type };
	nl_put_u32(&answer, RTA_TABLE, RT_TABLE_LOCAL);
	nl_put_u32(&answer, RTA_DST, dst);
	nl_put_u32(&answer, RTA_PREFSRC, source);
	nl_put_u32(&answer, RTA_OIF, LOOPBACK_IFINDEX);
	return nl_end(&answer, rq->nlk);
}

/* Those of one address: its prefix, itself, and the broadcast address of the prefix. */
static int answer_routes_of(const struct rt_request *rq, const struct in_ifaddr *ifa)
{
	int err = 0;

	if (ifa->prefixlen < 32)
		err = answer_route(rq, ifa->local & ifa->mask, ifa->prefixlen, ROUTE_LOCAL,
				   ifa->local);
	if (!err)
		err = answer_route(rq, ifa->local, 32, ROUTE_LOCAL, ifa->local);
	if (!err && ifa->prefixlen < 31)
		err = answer_route(rq, ifa->local | ~ifa->mask, 32, ROUTE_BROADCAST, ifa->local);
	return err;
}

static int get_route(const struct rt_request *rq)
{
	const u8 *family = header_of(rq, 1);
	struct in_ifaddr *ifa;
	int err = 0;

	if (!is_dump(rq))
		return -EOPNOTSUPP;
	if ((family && *family != AF_UNSPEC && *family != AF_INET) || !netif_running(&loopback_dev))
		return 0;
	list_for_each_entry (ifa, &inet_addrs, list) {
		err = answer_routes_of(rq, ifa);
		if (err)
			break;
	}
	return err;
}

/* ---- requests ---- */

static int dispatch(const struct rt_request *rq)
{
	switch (rq->nlh->nlmsg_type) {
	case RTM_GETLINK:
		return get_link(rq);
	case RTM_NEWLINK:
	case RTM_SETLINK:
		return set_link(rq);
	case RTM_GETADDR:
		return get_addr(rq);
	case RTM_NEWADDR:
	case RTM_DELADDR:
		return change_addr(rq);
	case RTM_GETROUTE:
		return get_route(rq);
	}
	return -EOPNOTSUPP;
}

int rtnetlink_rcv_msg(struct netlink_sock *nlk, const struct nlmsghdr *request, u32 portid)
{
	const struct rt_request rq = { nlk, request, portid };
	int err;

	if (request->nlmsg_type % 4 != 2 && !capable(CAP_NET_ADMIN)) /* other than RTM_GET* */
		return -EPERM;
	mutex_lock(&rtnl_mutex);
	err = dispatch(&rq);
	mutex_unlock(&rtnl_mutex);
	return err;
}
