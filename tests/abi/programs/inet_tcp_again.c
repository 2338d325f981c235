/* TCP: connect(2) with the port of a connection that ended a moment ago, in each of its states. */
#include "inet.h"

static int l, port;

static int connected(void)
{
	int c = socket(AF_INET, SOCK_STREAM, 0), one = 1;
	struct timeval limit = { 20, 0 };

	setsockopt(c, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	setsockopt(c, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
	bind_to(c, "127.0.0.1", port);
	show("connect: %s", connect_to(c, "127.0.0.1", own_port(l)) ? error_name(errno) : "0");
	return c;
}

static void talk(int c, int s)
{
	char there = '-', back = '-';

	send(c, "a", 1, 0);
	recv(s, &there, 1, 0);
	send(s, "b", 1, 0);
	recv(c, &back, 1, 0);
	show("%c there, %c back", there, back);
}

/* Which sides call shutdown(SHUT_WR) before connect(AF_UNSPEC), and whether data are unread. */
static void again(const char *what, bool client, bool server, bool unread)
{
	struct sockaddr_in none = { .sin_family = AF_UNSPEC };
	int c, s, s2;

	show("-- %s", what);
	c = connected();
	s = accept(l, NULL, NULL);
	if (server)
		shutdown(s, SHUT_WR);
	settle();
	if (client)
		shutdown(c, SHUT_WR);
	settle();
	if (unread)
		send(s, "unread", 6, MSG_NOSIGNAL);
	settle();
	CALL(connect(c, (struct sockaddr *)&none, sizeof(none)));
	settle();
	poll_show("old", s);
	recv_inet("old", s, 10, 0);
	recv_inet("old", s, 10, 0);
	show("connect: %s", connect_to(c, "127.0.0.1", own_port(l)) ? error_name(errno) : "0");
	s2 = accept(l, NULL, NULL);
	poll_show("new", s2);
	talk(c, s2);
	CALL(send(s, "x", 1, MSG_NOSIGNAL));
	talk(c, s2);
	close(s);
	talk(c, s2);
	/* The next one takes the port, so none may stay in TIME_WAIT. */
	CALL(connect(c, (struct sockaddr *)&none, sizeof(none)));
	settle();
	recv_inet("end", s2, 10, 0);
	close(s2);
	close(c);
}

/* connect(2) reports the end of a connection that it began long ago: nothing of it is left to the next. */
static void reported_late(void)
{
	int c = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), other = listener(), s;
	struct sockaddr_in name;
	socklen_t len = sizeof(name);
	static char piece[5000];

	show("-- reported late");
	CALL(connect_to(c, "127.0.0.1", own_port(l)));
	settle();
	s = accept(l, NULL, NULL);
	CALL(send(s, "unread", 6, 0));
	while (send(c, piece, sizeof(piece), 0) > 0)
		;
	show("full: %s", error_name(errno));
	settle();
	close(s); /* with unread data: RST */
	settle();
	CALL(connect_to(c, "127.0.0.1", own_port(l)));
	getsockname(c, (struct sockaddr *)&name, &len);
	show("own address: %s", inet_ntoa(name.sin_addr));
	CALL(connect_to(c, "127.0.0.1", own_port(other)));
	settle();
	CALL(connect_to(c, "127.0.0.1", own_port(other)));
	s = accept(other, NULL, NULL);
	recv_inet("nothing", c, 10, 0);
	talk(c, s);
	close(s);
	close(c);
	close(other);
}

int main(void)
{
	int c;

	l = listener();
	c = socket(AF_INET, SOCK_STREAM, 0);
	bind_to(c, "127.0.0.1", 0);
	port = own_port(c);
	close(c);
	again("established", false, false, false);
	again("established, unread", false, false, true);
	again("the client has sent FIN", true, false, false);
	again("the client has sent FIN, unread", true, false, true);
	again("the server has sent FIN", false, true, false);
	again("both have sent FIN", true, true, false);
	reported_late();
	return 0;
}
