/*
 * The call chain of a switch: where it begins in the kernel, and that the program's frames follow.
 * The registers of a switch: those that its place in the kernel gives.
 */
#include "perf.h"

#include <asm/perf_regs.h>
#include <sched.h>

#define BUFFER_PAGES 8

/* The function of the kernel that holds an address. */
static const char *symbol_of(uint64_t address)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	static char best[100];
	char line[256], name[100] = "";
	uint64_t at, highest = 0;
	char type;

	strcpy(best, "none");
	while (fgets(line, sizeof(line), symbols))
		if (sscanf(line, "%lx %c %99s", &at, &type, name) == 3 && at <= address && at > highest) {
			highest = at;
			strcpy(best, name);
		}
	fclose(symbols);
	return best;
}

struct chain {
	struct perf_event_header header;
	uint64_t nr, ips[];
};

/* The record of a sleep. A kernel thread with more urgency may have preempted the task, too: then it has a record before. */
static const struct chain *of_a_sleep(const struct perf_event_mmap_page *page)
{
	const char *data = (const char *)page + PAGE;

	for (uint64_t at = 0; at < page->data_head; at += ((const struct perf_event_header *)(data + at))->size)
		if (!strcmp(symbol_of(((const struct chain *)(data + at))->ips[1]), "schedule"))
			return (const void *)(data + at);
	return (const void *)data;
}

static void switches(void)
{
	int fd = EVENT(.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sample_period = 1, .sample_type = PERF_SAMPLE_CALLCHAIN, .disabled = 1);
	struct perf_event_mmap_page *page = map_buffer(fd, BUFFER_PAGES);
	const struct chain *chain;
	unsigned user = 0, kernel = 0, mark = 0;

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	/* A sleep that is over before it begins needs no switch. */
	for (int i = 0; i < 1000 && ((volatile struct perf_event_mmap_page *)page)->data_head < 1000; i++)
		usleep(1000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	chain = of_a_sleep(page);
	show("type %u, more than two words: %s", chain->header.type, chain->nr > 2 ? "yes" : "no");
	for (uint64_t i = 0; i < chain->nr; i++) {
		if (chain->ips[i] >= PERF_CONTEXT_MAX)
			mark++;
		else if (chain->ips[i] >> 63)
			kernel++;
		else
			user++;
	}
	show("marks %u, the first is of the kernel: %s", mark, chain->ips[0] == PERF_CONTEXT_KERNEL ? "yes" : "no");
	show("the first function: %s", symbol_of(chain->ips[1]));
	show("more frames of the kernel: %s, frames of the program: %s", kernel > 1 ? "yes" : "no", user ? "yes" : "no");
	munmap(page, (BUFFER_PAGES + 1) * PAGE);
	close(fd);
}

#define REGISTER(name) (1UL << PERF_REG_X86_##name)

struct registers {
	struct perf_event_header header;
	uint64_t ip, abi, ax, bp, sp, reg_ip, flags, cs, ss;
};

static void registers(void)
{
	int fd = EVENT(.config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sample_period = 1,
		       .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_REGS_INTR,
		       .sample_regs_intr = REGISTER(AX) | REGISTER(BP) | REGISTER(SP) | REGISTER(IP) | REGISTER(FLAGS) | REGISTER(CS) | REGISTER(SS),
		       .disabled = 1);
	struct perf_event_mmap_page *page = mmap(NULL, (BUFFER_PAGES + 1) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	const struct registers *sample = (const void *)((char *)page + PAGE);

	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int i = 0; i < 1000 && !((volatile struct perf_event_mmap_page *)page)->data_head; i++)
		usleep(1000);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	show("size %u, abi %lu, ax %lu, bp %lu, flags %lu, cs %lx, ss %lx", sample->header.size, sample->abi, sample->ax, sample->bp, sample->flags,
	     sample->cs, sample->ss);
	show("ip is that of the sample: %s, sp is in the kernel: %s", sample->ip == sample->reg_ip ? "yes" : "no", sample->sp >> 63 ? "yes" : "no");
	munmap(page, (BUFFER_PAGES + 1) * PAGE);
	close(fd);
}

int main(void)
{
	struct sched_param highest = {.sched_priority = 99};

	/* No other task takes the CPU: the only switches are those of the sleeps. */
	syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &highest);
	switches();
	registers();
	return 0;
}
