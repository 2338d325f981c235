/* rtnetlink: a list of addresses that is longer than the socket's buffer arrives with its end. */
#include "inet.h"
#include <linux/rtnetlink.h>

#define MANY 400

struct request {
	struct nlmsghdr nlh;
	struct ifaddrmsg ifa;
	struct rtattr rta;
	struct in_addr local;
};

/* The result of a request. */
static int answer(int fd)
{
	struct {
		struct nlmsghdr nlh;
		int error;
		char request[256];
	} result;

	if (recv(fd, &result, sizeof(result), 0) < 0)
		return -1;
	return result.nlh.nlmsg_type == NLMSG_ERROR ? result.error : -1;
}

/* Adds or removes 10.77.HIGH.LOW/32. */
static int change(int fd, int type, int n)
{
	struct request rq = {
		.nlh = { sizeof(rq), (uint16_t)type, NLM_F_REQUEST | NLM_F_ACK, 1, 0 },
		.ifa = { AF_INET, 32, 0, 0, 1 },
		.rta = { sizeof(struct rtattr) + sizeof(struct in_addr), IFA_LOCAL },
		.local = { htonl(0x0a4d0000U + (uint32_t)n) },
	};

	send(fd, &rq, sizeof(rq), 0);
	return answer(fd);
}

/* Counts those addresses in one piece of the list. Returns false at the end. */
static bool count(const char *at, const char *end, int *found)
{
	for (const struct nlmsghdr *nlh; at < end; at += NLMSG_ALIGN(nlh->nlmsg_len)) {
		const struct rtattr *rta;

		nlh = (const void *)at;
		if (nlh->nlmsg_type != RTM_NEWADDR)
			return false;
		for (size_t i = sizeof(*nlh) + sizeof(struct ifaddrmsg); i < nlh->nlmsg_len;
		     i += RTA_ALIGN(rta->rta_len)) {
			rta = (const void *)(at + i);
			if (rta->rta_type == IFA_LOCAL)
				*found += ntohl(*(const uint32_t *)(rta + 1)) >> 16 == 0x0a4d;
		}
	}
	return true;
}

static void list(int fd)
{
	struct {
		struct nlmsghdr nlh;
		struct ifaddrmsg ifa;
	} rq = { { sizeof(rq), RTM_GETADDR, NLM_F_REQUEST | NLM_F_DUMP, 1, 0 },
		 { .ifa_family = AF_INET } };
	static char buf[65536];
	int found = 0, len;

	send(fd, &rq, sizeof(rq), 0);
	do
		len = (int)recv(fd, buf, sizeof(buf), 0);
	while (len > 0 && count(buf, buf + len, &found));
	show("%s, %d addresses", len > 0 ? "to the end" : error_name(errno), found);
}

int main(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE), failed = 0;
	struct timeval timeout = { 5, 0 };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	list(fd);
	for (int i = 1; i <= MANY; i++)
		failed += change(fd, RTM_NEWADDR, i) != 0;
	show("%d not added", failed);
	list(fd);
	for (int i = 1; i <= MANY; i++)
		failed += change(fd, RTM_DELADDR, i) != 0;
	show("%d not removed", failed);
	list(fd);
	return 0;
}
