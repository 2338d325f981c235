/*
 * Sockets of the family AF_UNIX: unix(7).
 *
 * A struct unix_sock is one socket. Its file holds a reference, its peer holds one, and each
 * message holds one on its sender. Messages wait in the queue of the receiver. The receiver's copy
 * to the program is done without a spinlock: it may fault.
 *
 * The file may be closed while others hold references. The socket is `dead` then: nothing is added
 * to its queue.
 *
 * Lock order: bind_lock, iolock (mutexes); then unix_table_lock, unix_gc_lock, lock of a socket (of
 * two sockets: that of the peer is taken after the own one was released; only the collector takes
 * the lock of a connection that is not accepted yet within that of its listener). The wait queues'
 * locks are leaves.
 *
 * Files: unix.c life of a socket; address.c names; connect.c connections; send.c, recv.c messages;
 * scm.c descriptors and credentials; gc.c sockets that only messages hold; options.c; proc.c;
 * net/calls.c and net/msg_calls.c the system calls.
 */
#pragma once

#include "net/socket.h"

/* A name: constant; counted, because readers use it without a lock. */
struct unix_address {
	atomic_t count;
	unsigned len; /* bytes of name, with sun_family */
	struct sockaddr_un name;
	char nul; /* a path of UNIX_PATH_MAX bytes is terminated all the same */
};

/* Descriptors in a message. Files are counted. */
#define SCM_MAX_FD 253
struct scm_fp {
	unsigned count;
	struct user_struct *user; /* is charged for count descriptors; counted; NULL: a copy */
	struct list_head node; /* [G] in the socket's fps; then of those that wait to be dropped */
	struct file *file[SCM_MAX_FD];
};

/*
 * A message in the queue of a socket; constant but for offset. An urgent byte that was taken stays
 * as a message without a rest, because a read stops at its place.
 */
struct unix_msg {
	struct list_head list;     /* [S of the receiver] */
	struct unix_sock *sender;  /* counted */
	struct unix_sock *embryo;  /* a connection that waits for accept(2); counted */
	struct unix_address *from; /* the name of the sender; counted; NULL: it has none */
	struct unix_cred cred;
	bool has_cred;      /* the sender or the receiver has asked for it */
	bool peeked;        /* [iolock of the receiver] */
	u64 stamp;          /* when it was sent; 0: its receiver has not asked for that */
	struct scm_fp *fp;  /* NULL: no descriptors */
	size_t len, offset; /* bytes of data, and where the rest begins [iolock of the receiver] */
	unsigned truesize;  /* counts against the sender's SO_SNDBUF */
	char data[];
};

enum unix_state { UNIX_UNCONNECTED, UNIX_LISTEN, UNIX_CONNECTED };

/* [S] lock; [T] unix_table_lock; [G] unix_gc_lock; [I] iolock; [A] atomic; [C] constant. */
struct unix_sock {
	struct socket sock; /* first */
	atomic_t refs;
	enum unix_state state; /* [S]; CONNECTED for ever once it is that, but for SOCK_DGRAM */
	spinlock_t lock;
	struct mutex iolock;    /* one reader of a stream at a time */
	struct mutex bind_lock; /* one bind at a time */
	struct unix_sock *peer; /* [S] counted */
	struct list_head queue; /* [S] messages, or connections that wait for accept() */
	struct list_head fps;   /* [G] descriptors of the messages in the queue */
	struct unix_msg *oob;   /* [S] in the queue: the urgent byte; NULL: none */
	unsigned queue_len;     /* [S] */
	unsigned arrivals;      /* [S] how many messages have come; it wraps */
	size_t queued_bytes;    /* [S] but of datagrams: what FIONREAD says */
	size_t queued_memory;   /* [S] of the messages, without what they hold */
	unsigned backlog;       /* [S] how many more than that are too many */
	unsigned shutdown;      /* [S] SHUT_* */
	bool dead;              /* [S] closed */
	bool waits_for_data;    /* [A] a reader of a stream sleeps: it needs no signal */
	bool nospace;           /* [A] O_ASYNC: a sender has found no room */
	atomic_t wmem;          /* [A] bytes of messages that were sent and are not yet received */
	struct unix_address *addr; /* [S] counted; set once */
	struct path path;          /* [T] of the file with its name; counted */
	struct list_head bound;    /* [T] in the table of names, or of the sockets without one */
	struct unix_cred peercred; /* [S] SO_PEERCRED */
	struct file *file;         /* [S] not counted; NULL: none yet, or closed */
	unsigned long ino;         /* [A] of it, for /proc/net/unix */
	int inflight;              /* [G] messages that hold the file */
	int gc_refs;               /* [G] see gc.c */
	bool gc_candidate;         /* [G] */
	struct list_head gc_node;  /* [G] of the sockets that are in messages */
	int peek_off;              /* [I] SO_PEEK_OFF; negative: off */
};

extern spinlock_t unix_table_lock, unix_gc_lock;
/* Writers that wait for room in the queue of another socket, which may be freed during the wait. */
extern wait_queue_head_t unix_room_wait;
extern int unix_max_dgram_qlen, unix_somaxconn;

/* ---- unix.c ---- */

/* A socket without a file. NULL: memory is short. */
struct unix_sock *unix_create(unsigned type);
struct unix_sock *unix_get(struct unix_sock *u);
void unix_put(struct unix_sock *u); /* NULL is fine */
/* The socket has no file, or its file is closed: drops what it holds, and the file's reference. */
void unix_release_sock(struct unix_sock *u, bool embryo);
/* Frees all messages in the queue. Returns whether there were some. */
bool unix_drop_queue(struct unix_sock *u);
/* The socket of a file, or NULL: it is none of AF_UNIX. */
struct unix_sock *unix_from_file(const struct file *file);
static inline struct unix_sock *unix_sk(struct socket *sock)
{
	return container_of(sock, struct unix_sock, sock);
}
/* The counted peer, or NULL. */
struct unix_sock *unix_peer_get(struct unix_sock *u);
static inline bool unix_is_dgram(const struct unix_sock *u)
{
	return u->sock.type == SOCK_DGRAM;
}
void unix_cred_current(struct unix_cred *cred);
void unix_cred_copy(struct unix_cred *to, const struct unix_cred *from);
void unix_cred_drop(struct unix_cred *cred);
/* Signals for O_ASYNC: of data, or of their end (POLL_IN, POLL_HUP); of room. Task context. */
static inline void unix_data_async(struct unix_sock *u, int band)
{
	if (!READ_ONCE(u->waits_for_data))
		kill_fasync(&u->sock.fasync, SIGIO, band);
}
void unix_space_async(struct unix_sock *u);
/* For poll of a sender. */
bool unix_writable(const struct unix_sock *u);

/* ---- address.c ---- */

/* Checks a name of len bytes. 0 or -EINVAL. */
int unix_check_name(const struct sockaddr_un *name, int len);
int unix_bind(struct unix_sock *u, const struct sockaddr_un *name, int len);
/* Gives u a name, if it has none: five hexadecimal digits. */
int unix_autobind(struct unix_sock *u);
/* The counted socket with this name. ERR_PTR: -ECONNREFUSED, -EPROTOTYPE, or those of a walk. */
struct unix_sock *unix_find_other(const struct sockaddr_un *name, unsigned len, unsigned type);
/* The counted name of u, or NULL. */
struct unix_address *unix_address_get(struct unix_sock *u);
void unix_address_put(struct unix_address *addr);
/* In and out of the table of sockets. */
void unix_insert(struct unix_sock *u);
void unix_remove(struct unix_sock *u);
/* The socket after position *pos in the table, counted; NULL: the end. For /proc/net/unix. */
struct unix_sock *unix_next_sock(u64 *pos);

/* ---- connect.c ---- */

int unix_listen(struct unix_sock *u, int backlog);
int unix_connect(struct unix_sock *u, const struct sockaddr_un *name, int len, bool nonblock);
/* A new connection, counted, or an ERR_PTR. */
struct unix_sock *unix_accept(struct unix_sock *u, bool nonblock);
void unix_socketpair(struct unix_sock *a, struct unix_sock *b);
int unix_shutdown(struct unix_sock *u, unsigned how);

/* ---- send.c, recv.c ---- */

/* They take msg->fp and msg->cred over when they return a number of bytes; the caller drops the
 * rest. */
ssize_t unix_sendmsg(struct unix_sock *u, struct msghdr *msg, bool nonblock);
ssize_t unix_recvmsg(struct unix_sock *u, struct msghdr *msg, bool nonblock);
/* Frees a message that no queue holds. */
void unix_free_msg(struct unix_msg *msg);
/* A message without data. NULL: memory is short. Its sender's wmem counts it. */
struct unix_msg *unix_alloc_msg(struct unix_sock *sender, size_t len);

/* ---- scm.c, gc.c ---- */

/* Drops the files, and frees fp. Also from a release that such a drop has caused. NULL is fine. */
void scm_drop(struct scm_fp *fp);
/* Drops all control data of msg that nobody has taken. */
void scm_destroy(struct msghdr *msg);
/* A copy that counts the files once more, for MSG_PEEK. unix_gc_lock held; copy is allocated. */
void scm_copy(struct scm_fp *copy, const struct scm_fp *fp);
/*
 * Reads the control data that a program gives: 0 or -EINVAL, -EBADF, -EPERM, -EFAULT, -ENOMEM,
 * -ETOOMANYREFS. The caller drops msg->fp and msg->cred.
 */
int scm_send(struct msghdr *msg, const void __user *control, size_t len);
/*
 * Gives a program the control data of a message, as far as it fits: returns the bytes written. Sets
 * MSG_CTRUNC. Installs the descriptors; what did not fit stays in msg->fp.
 */
size_t scm_recv(struct socket *sock, struct msghdr *msg, void __user *control, size_t len,
		unsigned flags);

/* fp enters the queue of u, or leaves it. unix_gc_lock held. */
void unix_inflight(struct scm_fp *fp, struct unix_sock *u);
void unix_notinflight(struct scm_fp *fp);
/* What lies in the queue of a socket: messages, the files in them, and connections with theirs. */
size_t unix_memory(struct socket *sock);
/* Frees sockets that only messages in their own queues hold. No lock held. */
void unix_gc(void);

/* ---- options.c, proc.c ---- */

int unix_setsockopt(struct socket *sock, int level, int name, const char __user *value, int len);
int unix_getsockopt(struct socket *sock, int level, int name, char __user *value, int __user *len);
