/* /proc/PID/io: what each call adds, of a process and of a thread, after the end of threads and children; who may read it. */
#include "abi.h"
#include <pthread.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { RCHAR, WCHAR, SYSCR, SYSCW, FIELDS };

static char buf[4096];
static unsigned long long before[FIELDS], overhead;
static int io, zero, null, file;

/* The numbers. The reading itself counts afterwards, as one call of the bytes that are returned. */
static ssize_t get(unsigned long long v[FIELDS])
{
	char text[300] = { 0 };
	ssize_t n = pread(io, text, sizeof(text) - 1, 0);

	sscanf(text, "rchar: %llu wchar: %llu syscr: %llu syscw: %llu", &v[0], &v[1], &v[2], &v[3]);
	return n;
}

static void begin(void)
{
	fflush(stdout);
	overhead = get(before);
}

static void end(const char *what)
{
	unsigned long long now[FIELDS];

	get(now);
	show("%s: rchar %llu wchar %llu syscr %llu syscw %llu", what, now[RCHAR] - before[RCHAR] - overhead,
	     now[WCHAR] - before[WCHAR], now[SYSCR] - before[SYSCR] - 1, now[SYSCW] - before[SYSCW]);
}

#define COUNT(call)                          \
	do {                                 \
		begin();                     \
		(void)!(call);               \
		end(#call);                  \
	} while (0)

static void *reader(void *arg)
{
	for (int i = 0; i < 3; i++)
		(void)!read(zero, buf, 4096);
	return arg;
}

static int run_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, reader, NULL);
	return pthread_join(thread, NULL);
}

static int run_child(int wait)
{
	pid_t child = fork();

	if (!child) {
		reader(NULL);
		_exit(0);
	}
	return wait ? waitpid(child, NULL, 0) : waitid(P_PID, child, &(siginfo_t){ 0 }, WEXITED | WNOWAIT);
}

static void as_user(void)
{
	int fd;

	setresuid(1000, 1000, 1000);
	fd = open("/proc/self/io", O_RDONLY);
	show("own: %s", fd < 0 ? error_name(errno) : "opened");
	CALL(open("/proc/1/io", O_RDONLY));
	CALL(read(io, buf, 1));
}

int main(void)
{
	struct iovec vec[2] = { { buf, 4096 }, { buf, 4096 } };
	char text[400] = { 0 };
	struct stat st;
	int fds[2], i;
	loff_t in = 0, out = 8192;

	zero = open("/dev/zero", O_RDWR);
	null = open("/dev/null", O_RDWR);
	file = open("f", O_RDWR | O_CREAT, 0644);
	io = open("/proc/self/io", O_RDONLY);
	fstat(io, &st);
	show("mode %o", st.st_mode);
	(void)!read(io, text, sizeof(text) - 1);
	for (i = 0; text[i]; i++)
		if (text[i] < '0' || text[i] > '9')
			putchar(text[i]);
	(void)!pipe(fds);
	COUNT(read(zero, buf, 4096));
	COUNT(write(null, buf, 1));
	COUNT(write(file, buf, 4096));
	COUNT(pread(file, buf, 4096, 0));
	COUNT(pwrite(file, buf, 100, 0));
	COUNT(readv(zero, vec, 2));
	COUNT(writev(null, vec, 2));
	COUNT(preadv(file, vec, 1, 0));
	COUNT(pwritev(file, vec, 1, 0));
	COUNT(lseek(file, 0, SEEK_SET));
	COUNT(sendfile(fds[1], file, NULL, 4096));
	COUNT(read(fds[0], buf, 4096));
	COUNT(copy_file_range(file, &in, file, &out, 4096, 0));
	COUNT(read(99, buf, 1));
	COUNT(read(fds[1], buf, 1));
	COUNT(write(fds[0], buf, 1));
	COUNT(read(zero, (void *)8, 1));
	COUNT(write(null, buf, 0));
	COUNT(read(zero, buf, 0));
	COUNT(run_thread());
	COUNT(run_child(1));
	COUNT(run_child(0));
	COUNT(waitpid(-1, NULL, 0));
	in_child("as a user", as_user);
	CALL(open("/proc/self/io", O_WRONLY));
	CALL(write(open("/proc/self/io", O_RDWR), "1", 1));
	return 0;
}
