/* fork(2) and memory: copy on write, shared areas, the break, descriptors and their offsets, vfork(2). */
#include "abi.h"

static int data = 1;
static int *shared, *private;
static char stack_word = 's';
static int fd;
static pid_t grandchild_parent;

static void child(void)
{
	int local = 5;

	data = 2;
	*shared = 2;
	*private = 2;
	stack_word = 'c';
	show("child: data %d shared %d private %d local %d", data, *shared, *private, local);
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, 4, SEEK_SET));
	CALL(close(fd));
}

static void many(void)
{
	volatile char *memory = mmap(NULL, 4 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long sum = 0;

	for (int i = 0; i < 4 << 20; i += 4096)
		memory[i] = 1;
	for (int n = 0; n < 8; n++)
		if (!fork()) {
			for (int i = 0; i < 4 << 20; i += 8192)
				memory[i] = (char)(n + 2);
			for (int i = 0; i < 4 << 20; i += 4096)
				sum += memory[i];
			_exit(sum == 512L * (n + 2) + 512 ? 0 : 1);
		}
	for (int n = 0, status; n < 8; n++)
		if (wait(&status) < 0 || status)
			show("status %x", status);
	for (int i = 0; i < 4 << 20; i += 4096)
		sum += memory[i];
	show("sum %ld", sum);
}

static void dontfork(void)
{
	*(volatile int *)private = 1;
}

static void orphan(void)
{
	grandchild_parent = getpid();
	if (!fork()) {
		while (getppid() == grandchild_parent)
			usleep(1000);
		show("parent is init: %d", getppid() == 1);
		_exit(0);
	}
}

int main(void)
{
	volatile int before;
	int status, p[2];
	char c;
	pid_t pid;

	CALL(fd = open("f", O_RDWR | O_CREAT, 0600));
	CALL(write(fd, "0123456789", 10));
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	private = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*shared = *private = 1;
	CHILD(child);
	show("data %d shared %d private %d %c", data, *shared, *private, stack_word);
	CALL(lseek(fd, 0, SEEK_CUR));
	CHILD(many);
	before = 1;
	pid = vfork();
	if (!pid) {
		before = 2;
		_exit(9);
	}
	show("after vfork: %d", before);
	waitpid(pid, &status, 0);
	show_status("vfork", status);
	CALL(madvise(private, 4096, MADV_DONTFORK));
	signal(SIGSEGV, SIG_DFL);
	CHILD(dontfork);
	pipe(p);
	if (!fork()) {
		close(p[0]);
		orphan();
		_exit(0);
	}
	/* The orphan holds the other end until it ends. */
	close(p[1]);
	CALL(read(p[0], &c, 1));
	wait(NULL);
	return 0;
}
