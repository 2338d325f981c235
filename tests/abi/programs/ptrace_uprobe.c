/* ptrace(2): steps over instructions that are probed (uprobes) stop after each of them once, and the probes are hit. */
#include "ptrace.h"

#include <fcntl.h>
#include <sys/mount.h>

#define TRACING "/tmp/tracing/" /* a mount of its own */
#define PROBES 7

__attribute__((noinline, naked)) static long probed(long a)
{
	__asm__("nopl 0(%rax)\n\tpush %rbx\n\tmov 4(%rsp), %ebx\n\tadd %rbx, %rdi\n\tmov %rdi, %rax\n\tpop %rbx\n\tret");
}
static const unsigned long offsets[PROBES] = { 0, 3, 4, 8, 11, 14, 15 };

static void put(const char *file, int flags, const char *text)
{
	int fd = open(file, O_WRONLY | flags);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		show("%s: %s", file, error_name(errno));
	close(fd);
}

/* Where an address is in this program's file. */
static unsigned long in_file(unsigned long address)
{
	unsigned long start, end, offset, found = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[300];

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= address && address < end)
			found = address - start + offset;
	fclose(maps);
	return found;
}

static void make_probes(void)
{
	char path[200] = "", text[300];

	readlink("/proc/self/exe", path, sizeof(path) - 1);
	for (int i = 0; i < PROBES; i++) {
		snprintf(text, sizeof(text), "p:stepped/at%d %s:0x%lx", i, path, in_file((unsigned long)probed) + offsets[i]);
		put(TRACING "uprobe_events", O_APPEND, text);
	}
}

static void tracee(void)
{
	probed(1);
}

static void step_through(const char *name)
{
	pid_t pid = traced_child(tracee, 0);
	struct user_regs_struct regs;
	int stops = 0, tf = 0, status;
	char where[200] = "";

	for (;;) {
		trace(GETREGS, pid, 0, P(&regs));
		if (regs.rip - (unsigned long)probed < 16) {
			snprintf(where + strlen(where), sizeof(where) - strlen(where), " +%lu", (unsigned long)regs.rip - (unsigned long)probed);
			tf |= regs.eflags & 0x100;
			stops++;
		}
		trace(STEP, pid, 0, 0);
		if (waitpid(pid, &status, ANY) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
	}
	show("%s: %d stops:%s, TF %#x", name, stops, where, tf);
	show_stop("  end", status);
}

static void count_hits(void)
{
	FILE *trace_file = fopen(TRACING "trace", "r");
	int hits[PROBES] = { 0 };
	char line[300], *at;

	while (fgets(line, sizeof(line), trace_file))
		if ((at = strstr(line, " at")) && at[3] >= '0' && at[3] < '0' + PROBES && at[4] == ':')
			hits[at[3] - '0']++;
	fclose(trace_file);
	show("hits: %d %d %d %d %d %d %d", hits[0], hits[1], hits[2], hits[3], hits[4], hits[5], hits[6]);
}

int main(void)
{
	mkdir("/tmp/tracing", 0700);
	mount("tracefs", "/tmp/tracing", "tracefs", 0, NULL);
	step_through("without probes");
	make_probes();
	put(TRACING "events/stepped/enable", 0, "1");
	step_through("with probes");
	count_hits();
	put(TRACING "events/stepped/enable", 0, "0");
	step_through("after them");
	put(TRACING "uprobe_events", O_TRUNC, "\n");
	umount("/tmp/tracing");
	rmdir("/tmp/tracing");
	return 0;
}
