/* A program for the kernel under test: lab12_calls STEP makes system calls, and prints what they return. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

static char *page_end; /* nothing is mapped behind it */

static void show(const char *name, long ret)
{
	if (ret >= 0)
		printf("%s ok\n", name);
	else if (errno == ENOSYS || errno == EFAULT)
		printf("%s %s\n", name, errno == ENOSYS ? "ENOSYS" : "EFAULT");
	else
		printf("%s error %d\n", name, errno);
}

static void numbers(void)
{
	static const long all[] = { 511, 512, 513, 1023, 4096, 65536, 0x7fffffff, 0x80000000, 0xffffffff, 0x40000027, -1 };

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++) {
		char name[32];

		sprintf(name, "%#lx", (unsigned long)all[i]);
		show(name, syscall(all[i], 0, 0, 0));
	}
	show("upper", syscall(0x700000000 + SYS_getpid));
	show("getpid", syscall(SYS_getpid));
}

/* Calls getcpu(), which has no other result than 0 and errors. */
static void getcpu_shows(const char *name, void *cpu, void *node, void *unused)
{
	long ret = syscall(SYS_getcpu, cpu, node, unused);

	if (ret > 0)
		printf("%s returns %ld\n", name, ret);
	else
		show(name, ret);
}

static void cpus(void)
{
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		unsigned seen[2] = { 99, 99 }, node[2] = { 99, 99 }; /* the second one is not for the kernel */
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		sched_setaffinity(0, sizeof(set), &set);
		getcpu_shows("getcpu", seen, node, NULL);
		printf("cpu %u node %u%s\n", seen[0], node[0], seen[1] == 99 && node[1] == 99 ? "" : ", and bytes behind them");
	}
	getcpu_shows("no cpu", NULL, NULL, NULL);
	getcpu_shows("bad cpu", (void *)16, NULL, NULL);
	getcpu_shows("bad node", NULL, page_end, NULL);
	getcpu_shows("kernel cpu", (void *)0xffffffff81000000, NULL, NULL);
	getcpu_shows("bad cache", NULL, NULL, (void *)16);
}

static void faults(void)
{
	static void *const bad[] = { (void *)16, (void *)0x7ffffffff000, (void *)0x8000000000000000, (void *)0xffffffff81000000,
				     (void *)-8 };
	int fds[2];

	pipe(fds);
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char name[64];

		sprintf(name, "write() from %p", bad[i]);
		show(name, write(fds[1], bad[i], 100));
		sprintf(name, "uname() to %p", bad[i]);
		show(name, syscall(SYS_uname, bad[i]));
	}
	for (unsigned there = 0; there < 20; there += 3) {
		char name[64];

		sprintf(name, "uname() to memory that ends after %u bytes", there);
		show(name, syscall(SYS_uname, page_end - there));
	}
	show("whole", syscall(SYS_uname, page_end - sizeof(struct utsname)));
	show("alive", syscall(SYS_getpid));
}

/* Executes the script ./plain by a descriptor that is closed before its interpreter runs. */
static void closed(void)
{
	char *const arguments[] = { "plain", NULL };

	show("closed", syscall(SYS_execveat, open("plain", O_RDONLY | O_CLOEXEC), "", arguments, environ, AT_EMPTY_PATH));
}

int main(int argc, char **argv)
{
	const char *step = argc > 1 ? argv[1] : "";
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	page_end = pages + 4096;
	munmap(page_end, 4096);
	if (!strcmp(step, "numbers"))
		numbers();
	else if (!strcmp(step, "cpus"))
		cpus();
	else if (!strcmp(step, "faults"))
		faults();
	else if (!strcmp(step, "closed"))
		closed();
	else if (!strcmp(step, "ids"))
		printf("user %d group %d\n", (int)geteuid(), (int)getegid());
	else
		for (int i = 0; i < argc; i++)
			printf("[%s]\n", argv[i]);
	return 0;
}
