/* While a process executes a set-user-ID program, its user never gets at the memory of the program. */
#include "abi.h"

#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/uio.h>

#define ROUNDS 20
#define MEMORY (8UL << 20) /* the old address space takes time to go */

static volatile int mark;

static void copy_self(const char *to, mode_t mode)
{
	char buffer[65536];
	ssize_t n;
	int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	while ((n = read(in, buffer, sizeof(buffer))) > 0)
		write(out, buffer, (size_t)n);
	fchmod(out, mode);
	close(in);
	close(out);
}

/* Where the program has told that its argument lies; without a random layout, there it lies the next time, too. */
static unsigned long argument;
static int tell[2];

/* Writes to the child by each way until it has ended. Returns how it ended. */
static int attack(pid_t pid)
{
	static char text[4] = "hit";
	static int one = 1;
	int status, fds[64], opened = 0;
	struct iovec local[2] = { { text, sizeof(text) }, { &one, sizeof(one) } };
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		struct iovec remote[2] = { { (void *)argument, sizeof(text) }, { (void *)&mark, sizeof(mark) } };

		process_vm_writev(pid, local, 2, remote, 2, 0);
		if (opened < 64) /* one that is opened at the right moment stays open */
			fds[opened] = open(path, O_RDWR);
		if (opened < 64 && fds[opened] >= 0)
			opened++;
		for (int i = 0; i < opened; i++)
			pwrite(fds[i], &one, sizeof(one), (off_t)(unsigned long)&mark);
	}
	while (opened)
		close(fds[--opened]);
	return status;
}

static void execute(void)
{
	char *memory = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(memory, 1, MEMORY);
	personality(ADDR_NO_RANDOMIZE);
	dup2(tell[1], 3);
	execl("./setuid", "./setuid", "run", NULL);
	_exit(9);
}

static void run_rounds(void)
{
	int escapes = 0, runs = 0;

	pipe2(tell, O_NONBLOCK); /* a child that has not begun the program tells nothing */
	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	prctl(PR_SET_DUMPABLE, 1);
	for (int i = 0; i < ROUNDS; i++) {
		pid_t pid = fork();
		int status;

		if (!pid)
			execute();
		status = attack(pid);
		read(tell[0], &argument, sizeof(argument));
		runs += WIFEXITED(status) && WEXITSTATUS(status) < 2;
		escapes += WIFEXITED(status) && WEXITSTATUS(status) == 1;
	}
	show("runs as root: %d, of them with memory that the user has changed: %d", runs, escapes);
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		argument = (unsigned long)argv[1];
		write(3, &argument, sizeof(argument));
		return geteuid() ? 2 : mark || strcmp(argv[1], "run");
	}
	chmod(".", 0755);
	copy_self("setuid", 04755);
	CHILD(run_rounds);
	return 0;
}
