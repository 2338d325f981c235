/* netlink(7), rtnetlink(7): musl has no such headers. */
#pragma once

#include <stdint.h>

struct nlmsghdr {
	uint32_t nlmsg_len;
	uint16_t nlmsg_type, nlmsg_flags;
	uint32_t nlmsg_seq, nlmsg_pid;
};
struct ifinfomsg {
	unsigned char ifi_family, pad;
	unsigned short ifi_type;
	int ifi_index;
	unsigned ifi_flags, ifi_change;
};
struct ifaddrmsg {
	uint8_t ifa_family, ifa_prefixlen, ifa_flags, ifa_scope;
	uint32_t ifa_index;
};
#define NETLINK_ROUTE 0
#define NLM_F_REQUEST 1
#define NLM_F_ACK     4
#define NLM_F_DUMP    0x300
#define NLMSG_ERROR   2
#define NLMSG_DONE    3
#define RTM_NEWLINK   16
#define RTM_GETLINK   18
#define RTM_SETLINK   19
#define RTM_NEWADDR   20
#define RTM_DELADDR   21
#define RTM_GETADDR   22
#define IFA_LOCAL     2
/* An attribute, and one message behind another. */
struct rtattr {
	uint16_t rta_len, rta_type;
};
static inline uint32_t nl_align(uint32_t len)
{
	return (len + 3) & ~3U;
}
