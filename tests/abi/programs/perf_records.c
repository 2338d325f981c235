/* The records beside the samples: COMM, MMAP, MMAP2, FORK, EXIT, SWITCH of a task, and what sample_id_all adds to them. */
#include "perf.h"

#include <elf.h>
#include <sched.h>
#include <sys/prctl.h>

#define BUFFER 8

static struct perf_event_mmap_page *page;

/* Copies bytes of the buffer, which may go on at its start. */
static void copy(void *to, uint64_t at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = ((char *)page)[PAGE + (at + i) % (BUFFER * PAGE)];
}

static const char *whose(uint32_t pid)
{
	return pid == (uint32_t)getpid() ? "own" : pid ? "other" : "0";
}

/* Where in its file an area begins. Of an anonymous area the kernel says its address. */
static const char *place(const uint32_t *words)
{
	static char text[16];

	snprintf(text, sizeof(text), "%u", words[8]);
	return words[8] && words[8] == words[4] && words[9] == words[5] ? "address" : text;
}

/* Says what the new records are, and frees their room. */
static void records(const char *what)
{
	show("%s", what);
	for (uint64_t at = page->data_tail, end = page->data_head; at < end;) {
		union {
			struct perf_event_header header;
			uint32_t words[200];
			char bytes[800];
		} record;

		copy(&record, at, sizeof(record.header));
		if (record.header.size < sizeof(record.header) || record.header.size > sizeof(record)) {
			show("  size %u", record.header.size);
			break;
		}
		copy(&record, at, record.header.size);
		at += record.header.size;
		switch (record.header.type) {
		case PERF_RECORD_COMM:
			show("  COMM misc %#x size %u pid %s \"%s\"", record.header.misc, record.header.size, whose(record.words[2]), record.bytes + 16);
			break;
		case PERF_RECORD_FORK:
		case PERF_RECORD_EXIT:
			show("  %s misc %#x size %u pid %s parent %s", record.header.type == PERF_RECORD_FORK ? "FORK" : "EXIT", record.header.misc, record.header.size,
			     whose(record.words[2]), whose(record.words[3]));
			break;
		case PERF_RECORD_MMAP:
			show("  MMAP misc %#x size %u pid %s length %#x pgoff %s \"%s\"", record.header.misc, record.header.size, whose(record.words[2]), record.words[6],
			     place(record.words), record.bytes + 40);
			break;
		case PERF_RECORD_MMAP2:
			if (record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
				show("  build id of %u bytes: %.20s", record.bytes[40], record.bytes + 44);
			show("  MMAP2 misc %#x size %u pid %s length %#x pgoff %s prot %u flags %#x \"%s\"", record.header.misc, record.header.size,
			     whose(record.words[2]), record.words[6], place(record.words), record.words[16], record.words[17], record.bytes + 72);
			break;
		case PERF_RECORD_SWITCH:
			show("  SWITCH misc %#x size %u", record.header.misc, record.header.size);
			break;
		default:
			show("  type %u misc %#x size %u", record.header.type, record.header.misc, record.header.size);
		}
	}
	page->data_tail = page->data_head;
}

static int start(struct perf_event_attr attr)
{
	int fd = perf_open(&attr, 0, -1, -1, 0);

	page = map_buffer(fd, BUFFER);
	said("event", fd);
	return page == MAP_FAILED ? _exit(1), -1 : fd;
}

static void stop(int fd)
{
	munmap(page, (BUFFER + 1) * PAGE);
	close(fd);
}

#define NOTHING .config = PERF_COUNT_SW_DUMMY

static void names(void)
{
	int fd = start(ATTR(NOTHING, .comm = 1, .comm_exec = 1));

	prctl(PR_SET_NAME, "first");
	records("PR_SET_NAME");
	prctl(PR_SET_NAME, "fifteen_letters_");
	records("a long name");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	prctl(PR_SET_NAME, "unseen");
	records("off");
	stop(fd);
	fd = start(ATTR(NOTHING, .comm = 1, .sample_id_all = 1, .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU));
	prctl(PR_SET_NAME, "name");
	records("with sample_id_all");
	stop(fd);
}

static void areas(bool mmap2, bool data)
{
	int file = open("f", O_RDWR | O_CREAT, 0755), fd;
	char *area;

	ftruncate(file, 3 * PAGE);
	fd = start(ATTR(NOTHING, .mmap = 1, .mmap2 = mmap2, .mmap_data = data));
	records("nothing");
	area = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, PAGE);
	records("a file, executable");
	mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
	records("a file, to be read");
	mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	records("anonymous, executable");
	mprotect(area, PAGE, PROT_READ);
	records("mprotect: a page to be read");
	mprotect(area, PAGE, PROT_READ | PROT_EXEC);
	records("mprotect: executable again");
	munmap(area, 2 * PAGE);
	records("munmap");
	stop(fd);
	close(file);
	unlink("f");
}

static void tasks(void)
{
	int fd = start(ATTR(NOTHING, .task = 1, .comm = 1, .mmap = 1));
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "child");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	records("fork, PR_SET_NAME and exit of a child");
	stop(fd);
}

static void inherited(void)
{
	int fd;
	pid_t pid;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	fd = perf_open(&ATTR(NOTHING, .task = 1, .comm = 1, .inherit = 1), 0, 0, -1, 0);
	page = map_buffer(fd, BUFFER);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "child");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	records("inherited, on one CPU: fork, PR_SET_NAME and exit of a child");
	stop(fd);
}

static void switches(void)
{
	int fd = start(ATTR(NOTHING, .context_switch = 1, .exclude_kernel = 1)), ends[2];
	struct perf_event_header header;
	bool slept = false, back = false;
	uint64_t before;
	pid_t pid;
	char byte;

	pipe(ends);
	pid = fork();
	if (!pid) {
		until_asleep(getppid(), getppid());
		write(ends[1], "x", 1);
		_exit(0);
	}
	page->data_tail = before = page->data_head;
	read(ends[0], &byte, 1);
	waitpid(pid, NULL, 0);
	show("a sleep: %s", page->data_head - before >= 16 && page->data_head % 16 == 0 ? "an even number of records" : "other");
	/* The task may also have lost its CPU before: then misc is 0x6000. */
	for (uint64_t at = before; at < page->data_head; at += sizeof(header)) {
		copy(&header, at, sizeof(header));
		slept |= header.type == PERF_RECORD_SWITCH && header.misc == PERF_RECORD_MISC_SWITCH_OUT && header.size == sizeof(header);
		back |= header.type == PERF_RECORD_SWITCH && !header.misc && header.size == sizeof(header);
	}
	show("a switch out, not preempted: %s, a switch in: %s", slept ? "yes" : "no", back ? "yes" : "no");
	stop(fd);
}

/* A new program: the name that it gets by exec. */
static void programs(void)
{
	int ready[2], fd;
	pid_t pid;
	char byte;

	pipe(ready);
	pid = fork();
	if (!pid) {
		read(ready[0], &byte, 1);
		execl("/proc/self/exe", "program", "end", NULL);
		_exit(1);
	}
	fd = perf_open(&ATTR(NOTHING, .comm = 1, .comm_exec = 1), pid, -1, -1, 0);
	page = map_buffer(fd, BUFFER);
	write(ready[1], "x", 1);
	waitpid(pid, NULL, 0);
	records("exec");
	stop(fd);
}

static void namespaces(void)
{
	int fd = start(ATTR(NOTHING, .namespaces = 1));
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	records("namespaces of a child");
	stop(fd);
}

/* A file whose first page has a build id, and one whose first page has none. */
static void build_ids(void)
{
	static char note[] = "\4\0\0\0\24\0\0\0\3\0\0\0GNU\0abcdefghijklmnopqrst";
	Elf64_Phdr segment = { .p_type = PT_NOTE, .p_offset = 256, .p_filesz = 36 };
	Elf64_Ehdr elf = { .e_ident = { 127, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT }, .e_type = ET_DYN, .e_phoff = sizeof(elf),
			   .e_phentsize = sizeof(segment), .e_phnum = 1 };
	int file = open("f", O_RDWR | O_CREAT, 0755), fd;

	ftruncate(file, 3 * PAGE);
	pwrite(file, &elf, sizeof(elf), 0);
	pwrite(file, &segment, sizeof(segment), sizeof(elf));
	pwrite(file, note, 36, 256);
	fd = start(ATTR(NOTHING, .mmap = 1, .mmap2 = 1, .build_id = 1));
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 2 * PAGE);
	records("a file with a build id");
	segment.p_filesz = 35;
	pwrite(file, &segment, sizeof(segment), sizeof(elf));
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
	records("a note that is cut off");
	mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	records("anonymous");
	stop(fd);
	close(file);
	unlink("f");
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		return 0;
	names();
	areas(false, false);
	areas(true, false);
	areas(true, true);
	tasks();
	inherited();
	switches();
	programs();
	namespaces();
	build_ids();
	return 0;
}
