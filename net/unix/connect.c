/* Connections: listen, connect, accept, socketpair, shutdown. */
#include "kernel/lib/string.h"
#include "net/unix/unix.h"

int unix_listen(struct unix_sock *u, int backlog)
{
	int err = 0;

	if (unix_is_dgram(u))
		return -EOPNOTSUPP;
	if ((unsigned)backlog > (unsigned)READ_ONCE(unix_somaxconn))
		backlog = READ_ONCE(unix_somaxconn);
	spin_lock(&u->lock);
	if (!u->addr || u->state == UNIX_CONNECTED) {
		err = -EINVAL;
	} else {
		u->state = UNIX_LISTEN;
		u->backlog = (unsigned)backlog;
		unix_cred_current(&u->peercred); /* what those who connect will see */
	}
	spin_unlock(&u->lock);
	if (!err)
		wake_up_all(&unix_room_wait);
	return err;
}

static void set_peer(struct unix_sock *u, struct unix_sock *peer)
{
	struct unix_sock *old;

	spin_lock(&u->lock);
	old = u->peer;
	u->peer = peer;
	u->state = peer ? UNIX_CONNECTED : UNIX_UNCONNECTED;
	spin_unlock(&u->lock);
	unix_put(old);
}

/*
 * Gives a socket of datagrams another peer, or none. Unread messages are dropped. Wakes the writers
 * that wait for room, because the socket may accept nothing more from them. The old peer gets the
 * error ECONNRESET if messages were dropped.
 */
static void change_peer(struct unix_sock *u, struct unix_sock *peer)
{
	struct unix_sock *old = unix_peer_get(u);
	bool unread, mutual = false;

	set_peer(u, peer);
	if (old && old != peer) {
		mutex_lock(&u->iolock); /* a reader may copy a message now */
		unread = unix_drop_queue(u);
		mutex_unlock(&u->iolock);
		wake_up_all(&unix_room_wait);
		spin_lock(&old->lock);
		if (unread && !old->dead && old->peer == u) {
			WRITE_ONCE(old->sock.error, ECONNRESET);
			mutual = true;
		}
		spin_unlock(&old->lock);
		if (mutual)
			wake_up_all(&old->sock.wait);
	}
	unix_put(old);
}

/* Datagrams: the peer is only where they go, and from where they are taken. */
static int connect_dgram(struct unix_sock *u, const struct sockaddr_un *name, int len)
{
	struct unix_sock *other;
	bool refused;
	int err;

	if (name->sun_family == AF_UNSPEC) {
		change_peer(u, NULL);
		return 0;
	}
	err = unix_check_name(name, len);
	if (err)
		return err;
	if (READ_ONCE(u->sock.passcred)) {
		err = unix_autobind(u);
		if (err)
			return err;
	}
	other = unix_find_other(name, (unsigned)len, u->sock.type);
	if (IS_ERR(other))
		return (int)PTR_ERR(other);
	spin_lock(&other->lock);
	refused = other->peer && other->peer != u;
	err = other->dead ? -ECONNREFUSED : refused ? -EPERM : 0;
	spin_unlock(&other->lock);
	if (err) {
		unix_put(other);
		return err;
	}
	change_peer(u, other);
	return 0;
}

/* Sleeps until the listener may have room. 0 or a negative errno. */
static int wait_for_backlog(struct unix_sock *other, s64 *timeout)
{
	DEFINE_WAIT(wait);
	int err = 0;

	prepare_to_wait(&unix_room_wait, &wait, TASK_INTERRUPTIBLE);
	if (READ_ONCE(other->queue_len) > READ_ONCE(other->backlog) && !READ_ONCE(other->dead))
		err = sock_sleep(timeout);
	finish_wait(&unix_room_wait, &wait);
	return err;
}

/* Puts the connection into the queue of the listener. -EAGAIN: it is full; -ECONNREFUSED. */
static int queue_connection(struct unix_sock *u, struct unix_sock *other, struct unix_sock *new,
			    struct unix_msg *msg)
{
	struct unix_cred cred = { .pid = NULL };
	int err = 0;

	spin_lock(&other->lock);
	if (other->dead || other->state != UNIX_LISTEN || (other->shutdown & SHUT_RCV))
		err = -ECONNREFUSED;
	else if (other->queue_len > other->backlog)
		err = -EAGAIN;
	else
		unix_cred_copy(&cred, &other->peercred);
	spin_unlock(&other->lock);
	if (err)
		return err;
	spin_lock(&u->lock);
	if (u->state == UNIX_CONNECTED)
		err = -EISCONN;
	else if (u->state != UNIX_UNCONNECTED)
		err = -EINVAL;
	if (!err) {
		u->peer = unix_get(new);
		u->state = UNIX_CONNECTED;
		unix_cred_copy(&u->peercred, &cred);
	}
	spin_unlock(&u->lock);
	unix_cred_drop(&cred);
	if (err)
		return err;
	spin_lock(&other->lock);
	if (other->dead) { /* just closed: the caller finds a connection that was reset */
		err = -ECONNRESET;
	} else {
		list_add_tail(&msg->list, &other->queue);
		other->queue_len++;
	}
	spin_unlock(&other->lock);
	return err;
}

/* A socket for the other end. Its name is that of the listener. */
static struct unix_sock *make_embryo(struct unix_sock *u, struct unix_sock *other)
{
	struct unix_sock *new = unix_create(u->sock.type);

	if (!new)
		return NULL;
	new->state = UNIX_CONNECTED;
	new->peer = unix_get(u);
	new->addr = unix_address_get(other);
	unix_cred_current(&new->peercred);
	return new;
}

static int connect_stream(struct unix_sock *u, const struct sockaddr_un *name, int len,
			  bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(u->sock.sndtimeo), nonblock);
	struct unix_sock *other, *new;
	struct unix_msg *msg;
	int err = unix_check_name(name, len);

	if (err)
		return err;
	if (READ_ONCE(u->sock.passcred)) {
		err = unix_autobind(u);
		if (err)
			return err;
	}
	new = make_embryo(u, u);
	msg = new ? unix_alloc_msg(new, 0) : NULL;
	if (!msg) {
		if (new)
			unix_release_sock(new, false);
		return -ENOMEM;
	}
	msg->embryo = new;
	do {
		other = unix_find_other(name, (unsigned)len, u->sock.type);
		if (IS_ERR(other)) {
			err = (int)PTR_ERR(other);
			break;
		}
		unix_address_put(new->addr);
		new->addr = unix_address_get(other);
		err = queue_connection(u, other, new, msg);
		if (err == -EAGAIN && timeout)
			err = wait_for_backlog(other, &timeout) ?: 1;
		if (!err) {
			wake_up_all(&other->sock.wait);
			unix_data_async(other, POLL_IN);
		}
		unix_put(other);
	} while (err > 0);
	if (err) {
		struct unix_sock *peer = NULL;

		/* The embryo does not know u yet, unless it was queued: it must not reset u. */
		spin_lock(&new->lock);
		if (err != -ECONNRESET) {
			peer = new->peer;
			new->peer = NULL;
		}
		spin_unlock(&new->lock);
		unix_put(peer);
		unix_free_msg(msg); /* closes the embryo */
		return err == -ECONNRESET ? 0 : err;
	}
	return 0;
}

int unix_connect(struct unix_sock *u, const struct sockaddr_un *name, int len, bool nonblock)
{
	if (len < (int)sizeof(name->sun_family))
		return -EINVAL;
	return unix_is_dgram(u) ? connect_dgram(u, name, len)
				: connect_stream(u, name, len, nonblock);
}

struct unix_sock *unix_accept(struct unix_sock *u, bool nonblock)
{
	s64 timeout = sock_timeout(READ_ONCE(u->sock.rcvtimeo), nonblock);
	struct unix_msg *msg = NULL;
	struct unix_sock *new;
	int err = 0;

	if (unix_is_dgram(u))
		return ERR_PTR(-EOPNOTSUPP);
	if (READ_ONCE(u->state) != UNIX_LISTEN)
		return ERR_PTR(-EINVAL);
	while (!msg && !err) {
		DEFINE_WAIT(wait);

		prepare_to_wait(&u->sock.wait, &wait, TASK_INTERRUPTIBLE);
		spin_lock(&u->lock);
		msg = list_first_entry_or_null(&u->queue, struct unix_msg, list);
		if (msg) {
			list_del_init(&msg->list);
			u->queue_len--;
		}
		spin_unlock(&u->lock);
		if (!msg)
			err = READ_ONCE(u->shutdown) & SHUT_RCV ? -EINVAL : sock_sleep(&timeout);
		finish_wait(&u->sock.wait, &wait);
	}
	if (err)
		return ERR_PTR(err);
	wake_up_all(&unix_room_wait);
	new = msg->embryo;
	msg->embryo = NULL;
	unix_free_msg(msg);
	return new;
}

void unix_socketpair(struct unix_sock *a, struct unix_sock *b)
{
	unix_cred_current(&a->peercred);
	unix_cred_current(&b->peercred);
	set_peer(a, unix_get(b));
	set_peer(b, unix_get(a));
}

int unix_shutdown(struct unix_sock *u, unsigned how)
{
	struct unix_sock *peer;
	unsigned theirs = 0;

	if (how > 2)
		return -EINVAL;
	how++; /* SHUT_RD, SHUT_WR and SHUT_RDWR are 0, 1 and 2 */
	spin_lock(&u->lock);
	u->shutdown |= how;
	peer = u->peer ? unix_get(u->peer) : NULL;
	spin_unlock(&u->lock);
	wake_up_all(&u->sock.wait);
	if (peer && !unix_is_dgram(u)) {
		if (how & SHUT_RCV)
			theirs |= SHUT_SND;
		if (how & SHUT_SND)
			theirs |= SHUT_RCV;
		spin_lock(&peer->lock);
		peer->shutdown |= theirs;
		spin_unlock(&peer->lock);
		wake_up_all(&peer->sock.wait);
		if (theirs & SHUT_RCV)
			unix_data_async(peer, theirs == SHUT_ALL ? POLL_HUP : POLL_IN);
	}
	unix_put(peer);
	return 0;
}
