/* AF_NETLINK: the sockets, and what all requests have in common. See netlink.h. */
#include "net/netlink/netlink.h"

#include "fs/file/poll.h"
#include "kernel/irq/softirq.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/random/random.h"
#include "kernel/task/cred.h"

#define REQUEST_MAX 65536

static const struct proto_ops netlink_ops;
static const struct proto netlink_prot;
static DEFINE_SPINLOCK(nl_lock); /* a leaf; task context only */
static LIST_HEAD(nl_socks);      /* [nl_lock] */

static struct netlink_sock *nlk_of(struct socket *sock)
{
	return container_of(to_sk(sock), struct netlink_sock, sk);
}

/* ---- answers ---- */

void *nl_begin(struct nl_answer *answer, const struct nlmsghdr *request, u32 portid, u16 type,
	       u16 flags, unsigned len)
{
	unsigned head = (unsigned)sizeof(*request) + NLMSG_ALIGN(len);
	void *header;

	answer->size = NL_ANSWER_SIZE;
	answer->skb = alloc_skb(NL_ANSWER_SIZE, GFP_KERNEL);
	if (!answer->skb)
		return NULL;
	*(struct nlmsghdr *)answer->skb->data = (struct nlmsghdr){
		.nlmsg_type = type,
		.nlmsg_flags = flags,
		.nlmsg_seq = request->nlmsg_seq,
		.nlmsg_pid = portid,
	};
	header = answer->skb->data + sizeof(*request);
	memset(header, 0, NLMSG_ALIGN(len));
	answer->skb->len = head;
	return header;
}

void nl_put(struct nl_answer *answer, u16 type, const void *data, unsigned len)
{
	unsigned size = (unsigned)sizeof(struct nlattr) + len;
	u8 *at;

	if (!answer->skb || answer->skb->len + NLMSG_ALIGN(size) > answer->size)
		return;
	at = answer->skb->data + answer->skb->len;
	memset(at, 0, NLMSG_ALIGN(size));
	*(struct nlattr *)at = (struct nlattr){ .nla_len = (u16)size, .nla_type = type };
	memcpy(at + sizeof(struct nlattr), data, len);
	answer->skb->len += NLMSG_ALIGN(size);
}

int nl_end(struct nl_answer *answer, struct netlink_sock *nlk)
{
	if (!answer->skb)
		return -ENOBUFS;
	((struct nlmsghdr *)answer->skb->data)->nlmsg_len = answer->skb->len;
	sock_queue_rcv_skb(&nlk->sk, answer->skb, false); /* handle() has looked for room */
	return 0;
}

const void *nl_attr(const struct nlmsghdr *request, unsigned header, u16 type, unsigned len)
{
	unsigned at = (unsigned)sizeof(*request) + NLMSG_ALIGN(header);

	while (at + sizeof(struct nlattr) <= request->nlmsg_len) {
		const struct nlattr *attr = (const void *)((const u8 *)request + at);

		if (attr->nla_len < sizeof(*attr) || at + attr->nla_len > request->nlmsg_len)
			return NULL;
		if (attr->nla_type == type && attr->nla_len >= sizeof(*attr) + len)
			return attr + 1;
		at += NLMSG_ALIGN(attr->nla_len);
	}
	return NULL;
}

/* The end of a list of answers. */
static int answer_done(struct netlink_sock *nlk, const struct nlmsghdr *request, u32 portid)
{
	struct nl_answer answer;

	(void)nl_begin(&answer, request, portid, NLMSG_DONE, NLM_F_MULTI, sizeof(int));
	return nl_end(&answer, nlk);
}

/* The result of a request; after an error with the whole request, as far as it fits. */
static int answer_result(struct netlink_sock *nlk, const struct nlmsghdr *request, u32 portid,
			 int err)
{
	unsigned quoted =
		err ? min(request->nlmsg_len, NL_ANSWER_SIZE / 2) : (unsigned)sizeof(*request);
	struct nl_answer answer;
	int *header = nl_begin(&answer, request, portid, NLMSG_ERROR, err ? 0 : NLM_F_CAPPED,
			       (unsigned)sizeof(int) + quoted);

	if (header) {
		*header = err;
		memcpy(header + 1, request, quoted);
	}
	return nl_end(&answer, nlk);
}

static void answer_request(struct netlink_sock *nlk, const struct nlmsghdr *request, u32 portid,
			   int err)
{
	bool dump = (request->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP &&
		    request->nlmsg_type >= NLMSG_MIN_TYPE && request->nlmsg_type % 4 == 2;

	/* Without memory the program gets no answer; recv(2) would say ENOBUFS on Linux. */
	if (dump && !err) /* RTM_GET* */
		(void)answer_done(nlk, request, portid);
	else if (err || (request->nlmsg_flags & NLM_F_ACK))
		(void)answer_result(nlk, request, portid, err);
}

/* ---- names ---- */

static struct netlink_sock *find_portid(u32 portid)
{
	struct netlink_sock *nlk;

	list_for_each_entry (nlk, &nl_socks, node)
		if (nlk->portid == portid)
			return nlk;
	return NULL;
}

/* portid 0: the number of the process, or any other that is free. 0 or -EADDRINUSE, -EINVAL. */
static int set_portid(struct netlink_sock *nlk, u32 portid)
{
	bool choose = !portid;
	int err = 0;

	spin_lock(&nl_lock);
	if (nlk->portid) {
		err = choose || nlk->portid == portid ? 0 : -EINVAL;
	} else {
		if (choose)
			portid = (u32)current->tgid;
		while (choose && find_portid(portid))
			portid = (u32)get_random_u64() | 1U << 31; /* nobody guesses and takes it */
		if (find_portid(portid))
			err = -EADDRINUSE;
		else
			nlk->portid = portid;
	}
	spin_unlock(&nl_lock);
	return err;
}

static int check_name(const union sockname *name, int len)
{
	if (len < (int)sizeof(name->nl) || name->nl.nl_family != AF_NETLINK)
		return -EINVAL;
	return name->nl.nl_groups ? -EOPNOTSUPP : 0;
}

static int netlink_bind(struct socket *sock, const union sockname *name, int len)
{
	int err = check_name(name, len);

	return err ? err : set_portid(nlk_of(sock), name->nl.nl_pid);
}

/* The only peer is the kernel. */
static int netlink_connect(struct socket *sock, const union sockname *name, int len, bool nonblock)
{
	int err;

	(void)nonblock;
	if (len >= (int)sizeof(u16) && name->addr.sa_family == AF_UNSPEC)
		return 0;
	err = check_name(name, len);
	if (err)
		return err;
	return name->nl.nl_pid ? -ECONNREFUSED : set_portid(nlk_of(sock), 0);
}

static int netlink_getname(struct socket *sock, union sockname *name, enum name_of whose)
{
	name->nl = (struct sockaddr_nl){ .nl_family = AF_NETLINK,
					 .nl_pid = whose != NAME_OF_SOCKET
							   ? 0
							   : READ_ONCE(nlk_of(sock)->portid) };
	return sizeof(name->nl);
}

/* ---- messages ---- */

/* Carries out the requests of one message. */
static void handle(struct netlink_sock *nlk, const u8 *data, size_t len)
{
	u32 portid = nlk->portid;

	while (len >= sizeof(struct nlmsghdr)) {
		const struct nlmsghdr *request = (const void *)data;
		size_t step;
		int err = 0;

		if (request->nlmsg_len < sizeof(*request) || request->nlmsg_len > len)
			return;
		/* One request gets all its answers, so that the end of a list arrives. */
		if (!sock_has_room(&nlk->sk)) {
			sk_report_error(&nlk->sk, ENOBUFS);
			return;
		}
		if ((request->nlmsg_flags & NLM_F_REQUEST) && request->nlmsg_type >= NLMSG_MIN_TYPE)
			err = rtnetlink_rcv_msg(nlk, request, portid);
		if (request->nlmsg_flags & NLM_F_REQUEST)
			answer_request(nlk, request, portid, err);
		step = min(len, (size_t)NLMSG_ALIGN(request->nlmsg_len));
		data += step;
		len -= step;
	}
}

static ssize_t netlink_sendmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	struct netlink_sock *nlk = nlk_of(sock);
	size_t len = msg->iter.count;
	int err;
	u8 *data;

	(void)nonblock;
	if (msg->flags & MSG_OOB)
		return -EOPNOTSUPP;
	if (msg->namelen) {
		err = check_name(&msg->name, (int)msg->namelen);
		if (err)
			return err;
		if (msg->name.nl.nl_pid)
			return -ECONNREFUSED;
	}
	err = set_portid(nlk, 0);
	if (err)
		return err;
	if (len > REQUEST_MAX)
		return -EMSGSIZE;
	data = kmalloc(len ? len : 1, GFP_KERNEL);
	if (!data)
		return -ENOBUFS;
	err = copy_from_iter(data, len, &msg->iter) == len ? 0 : -EFAULT;
	if (!err)
		handle(nlk, data, len);
	kfree(data);
	return err ? err : (ssize_t)len;
}

static ssize_t netlink_recvmsg(struct socket *sock, struct msghdr *msg, bool nonblock)
{
	unsigned flags = msg->flags;
	struct sk_buff *skb;
	size_t len, n;
	bool fault;

	msg->flags = 0;
	if (flags & MSG_OOB)
		return -EOPNOTSUPP;
	skb = skb_recv_datagram(to_sk(sock), nonblock, flags & MSG_PEEK);
	if (IS_ERR_OR_NULL(skb))
		return PTR_ERR(skb);
	msg->namelen = (unsigned)netlink_getname(sock, &msg->name, NAME_OF_PEER);
	len = skb->len;
	n = min(len, msg->iter.count);
	fault = copy_to_iter(skb->data, n, &msg->iter) != n;
	kfree_skb(skb);
	if (fault)
		return -EFAULT;
	if (n < len)
		msg->flags |= MSG_TRUNC;
	return (ssize_t)(flags & MSG_TRUNC ? len : n);
}

/* ---- the rest ---- */

static void netlink_release(struct socket *sock)
{
	struct netlink_sock *nlk = nlk_of(sock);

	spin_lock(&nl_lock);
	list_del_init(&nlk->node);
	spin_unlock(&nl_lock);
	sock_put(&nlk->sk);
}

static struct socket *no_accept(struct socket *sock __unused, bool nonblock __unused)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static int no_listen(struct socket *sock __unused, int backlog __unused)
{
	return -EOPNOTSUPP;
}

static int no_shutdown(struct socket *sock __unused, unsigned how __unused)
{
	return -EOPNOTSUPP;
}

static int netlink_setsockopt(struct socket *sock, int level, int name, const char __user *value,
			      int len)
{
	if (len < 0)
		return -EINVAL;
	return level == SOL_SOCKET ? sock_setsockopt(sock, name, value, len) : -ENOPROTOOPT;
}

static int netlink_getsockopt(struct socket *sock, int level, int name, char __user *value,
			      int __user *ulen)
{
	return level == SOL_SOCKET ? sock_getsockopt(sock, name, value, ulen) : -ENOPROTOOPT;
}

static unsigned netlink_poll(struct file *file, struct socket *sock, struct poll_table_struct *wait)
{
	return datagram_poll(file, to_sk(sock), wait);
}

static long netlink_ioctl(struct socket *sock __unused, unsigned cmd __unused,
			  unsigned long arg __unused)
{
	return -ENOTTY;
}

/* Answers that nobody has read. */
static size_t netlink_memory(struct socket *sock)
{
	return READ_ONCE(to_sk(sock)->rmem);
}

static const struct proto_ops netlink_ops = {
	.memory = netlink_memory,
	.family = AF_NETLINK,
	.release = netlink_release,
	.bind = netlink_bind,
	.connect = netlink_connect,
	.accept = no_accept,
	.listen = no_listen,
	.shutdown = no_shutdown,
	.getname = netlink_getname,
	.setsockopt = netlink_setsockopt,
	.getsockopt = netlink_getsockopt,
	.sendmsg = netlink_sendmsg,
	.recvmsg = netlink_recvmsg,
	.poll = netlink_poll,
	.ioctl = netlink_ioctl,
};

/* Only what sk_alloc() and sock_put() need: the functions are those of netlink_ops. */
static const struct proto netlink_prot = {
	.name = "NETLINK",
	.size = sizeof(struct netlink_sock),
};

static struct socket *netlink_create(unsigned type, int protocol)
{
	struct netlink_sock *nlk;
	struct sock *sk;

	if (type != SOCK_RAW && type != SOCK_DGRAM)
		return ERR_PTR(-ESOCKTNOSUPPORT);
	if (protocol)
		return ERR_PTR(-EPROTONOSUPPORT);
	sk = sk_alloc(&netlink_prot, type, 0, GFP_KERNEL);
	if (!sk)
		return ERR_PTR(-ENOMEM);
	sk->sock.ops = &netlink_ops;
	nlk = container_of(sk, struct netlink_sock, sk);
	INIT_LIST_HEAD(&nlk->node);
	spin_lock(&nl_lock);
	list_add_tail(&nlk->node, &nl_socks);
	spin_unlock(&nl_lock);
	return &sk->sock;
}

SOCKET_FAMILY(netlink) = { AF_NETLINK, netlink_create };
