/* ICANON: ends of lines, VEOF within and before a line, little buffers, the longest line, leaving the mode. */
#include "pty.h"

static int master, slave;

static void get(const char *what, size_t size)
{
	struct pollfd p = { slave, POLLIN, 0 };
	char buf[8192];

	let_others_run();
	if (poll(&p, 1, 0) != 1) {
		show("%s: nothing", what);
		return;
	}
	ssize_t n = read(slave, buf, size);
	if (n > 100)
		show("%s: %zd, last ^%c", what, n, buf[n - 1] ^ 0x40);
	else
		show_bytes(what, buf, n);
}

int main(void)
{
	static char line[5000];
	struct termios t;
	int waiting;

	master = open_pair(&slave);
	tcgetattr(slave, &t);
	t.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
	tcsetattr(slave, TCSANOW, &t);
	feed(master, "ab");
	get("no end yet", 100);
	feed(master, "\x04");
	get("VEOF after two", 100);
	feed(master, "\x04");
	get("VEOF alone", 100);
	feed(master, "x\x04\x04y\n");
	get("one", 100);
	get("two", 100);
	get("three", 100);
	feed(master, "first\nsecond\n");
	get("a part", 3);
	get("the rest", 100);
	get("the second", 100);
	feed(master, "abc\x04");
	get("as many as there are", 3);
	feed(master, "next\n");
	get("after it", 100);
	feed(master, "abc\x04");
	get("fewer", 2);
	get("rest", 100);
	ioctl(slave, FIONREAD, &waiting);
	show("FIONREAD %d", waiting);
	feed(master, "abc\n");
	let_others_run();
	ioctl(slave, FIONREAD, &waiting);
	show("FIONREAD %d", waiting);
	get("line", 100);

	/* VEOL and VEOL2 end a line and stay in it; a disabled character is an ordinary one. */
	t.c_cc[VEOL] = ';';
	t.c_cc[VEOL2] = '!';
	tcsetattr(slave, TCSANOW, &t);
	feed(master, "a;b!c\n");
	get("VEOL", 100);
	get("VEOL2", 100);
	get("NL", 100);
	t.c_cc[VEOF] = 0;
	tcsetattr(slave, TCSANOW, &t);
	feed(master, "a\x04" "b\n");
	get("no VEOF", 100);
	t.c_cc[VERASE] = 'X';
	t.c_cc[VEOF] = 4;
	tcsetattr(slave, TCSANOW, &t);
	feed(master, "abXc\x7f\n");
	get("VERASE is X", 100);

	/* 4095 bytes of a line are kept; the rest is dropped, but not its end. */
	memset(line, 'l', 4500);
	line[4500] = '\n';
	fcntl(master, F_SETFL, O_NONBLOCK);
	for (size_t at = 0; at < 4501;) {
		ssize_t n = write(master, line + at, 4501 - at);

		if (n > 0)
			at += (size_t)n;
		else
			usleep(1000);
	}
	get("a long line", 8192);

	/* Leaving the mode makes half a line readable. */
	feed(master, "half");
	get("half", 100);
	t.c_lflag &= ~(tcflag_t)ICANON;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	tcsetattr(slave, TCSANOW, &t);
	get("without ICANON", 100);
	feed(master, "abc");
	until_readable(slave, 3);
	t.c_lflag |= ICANON;
	tcsetattr(slave, TCSANOW, &t);
	get("with it again", 100);
	return 0;
}
