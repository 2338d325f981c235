/* VMIN and VTIME: when a read without ICANON returns. */
#include "pty.h"
#include <time.h>

static int master, slave;

static void mode(unsigned vmin, unsigned vtime)
{
	struct termios t;

	tcgetattr(slave, &t);
	cfmakeraw(&t);
	t.c_cc[VMIN] = (cc_t)vmin;
	t.c_cc[VTIME] = (cc_t)vtime;
	tcsetattr(slave, TCSAFLUSH, &t);
	show("VMIN %u, VTIME %u", vmin, vtime);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* A read of size; at least: the time in ms that must have passed since start. */
static void get_after(double start, size_t size, int at_least)
{
	char buf[64];
	ssize_t n = read(slave, buf, size);
	bool late = now() - start >= at_least / 1e3 - 0.005;

	show_bytes("  read", buf, n);
	if (!late)
		show("  too early");
}

static void get(size_t size, int at_least)
{
	get_after(now(), size, at_least);
}

/* Writes two pieces from a child, the second after a pause. */
static pid_t pieces(const char *one, int pause_ms, const char *two)
{
	pid_t pid = fork();

	if (!pid) {
		usleep(20000);
		feed(master, one);
		usleep((useconds_t)pause_ms * 1000);
		feed(master, two);
		_exit(0);
	}
	return pid;
}

static void arrived(const char *text)
{
	int before = 0;

	ioctl(slave, FIONREAD, &before);
	feed(master, text);
	until_readable(slave, before + (int)strlen(text));
}

int main(void)
{
	struct pollfd p;
	double start;
	int status;

	master = open_pair(&slave);
	p = (struct pollfd){ slave, POLLIN, 0 };
	mode(0, 0);
	get(10, 0);
	arrived("abc");
	get(2, 0);
	get(10, 0);
	mode(0, 2);
	get(10, 200);
	arrived("abc");
	get(10, 0);
	mode(3, 0);
	start = now();
	pieces("ab", 30, "cd");
	get_after(start, 10, 50);
	wait(&status);
	mode(3, 0);
	arrived("abcde");
	get(10, 0);
	mode(3, 0);
	arrived("ab");
	show("  poll %d", poll(&p, 1, 0));
	arrived("c");
	show("  poll %d", poll(&p, 1, 0));
	get(10, 0);
	mode(3, 0);
	arrived("abcd");
	get(2, 0);
	mode(5, 2);
	start = now();
	pieces("ab", 0, "");
	get_after(start, 10, 220);
	wait(&status);
	mode(2, 5);
	arrived("abc");
	get(10, 0);
	fcntl(slave, F_SETFL, O_NONBLOCK);
	mode(3, 0);
	get(10, 0);
	arrived("a");
	get(10, 0);
	mode(0, 0);
	get(10, 0);
	mode(0, 5);
	get(10, 0);
	return 0;
}
