/* The interface lo: SIOCGIF* and SIOCSIF*, and RTM_GETLINK, RTM_GETADDR by netlink. */
#include "inet.h"
#include <linux/rtnetlink.h>
#include <net/if.h>

static int udp;

static struct ifreq request(const char *name)
{
	struct ifreq r;

	memset(&r, 0, sizeof(r));
	strcpy(r.ifr_name, name);
	return r;
}
static void show_addr(const char *what, unsigned long cmd)
{
	struct ifreq r = request("lo");

	if (ioctl(udp, cmd, &r))
		show("%s: %s", what, error_name(errno));
	else
		show("%s: %s", what, inet_ntoa(((struct sockaddr_in *)&r.ifr_addr)->sin_addr));
}
static void nobody(void)
{
	struct ifreq r = request("lo");

	setuid(1000);
	CALL(ioctl(udp, SIOCGIFFLAGS, &r));
	CALL(ioctl(udp, SIOCSIFFLAGS, &r));
}

static void ask(int nl, int type, int flags)
{
	struct {
		struct nlmsghdr h;
		struct ifinfomsg i;
	} q = { { sizeof(q), (uint16_t)type, (uint16_t)(NLM_F_REQUEST | flags), 5, 0 }, { .ifi_index = 1 } };
	static char buf[65536];
	bool done = false;
	ssize_t n;

	CALL(send(nl, &q, sizeof(q), 0));
	while (!done && (n = recv(nl, buf, sizeof(buf), MSG_DONTWAIT)) > 0) {
		struct nlmsghdr *h;

		for (char *at = buf; at < buf + n; at += (h->nlmsg_len + 3) & ~3U) {
			h = (void *)at;
			if (h->nlmsg_type == RTM_NEWADDR) {
				struct ifaddrmsg *a = (void *)(h + 1);

				if (a->ifa_family == AF_INET)
					show("address: /%d, scope %d, index %d, flags %x", a->ifa_prefixlen, a->ifa_scope,
					     a->ifa_index, a->ifa_flags);
				continue;
			}
			show("type %d, flags %x, seq %d", h->nlmsg_type, h->nlmsg_flags, h->nlmsg_seq);
			if (h->nlmsg_type == NLMSG_ERROR)
				show("error %s", error_name(-*(int *)(h + 1)));
			if (h->nlmsg_type == RTM_NEWLINK) {
				struct ifinfomsg *i = (void *)(h + 1);

				show("link: type %d, index %d, flags %x", i->ifi_type, i->ifi_index, i->ifi_flags);
			}
			done = h->nlmsg_type == NLMSG_DONE;
		}
	}
}

int main(void)
{
	struct ifreq r = request("lo"), list[4];
	struct ifconf conf = { .ifc_len = sizeof(list), .ifc_req = list };
	int nl;

	udp = socket(AF_INET, SOCK_DGRAM, 0);
	CALL(ioctl(udp, SIOCGIFFLAGS, &r));
	show("flags %x", (unsigned short)r.ifr_flags);
	CALL(ioctl(udp, SIOCGIFMTU, &r));
	show("mtu %d", r.ifr_mtu);
	CALL(ioctl(udp, SIOCGIFINDEX, &r));
	show("index %d", r.ifr_ifindex);
	CALL(ioctl(udp, SIOCGIFNAME, &r));
	show("name %s", r.ifr_name);
	CALL(ioctl(udp, SIOCGIFHWADDR, &r));
	show("hardware %d", r.ifr_hwaddr.sa_family);
	show_addr("SIOCGIFADDR", SIOCGIFADDR);
	show_addr("SIOCGIFNETMASK", SIOCGIFNETMASK);
	show_addr("SIOCGIFBRDADDR", SIOCGIFBRDADDR);
	CALL(ioctl(udp, SIOCGIFCONF, &conf));
	show("%d bytes, %s", conf.ifc_len, list[0].ifr_name);
	r = request("eth9");
	CALL(ioctl(udp, SIOCGIFFLAGS, &r));
	CALL(ioctl(udp, SIOCGIFADDR, &r));
	CHILD(nobody);
	TRUTH(if_nametoindex("lo") == 1);
	CALL(socket(AF_NETLINK, SOCK_STREAM, 0));
	nl = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	TRUTH(nl >= 0);
	ask(nl, RTM_GETLINK, NLM_F_DUMP);
	ask(nl, RTM_GETLINK, 0);
	ask(nl, RTM_GETADDR, NLM_F_DUMP);
	ask(nl, RTM_SETLINK, NLM_F_ACK);
	return 0;
}
