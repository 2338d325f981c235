/*
 * Sockets of AF_NETLINK, of the protocol NETLINK_ROUTE only: netlink(7), rtnetlink(7). A program
 * sends requests, which are carried out in sendmsg(2); the answers wait in the socket.
 *
 * There are no groups: nobody is told about changes that others make.
 */
#pragma once

#include "net/ipv4/inet.h"

struct nlmsghdr {
	u32 nlmsg_len; /* with this header */
	u16 nlmsg_type, nlmsg_flags;
	u32 nlmsg_seq, nlmsg_pid;
};
struct nlattr {
	u16 nla_len; /* with this header */
	u16 nla_type;
};
#define NLMSG_ALIGN(len) ALIGN(len, 4U)

#define NLM_F_REQUEST 0x1
#define NLM_F_MULTI   0x2
#define NLM_F_ACK     0x4
#define NLM_F_ROOT    0x100
#define NLM_F_MATCH   0x200
#define NLM_F_DUMP    (NLM_F_ROOT | NLM_F_MATCH)
#define NLM_F_EXCL    0x200
#define NLM_F_CAPPED  0x100 /* in NLMSG_ERROR: only the header of the request */

#define NLMSG_NOOP     1
#define NLMSG_ERROR    2
#define NLMSG_DONE     3
#define NLMSG_MIN_TYPE 0x10

/* [S] the lock of sk. */
struct netlink_sock {
	struct sock sk;        /* first */
	u32 portid;            /* [nl_lock] 0: none yet */
	struct list_head node; /* [nl_lock] of all */
};

/* One answer, which is being written. */
struct nl_answer {
	struct sk_buff *skb; /* NULL: memory is short */
	unsigned size;
};
#define NL_ANSWER_SIZE 1024U

/* Begins an answer to a request, with room for a header of len bytes, which it returns or NULL. */
void *nl_begin(struct nl_answer *answer, const struct nlmsghdr *request, u32 portid, u16 type,
	       u16 flags, unsigned len);
/* Nothing of all attributes of one answer is longer than NL_ANSWER_SIZE. */
void nl_put(struct nl_answer *answer, u16 type, const void *data, unsigned len);
static inline void nl_put_u32(struct nl_answer *answer, u16 type, u32 value)
{
	nl_put(answer, type, &value, sizeof(value));
}
static inline void nl_put_string(struct nl_answer *answer, u16 type, const char *text)
{
	nl_put(answer, type, text, (unsigned)__builtin_strlen(text) + 1);
}
/* Gives the answer to the program. 0 or -ENOBUFS. */
int nl_end(struct nl_answer *answer, struct netlink_sock *nlk);

/* The attribute of that type and at least len bytes behind a request's header, or NULL. */
const void *nl_attr(const struct nlmsghdr *request, unsigned header, u16 type, unsigned len);

/*
 * Carries a request out. Its length was checked, not that of its header. 0 or a negative errno,
 * which is the answer.
 */
int rtnetlink_rcv_msg(struct netlink_sock *nlk, const struct nlmsghdr *request, u32 portid);
