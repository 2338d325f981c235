/* The output flags of a terminal, one by one: what the master reads of what the slave writes. */
#include "pty.h"

static int master, slave;
static struct termios raw;

static void try(const char *what, tcflag_t oflag, const char *bytes)
{
	struct termios t = raw;

	t.c_oflag = oflag;
	tcsetattr(slave, TCSADRAIN, &t);
	write(slave, bytes, strlen(bytes));
	drain(what, master);
}
#define TRY(flags, bytes) try(#flags, flags, bytes)

int main(void)
{
	master = open_pair(&slave);
	tcgetattr(slave, &raw);
	cfmakeraw(&raw);
	TRY(ONLCR | OCRNL | OLCUC, "ab\nc\r");
	TRY(OPOST, "ab\nc\r\td");
	TRY(OPOST | ONLCR, "ab\nc\n\n");
	TRY(OPOST | OCRNL, "ab\rc\n");
	TRY(OPOST | OCRNL | ONLCR, "x\ry\n");
	TRY(OPOST | ONLRET, "ab\nc");
	TRY(OPOST, "\r");
	TRY(OPOST | ONOCR, "\rab\r\r");
	TRY(OPOST | ONOCR | OCRNL, "ab\r");
	TRY(OPOST, "\r");
	TRY(OPOST | OLCUC, "aBc\xe4");
	TRY(OPOST, "\r");
	TRY(OPOST | XTABS, "\tab\tabcdefgh\tx");
	TRY(OPOST | ONLCR | XTABS, "\nab\t|");
	TRY(OPOST | ONLCR | XTABS, "\nabc\b\b\t|");
	TRY(OPOST | ONLRET | XTABS, "\nabc\n\t|");
	return 0;
}
