/* The echo flags of a terminal: what the master reads back of what it writes. */
#include "pty.h"

static int master, slave;
static struct termios cooked;

static void try(const char *what, tcflag_t lflag, const char *bytes)
{
	struct termios t = cooked;
	char buf[256];

	t.c_lflag = lflag;
	tcsetattr(slave, TCSAFLUSH, &t);
	write(master, bytes, strlen(bytes));
	drain(what, master);
	fcntl(slave, F_SETFL, O_NONBLOCK);
	show_bytes("  read", buf, read(slave, buf, sizeof(buf)));
}
#define TRY(flags, bytes) try(#flags, flags, bytes)

int main(void)
{
	master = open_pair(&slave);
	tcgetattr(slave, &cooked);
	cooked.c_oflag = OPOST | ONLCR;
	cooked.c_iflag = ICRNL;
	TRY(ICANON, "abc\n");
	TRY(ICANON | ECHO, "abc\n");
	TRY(ICANON | ECHONL, "abc\n");
	TRY(ICANON | ECHO, "ab\x7f" "c\n");
	TRY(ICANON | ECHO | ECHOE, "ab\x7f" "c\n");
	TRY(ICANON | ECHO | ECHOE | ECHOPRT, "abc\x7f\x7f" "d\n");
	TRY(ICANON | ECHO | ECHOE | ECHOPRT, "abc\x7f\n");
	TRY(ICANON | ECHO, "abc\x15" "d\n");
	TRY(ICANON | ECHO | ECHOK, "abc\x15" "d\n");
	TRY(ICANON | ECHO | ECHOK | ECHOKE, "abc\x15" "d\n");
	TRY(ICANON | ECHO | ECHOE | ECHOK | ECHOKE, "abc\x15" "d\n");
	TRY(ICANON | ECHO | ECHOE, "a\x01" "b\n");
	TRY(ICANON | ECHO | ECHOE | ECHOCTL, "a\x01\x7f" "b\n");
	TRY(ICANON | ECHO | ECHOCTL, "a\tb\x1b\n");
	TRY(ICANON | ECHO | ECHOE | ECHOCTL, "ab\t\x7f" "c\n");
	TRY(ICANON | ECHO | ECHOE | ECHOCTL | IEXTEN, "one two\x17" "x\n");
	TRY(ICANON | ECHO | ECHOE | ECHOCTL, "one two\x17" "x\n");
	TRY(ICANON | ECHO | ECHOCTL | IEXTEN, "ab\x12" "c\n");
	TRY(ICANON | ECHO | ECHOCTL | IEXTEN, "a\x16\x03" "b\n");
	TRY(ICANON | ECHO | ECHOCTL | IEXTEN, "a\x16\x7f\n");
	TRY(ICANON | ECHO | ECHOE | ECHOCTL, "abc\x04");
	TRY(ICANON | ECHO | ECHOE, "\x7f\x7f" "a\n");
	TRY(ECHO, "ab\n");
	TRY(ECHO | ECHOCTL, "a\x01\x7f\n");
	TRY(ECHONL, "ab\n");
	TRY(0, "ab\n");
	return 0;
}
