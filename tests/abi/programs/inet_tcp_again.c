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
	return 0;
}
