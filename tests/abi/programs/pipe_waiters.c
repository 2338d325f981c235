/* Several readers and writers of one pipe: nobody sleeps on, no write is seen in parts, and no end is reported too early. */
#include "abi.h"

#include <pthread.h>

#define MESSAGE 64
#define ROUNDS  3000
#define PAGE    4096L

static int p[2];
static char big[65536];
static volatile int over;

/* tee(2) waits, then a reader: both see what is written. */
static void reader_behind_tee(void)
{
	int q[2], status;
	pid_t tee_pid, pid;
	char buf[10];

	pipe(p);
	pipe(q);
	tee_pid = fork();
	if (!tee_pid)
		_exit((int)syscall(SYS_tee, p[0], q[1], 10UL, 0));
	until_asleep(tee_pid, tee_pid);
	pid = fork();
	if (!pid)
		_exit((int)read(p[0], buf, 10));
	until_asleep(pid, pid);
	write(p[1], "hello", 5);
	waitpid(pid, &status, 0);
	show_status("reader", status);
	kill(tee_pid, SIGKILL);
	waitpid(tee_pid, &status, 0);
}

/* Writes from two pages, of which the second is never there. */
static void *write_from_nowhere(void *unused)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(pages, 'a', PAGE);
	for (int i = 0; i < ROUNDS; i++) {
		madvise(pages + PAGE, PAGE, MADV_DONTNEED);
		write(p[1], pages + PAGE - MESSAGE / 2, MESSAGE);
	}
	return NULL;
}

static void *write_quickly(void *unused)
{
	char message[MESSAGE];

	memset(message, 'b', MESSAGE);
	for (int i = 0; i < ROUNDS; i++)
		write(p[1], message, MESSAGE);
	return NULL;
}

static bool is_whole(const char *message)
{
	char second = message[0] == 'a' ? 0 : 'b';

	for (int i = 0; i < MESSAGE; i++)
		if (message[i] != (i < MESSAGE / 2 ? message[0] : second))
			return false;
	return true;
}

static void whole_messages(void)
{
	pthread_t writers[2];
	int whole = 0, others = 0;
	char message[MESSAGE];

	pipe(p);
	pthread_create(&writers[0], NULL, write_from_nowhere, NULL);
	pthread_create(&writers[1], NULL, write_quickly, NULL);
	for (int bytes = 0; bytes < 2 * ROUNDS * MESSAGE;) {
		ssize_t n = read(p[0], message, MESSAGE);

		if (n <= 0)
			break;
		if (n == MESSAGE && is_whole(message))
			whole++;
		else
			others++;
		bytes += (int)n;
	}
	show("%d whole messages, %d others", whole, others);
	pthread_join(writers[0], NULL);
	pthread_join(writers[1], NULL);
}

/* Reads into a page that is never there, while another thread reads, too. Returns how often it found the end. */
static void *read_to_nowhere(void *unused)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long ends = 0;

	while (!over) {
		madvise(page, PAGE, MADV_DONTNEED);
		if (read(p[0], page, 1) == 0)
			ends++;
	}
	return (void *)ends;
}

static void *read_quickly(void *unused)
{
	char c;

	while (!over)
		read(p[0], &c, 1);
	return NULL;
}

static void false_ends(void)
{
	pthread_t readers[2];
	void *ends;

	pipe(p);
	pthread_create(&readers[0], NULL, read_to_nowhere, NULL);
	pthread_create(&readers[1], NULL, read_quickly, NULL);
	for (int i = 0; i < 5 * ROUNDS; i++)
		write(p[1], "x", 1);
	over = 1;
	write(p[1], big, 100);
	pthread_join(readers[0], &ends);
	pthread_join(readers[1], NULL);
	show("%ld ends while there was a writer", (long)ends);
}

/* A larger ring for a pipe whose bytes have come around into the page that is being read. */
static void larger_ring(void)
{
	unsigned char byte, next = 0;
	int written, in_order = 0;

	pipe2(p, O_NONBLOCK);
	for (int i = 0; i < 65536; i++)
		big[i] = (char)i;
	CALL(write(p[1], big, 65536));
	for (int i = 0; i < 100; i++)
		read(p[0], &byte, 1);
	written = (int)write(p[1], big, 100);
	OK(fcntl(p[1], F_SETPIPE_SZ, 65536));
	OK(fcntl(p[1], F_SETPIPE_SZ, 131072));
	for (next = 100; read(p[0], &byte, 1) == 1; next++)
		in_order += byte == next;
	show("all bytes in order: %d", in_order == 65436 + (written > 0 ? written : 0));
}

int main(void)
{
	CHILD(reader_behind_tee);
	CHILD(whole_messages);
	CHILD(false_ends);
	CHILD(larger_ring);
	return 0;
}
