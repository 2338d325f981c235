/* Bytes go through a raw terminal both ways at once, faster than they are read: none is lost. */
#include "pty.h"

#define TOTAL 400000L

static unsigned char byte_at(long at)
{
	return (unsigned char)(at * 7 + at / 251);
}

/* Writes all of buf, also in parts. */
static void write_all(int fd, const unsigned char *buf, ssize_t count)
{
	for (ssize_t n, done = 0; done < count; done += n)
		if ((n = write(fd, buf + done, (size_t)(count - done))) < 0)
			_exit(1);
}

static void types(int master)
{
	unsigned char buf[777];

	for (long at = 0; at < TOTAL; at += (long)sizeof(buf)) {
		long n = TOTAL - at < (long)sizeof(buf) ? TOTAL - at : (long)sizeof(buf);

		for (long i = 0; i < n; i++)
			buf[i] = byte_at(at + i);
		write_all(master, buf, n);
	}
	_exit(0);
}

/* Reads all bytes. Returns how many are wrong; echo: writes them back. */
static long reads(int fd, size_t size, int echo)
{
	unsigned char buf[1000];
	long wrong = 0;
	ssize_t n;

	for (long at = 0; at < TOTAL; at += n) {
		n = read(fd, buf, size);
		if (n <= 0)
			return -1;
		for (ssize_t i = 0; i < n; i++)
			wrong += buf[i] != byte_at(at + i);
		if (echo)
			write_all(fd, buf, n);
	}
	return wrong;
}

int main(void)
{
	int slave, master = open_pair(&slave), status = 0;
	pid_t typist, program;
	struct termios modes;

	tcgetattr(slave, &modes);
	cfmakeraw(&modes);
	tcsetattr(slave, TCSANOW, &modes);
	typist = fork();
	if (!typist)
		types(master);
	program = fork();
	if (!program)
		_exit(reads(slave, 500, 1) != 0);
	show("wrong bytes: %ld", reads(master, 900, 0));
	waitpid(typist, &status, 0);
	show_status("typist", status);
	waitpid(program, &status, 0);
	show_status("program", status);
	return 0;
}
