/* Line editing of a slave in canonical mode, and VMIN and VTIME without it. */
#include "pty.h"

static void line(int master, int slave, const char *name, const char *keys)
{
	feed(master, keys);
	drain("echo", master);
	read_show(name, slave, 200);
}

int main(void)
{
	int slave, master = open_pair(&slave);
	struct termios t;
	char buf[16];

	line(master, slave, "erase", "abc\177\177x\n");
	line(master, slave, "kill", "gone\025kept\n");
	line(master, slave, "werase", "two words\027one\n");
	line(master, slave, "lnext", "\026\003\026\025\n");
	line(master, slave, "reprint", "again\022\n");
	line(master, slave, "tab erased", "a\tb\177\177c\n");
	line(master, slave, "eof after text", "text\004");
	line(master, slave, "eof alone", "\004");
	line(master, slave, "utf-8", "\xc3\xa4\177\n");
	tcgetattr(slave, &t);
	t.c_cc[VEOL] = ';';
	t.c_cc[VERASE] = '#';
	t.c_cc[VINTR] = 0;
	tcsetattr(slave, TCSANOW, &t);
	line(master, slave, "eol", "ab#c;");
	line(master, slave, "no intr", "\003\n");
	t.c_lflag &= ~(unsigned)ECHOCTL;
	tcsetattr(slave, TCSANOW, &t);
	line(master, slave, "no echoctl", "\001\n");
	t.c_lflag &= ~(unsigned)ECHO;
	t.c_lflag |= ECHONL;
	tcsetattr(slave, TCSANOW, &t);
	line(master, slave, "echonl", "hidden\n");
	/* Bytes that are no line yet become readable without ICANON. */
	feed(master, "half");
	let_others_run();
	t.c_lflag &= ~(unsigned)ICANON;
	t.c_cc[VMIN] = 0;
	t.c_cc[VTIME] = 0;
	tcsetattr(slave, TCSANOW, &t);
	read_show("half", slave, 16);
	CALL(read(slave, buf, sizeof(buf)));
	t.c_cc[VTIME] = 1;
	tcsetattr(slave, TCSANOW, &t);
	CALL(read(slave, buf, sizeof(buf)));
	feed(master, "xyz");
	until_readable(slave, 3);
	CALL(read(slave, buf, sizeof(buf)));
	t.c_cc[VMIN] = 5;
	tcsetattr(slave, TCSANOW, &t);
	feed(master, "12");
	CALL(read(slave, buf, sizeof(buf)));
	feed(master, "1234567");
	until_readable(slave, 7);
	CALL(read(slave, buf, sizeof(buf)));
	return 0;
}
