/*
 * Sockets: what the system calls of net/calls.c and net/msg_calls.c, and the files of all sockets,
 * know of a family. A family embeds a struct socket as the first member of its own socket, and
 * fills a struct proto_ops.
 */
#pragma once

#include "fs/vfs/fs.h"
#include "fs/file/uio.h"
#include "kernel/linker_table.h"
#include "kernel/task/pid.h"
#include "kernel/sched/sched.h"
#include "kernel/sched/wait.h"
#include "kernel/signal/sigio.h"
#include "net/ipv4/ip.h"

#define AF_UNSPEC  0
#define AF_UNIX    1
#define AF_INET    2
#define AF_NETLINK 16

#define SOCK_STREAM    1
#define SOCK_DGRAM     2
#define SOCK_RAW       3
#define SOCK_SEQPACKET 5
#define SOCK_PACKET    10
#define SOCK_CLOEXEC   O_CLOEXEC
#define SOCK_NONBLOCK  O_NONBLOCK

#define SHUT_RCV 1U
#define SHUT_SND 2U
#define SHUT_ALL 3U

#define MSG_OOB          0x1U
#define MSG_PEEK         0x2U
#define MSG_CTRUNC       0x8U
#define MSG_TRUNC        0x20U
#define MSG_DONTWAIT     0x40U
#define MSG_EOR          0x80U
#define MSG_WAITALL      0x100U
#define MSG_ERRQUEUE     0x2000U
#define MSG_NOSIGNAL     0x4000U
#define MSG_MORE         0x8000U
#define MSG_WAITFORONE   0x10000U
#define MSG_CMSG_CLOEXEC 0x40000000U

#define SOL_SOCKET 1

/* A control message of this type has the time as microseconds, or as nanoseconds (NS). */
#define SO_TIMESTAMP_OLD   29
#define SO_TIMESTAMPNS_OLD 35
#define SO_TIMESTAMP_NEW   63
#define SO_TIMESTAMPNS_NEW 64

struct sockaddr {
	u16 sa_family;
	char sa_data[14];
};

#define UNIX_PATH_MAX 108
struct sockaddr_un {
	u16 sun_family;
	char sun_path[UNIX_PATH_MAX];
};

/* Ports and addresses are in network byte order. */
struct sockaddr_in {
	u16 sin_family;
	u16 sin_port;
	u32 sin_addr;
	char sin_zero[8];
};

struct sockaddr_nl {
	u16 nl_family, nl_pad;
	u32 nl_pid, nl_groups;
};

/* A name of any family: at most 128 bytes. */
#define SOCKADDR_MAX 128
union sockname {
	struct sockaddr addr;
	struct sockaddr_un un;
	struct sockaddr_in in;
	struct sockaddr_nl nl;
	char bytes[SOCKADDR_MAX];
};

/* What SCM_CREDENTIALS and SO_PEERCRED tell. pid is counted. */
struct unix_cred {
	struct pid *pid; /* NULL: none */
	u32 uid, gid;
};

struct scm_fp;

/* What follows it are cmsg_len - sizeof(struct cmsghdr) bytes: cmsg(3). */
struct cmsghdr {
	size_t cmsg_len;
	int cmsg_level, cmsg_type;
};
#define CMSG_ALIGN(len) ALIGN(len, sizeof(long))

/* What the header of a received IP packet says, for the control messages of ip(7). */
struct ip_cmsg {
	unsigned wanted; /* the options of the socket when it took the packet; 0: none is wanted */
	u32 daddr;
	u16 dport;
	u8 ttl, tos, optlen, options[MAX_IPOPTLEN];
};

/* One sendmsg(2) or recvmsg(2), with all but the data in the kernel. */
struct msghdr {
	struct iov_iter iter;
	union sockname name; /* send: the receiver; recv: the sender */
	unsigned namelen;    /* 0: none */
	unsigned flags;      /* MSG_*; recv: of the call, on return those of the message */
	u64 stamp;           /* recv: when it arrived, in ns of CLOCK_REALTIME; 0: not noted */
	/* AF_UNIX */
	struct scm_fp *fp; /* descriptors; owned */
	struct unix_cred cred;
	bool has_cred;
	/* AF_INET */
	struct ip_cmsg ip;
};

struct socket;
struct poll_table_struct;

/* NAME_OF_ACCEPTED_PEER: that of a new connection, which may be over already. */
enum name_of { NAME_OF_SOCKET, NAME_OF_PEER, NAME_OF_ACCEPTED_PEER };

/*
 * What a family does for a call. Task context; all may sleep but poll, which takes spinlocks only.
 */
struct proto_ops {
	int family;
	/* The file is closed, or was never made. Drops the file's reference. */
	void (*release)(struct socket *sock);
	int (*bind)(struct socket *sock, const union sockname *name, int len);
	int (*connect)(struct socket *sock, const union sockname *name, int len, bool nonblock);
	/* NULL: -EOPNOTSUPP. */
	int (*socketpair)(struct socket *a, struct socket *b);
	struct socket *(*accept)(struct socket *sock, bool nonblock);
	int (*listen)(struct socket *sock, int backlog);
	int (*shutdown)(struct socket *sock, unsigned how); /* how: as the program gives it */
	/* The length of the name, or a negative errno. */
	int (*getname)(struct socket *sock, union sockname *name, enum name_of whose);
	/* All levels. */
	int (*setsockopt)(struct socket *sock, int level, int name, const char __user *value,
			  int len);
	int (*getsockopt)(struct socket *sock, int level, int name, char __user *value,
			  int __user *len);
	ssize_t (*sendmsg)(struct socket *sock, struct msghdr *msg, bool nonblock);
	ssize_t (*recvmsg)(struct socket *sock, struct msghdr *msg, bool nonblock);
	/*
	 * Control data from a program: see net/unix/unix.h. Control data to a program, as far as it
	 * fits into len bytes: returns the bytes written, and sets MSG_CTRUNC. NULL: there is none.
	 */
	int (*scm_send)(struct msghdr *msg, const void __user *control, size_t len);
	size_t (*scm_recv)(struct socket *sock, struct msghdr *msg, void __user *control,
			   size_t len, unsigned flags);
	unsigned (*poll)(struct file *file, struct socket *sock, struct poll_table_struct *wait);
	/* -ENOTTY: not a command of this family. */
	long (*ioctl)(struct socket *sock, unsigned cmd, unsigned long arg);
	/* As file_operations.memory. NULL: nothing. */
	size_t (*memory)(struct socket *sock);
	/* The file exists: the family may note it. NULL: it does not. */
	void (*installed)(struct socket *sock, struct file *file);
};

/* A family of sockets. */
struct net_proto_family {
	int family;
	/*
	 * A socket without a file. type is SOCK_*. ERR_PTR: -ESOCKTNOSUPPORT, -EPROTONOSUPPORT,
	 * -EACCES, -EPERM, -ENOMEM.
	 */
	struct socket *(*create)(unsigned type, int protocol);
};

/* The directory /proc/net, after device_initcall. */
extern struct dentry *proc_net;

/*
 * Makes a socket without a file. type is SOCK_*, with SOCK_CLOEXEC and SOCK_NONBLOCK ignored.
 * ERR_PTR: -EINVAL, -EAFNOSUPPORT, or an error of the family. Task context.
 */
struct socket *sock_create(int family, unsigned type, int protocol);
/* Adds a family: SOCKET_FAMILY(unix) = { .family = AF_UNIX, … }; */
#define SOCKET_FAMILY(name)                                                                        \
	static const struct net_proto_family name##_family LINKER_TABLE_ENTRY(                     \
		rodata, socket_families, #name)

/* [C] constant; [A] atomic; [F] fasync_lock. Options: a torn read is harmless. */
struct socket {
	const struct proto_ops *ops;  /* [C] */
	unsigned type;                /* [C] SOCK_* */
	unsigned protocol;            /* [C] */
	int error;                    /* [A] of the next call: SO_ERROR */
	wait_queue_head_t wait;       /* all tasks that wait for this socket */
	struct fasync_struct *fasync; /* [F] */
	/* Options: socket(7). */
	bool passcred, keepalive, broadcast, reuseaddr, reuseport, oobinline, dontroute, linger;
	int sndbuf, rcvbuf, rcvlowat, priority;
	u8 timestamp; /* the SO_TIMESTAMP* that is on; 0: none */
	unsigned linger_seconds;
	s64 rcvtimeo, sndtimeo; /* ns; 0: for ever; SOCK_NO_TIME: a negative time was set */
#define SOCK_NO_TIME (-1)
};

#define SOCK_BUF_DEFAULT 212992 /* net.core.wmem_default, rmem_default */

/* Sets the fields of a zeroed socket. */
void socket_init(struct socket *sock, const struct proto_ops *ops, unsigned type,
		 unsigned protocol);
/* A file for sock, whose reference it takes over on success. Or an ERR_PTR. Task context. */
struct file *sock_alloc_file(struct socket *sock, unsigned flags);
/* How many sockets have a file. */
int sockets_used(void);
/* The socket of a file, or NULL: it is no socket. */
struct socket *sock_from_file(const struct file *file);
/* Send and receive. The caller drops what is left of the control data: scm_destroy(). */
ssize_t sock_sendmsg(struct socket *sock, struct msghdr *msg, bool nonblock);
ssize_t sock_recvmsg(struct socket *sock, struct msghdr *msg, bool nonblock);
/* Takes the pending error: 0 or a negative errno. Any context. */
int sock_error(struct socket *sock);
/*
 * One sleep of a wait: the caller has called prepare_to_wait(), and tested its condition. timeout
 * in ns, 0: none is left. 0; -EAGAIN: the time is over; -ERESTARTSYS, -EINTR: a signal.
 */
int sock_sleep(s64 *timeout);
/* The timeout for a call: 0 for one that does not wait. */
s64 sock_timeout(s64 option, bool nonblock);

/* ---- cmsg.c: task context ---- */

/*
 * Writes one control message at *at of len bytes, as far as it fits. False: not even its header
 * did, or -EFAULT.
 */
bool put_cmsg(struct msghdr *msg, char __user *control, size_t len, size_t *at, int level, int type,
	      const void *data, size_t size);
/* The time for a message that arrives at sock; 0: the socket does not ask for it. Any context. */
u64 sock_stamp(const struct socket *sock);
/* Writes the control message of SO_TIMESTAMP*, if the socket asks for it. */
void put_stamp(const struct socket *sock, struct msghdr *msg, char __user *control, size_t len,
	       size_t *at);

/* ---- options.c ---- */

/* Those of SOL_SOCKET that all families have. -ENOPROTOOPT: another one. */
int sock_setsockopt(struct socket *sock, int name, const char __user *value, int len);
/* A number, or -ENOPROTOOPT; structures are written by the function itself. */
int sock_getsockopt(struct socket *sock, int name, char __user *value, int __user *ulen);
/* Gives a program an option of size bytes, as far as it asks for it. */
int put_option(const void *option, int size, char __user *value, int __user *ulen);
