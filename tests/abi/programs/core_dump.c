/* Core files: which processes leave one, what it is called, and what is in it. See core(5). */
#include "abi.h"

#include <elf.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/procfs.h>

#define PATTERN "/proc/sys/kernel/core_pattern"

static char *core; /* the file */
static size_t core_size;
static volatile int *in_heap, *private_zero, *shared, *hidden, *forbidden;
static volatile int in_data = 0x11111111;
static const volatile int in_text = 0x22222222;
static volatile long crash_at;

static void set_pattern(const char *pattern)
{
	int fd = open(PATTERN, O_WRONLY);

	if (fd < 0 || write(fd, pattern, strlen(pattern)) < 0)
		show("core_pattern %s: %s", pattern, error_name(errno));
	close(fd);
}

static void set_limit(rlim_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	setrlimit(RLIMIT_CORE, &limit);
}

static bool read_core(const char *name)
{
	struct stat st;
	int fd = open(name, O_RDONLY);

	free(core);
	core = NULL;
	if (fd < 0 || fstat(fd, &st))
		return false;
	core_size = (size_t)st.st_size;
	core = malloc(core_size + 1);
	if (read(fd, core, core_size) != (ssize_t)core_size)
		show("cannot read %s", name);
	close(fd);
	return true;
}

/* The bytes of the file for an address, or NULL. */
static const void *core_at(const volatile void *address)
{
	const Elf64_Ehdr *elf = (void *)core;
	const Elf64_Phdr *segment = (void *)(core + elf->e_phoff);

	for (int i = 0; i < elf->e_phnum; i++) {
		uint64_t offset = (uint64_t)address - segment[i].p_vaddr;

		if (segment[i].p_type == PT_LOAD && (uint64_t)address >= segment[i].p_vaddr && offset < segment[i].p_filesz)
			return segment[i].p_offset + offset + sizeof(int) <= core_size ? core + segment[i].p_offset + offset : NULL;
	}
	return NULL;
}

static void show_int(const char *name, const volatile int *address)
{
	const int *value = core_at(address);

	if (value)
		show("%s: %#x", name, (unsigned)*value);
	else
		show("%s: not in the file", name);
}

/* ---- the notes ---- */

static const char *type_name(const Elf64_Nhdr *note)
{
	switch (note->n_type) {
	case NT_PRSTATUS: return "PRSTATUS";
	case NT_PRFPREG: return "PRFPREG";
	case NT_PRPSINFO: return "PRPSINFO";
	case NT_SIGINFO: return "SIGINFO";
	case NT_AUXV: return "AUXV";
	case NT_FILE: return "FILE";
	case NT_X86_XSTATE: return "X86_XSTATE";
	default: return "?";
	}
}

static void show_status_note(const prstatus_t *status, pid_t pid)
{
	const struct user_regs_struct *regs = (const void *)status->pr_reg;

	show("  signal %d, code %d, of the process: %d, at the crash: %d, parent: %d, stack in the file: %d, fpvalid %d", status->pr_cursig,
	     status->pr_info.si_code, status->pr_pid == pid, (long)regs->rip == crash_at, status->pr_ppid == getpid(),
	     core_at((void *)regs->rsp) != NULL, status->pr_fpvalid);
}

static void show_info(const prpsinfo_t *info, pid_t pid)
{
	show("  state %c, zombie %d, nice %d, ids %u %u, pid %d, parent %d, name %s, arguments %.9s", info->pr_sname, info->pr_zomb,
	     info->pr_nice, info->pr_uid, info->pr_gid, info->pr_pid == pid, info->pr_ppid == getpid(), info->pr_fname,
	     strrchr(info->pr_psargs, '/') ? strrchr(info->pr_psargs, '/') + 1 : info->pr_psargs);
}

static void show_files(const uint64_t *note)
{
	const char *name = (const char *)(note + 2 + 3 * note[0]);
	bool own = false;

	for (uint64_t i = 0; i < note[0]; i++, name += strlen(name) + 1)
		own |= (uint64_t)&in_text >= note[2 + 3 * i] && (uint64_t)&in_text < note[3 + 3 * i] && strstr(name, "core_dump");
	show("  page size %ld, the program is in it: %d", (long)note[1], own);
}

static void show_note(const Elf64_Nhdr *note, const void *data, pid_t pid)
{
	const siginfo_t *info = data;
	const Elf64_auxv_t *auxv = data;

	switch (note->n_type) {
	case NT_PRSTATUS:
		show_status_note(data, pid);
		break;
	case NT_PRPSINFO:
		show_info(data, pid);
		break;
	case NT_SIGINFO:
		show("  signal %d, code %d, address %p", info->si_signo, info->si_code, info->si_addr);
		break;
	case NT_AUXV:
		while (auxv->a_type != AT_NULL && auxv->a_type != AT_PAGESZ)
			auxv++;
		show("  page size %ld", (long)auxv->a_un.a_val);
		break;
	case NT_FILE:
		show_files(data);
		break;
	}
}

static void show_notes(pid_t pid)
{
	const Elf64_Ehdr *elf = (void *)core;
	const Elf64_Phdr *segment = (void *)(core + elf->e_phoff);
	const char *at = core + segment->p_offset, *end = at + segment->p_filesz;

	while (at < end) {
		const Elf64_Nhdr *note = (void *)at;
		const char *name = at + sizeof(*note), *data = name + (note->n_namesz + 3) / 4 * 4;
		bool fixed = note->n_type != NT_FILE && note->n_type != NT_AUXV && note->n_type != NT_X86_XSTATE;

		show("%s %s, size %d", name, type_name(note), fixed ? (int)note->n_descsz : 0);
		show_note(note, data, pid);
		at = data + (note->n_descsz + 3) / 4 * 4;
	}
	TRUTH(at == end);
}

static void show_headers(void)
{
	const Elf64_Ehdr *elf = (void *)core;
	const Elf64_Phdr *segment = (void *)(core + elf->e_phoff);
	bool aligned = true, within = true;

	show("class %d, data %d, type %d, machine %d, header %d, segment %d", elf->e_ident[EI_CLASS], elf->e_ident[EI_DATA], elf->e_type,
	     elf->e_machine, elf->e_ehsize, elf->e_phentsize);
	show("first segment: type %d, flags %d", (int)segment->p_type, (int)segment->p_flags);
	for (int i = 1; i < elf->e_phnum; i++) {
		aligned &= segment[i].p_type == PT_LOAD && segment[i].p_offset % 4096 == 0 && segment[i].p_align == 4096;
		within &= segment[i].p_offset + segment[i].p_filesz <= core_size;
	}
	TRUTH(aligned);
	TRUTH(within);
}

/* ---- processes that crash ---- */

__attribute__((noinline)) static void crash(void)
{
	__asm__ volatile("lea 1f(%%rip), %%rax\n\tmov %%rax, %0\n1:\tmovl $1, 16" : "=m"(crash_at)::"rax", "memory");
}

static pid_t run(void (*fn)(void), int *status)
{
	pid_t pid = fork();

	if (!pid) {
		fn();
		_exit(0);
	}
	waitpid(pid, status, 0);
	return pid;
}

static void crash_alone(void)
{
	crash();
}

static void contents(void)
{
	int status;
	pid_t pid;

	in_heap = malloc(100);
	*in_heap = 0x33333333;
	private_zero = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	private_zero[2048] = 0x44444444; /* the third page; the others have no memory */
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*shared = 0x55555555;
	hidden = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*hidden = 0x66666666;
	madvise((void *)hidden, 4096, MADV_DONTDUMP);
	forbidden = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*forbidden = 0x77777777;
	mprotect((void *)forbidden, 4096, PROT_NONE);
	crash_at = 0;
	__asm__ volatile("" ::: "memory");
	pid = run(crash_alone, &status);
	show("signal %d, dumped %d", WTERMSIG(status), WCOREDUMP(status));
	if (!read_core("core")) {
		show("no file");
		return;
	}
	crash_at = *(const long *)core_at(&crash_at);
	show_headers();
	show_notes(pid);
	show_int("data", &in_data);
	show_int("heap", in_heap);
	show_int("a page that was never used", private_zero);
	show_int("the page behind it", private_zero + 2048);
	show_int("shared", shared);
	show_int("MADV_DONTDUMP", hidden);
	show_int("PROT_NONE", forbidden);
	unlink("core");
}

static pthread_barrier_t barrier;

static void *sleeper(void *kind)
{
	pthread_barrier_wait(&barrier);
	if (kind)
		for (;;)
			__asm__ volatile("" ::: "memory");
	pause();
	return NULL;
}

static void crash_with_threads(void)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 4);
	for (long i = 0; i < 3; i++)
		pthread_create(&thread, NULL, sleeper, (void *)(i % 2));
	pthread_barrier_wait(&barrier);
	crash();
}

static void threads(void)
{
	const Elf64_Ehdr *elf;
	const Elf64_Phdr *notes;
	int status, n = 0, with_stack = 0, dumper_first = 0;

	run(crash_with_threads, &status);
	show("with threads: signal %d, dumped %d", WTERMSIG(status), WCOREDUMP(status));
	if (!read_core("core"))
		return;
	crash_at = *(const long *)core_at(&crash_at);
	elf = (void *)core;
	notes = (void *)(core + elf->e_phoff);
	for (const char *at = core + notes->p_offset; at < core + notes->p_offset + notes->p_filesz;) {
		const Elf64_Nhdr *note = (void *)at;
		const char *data = at + sizeof(*note) + (note->n_namesz + 3) / 4 * 4;

		if (note->n_type == NT_PRSTATUS) {
			const struct user_regs_struct *regs = (const void *)((const prstatus_t *)data)->pr_reg;

			dumper_first += !n++ && (long)regs->rip == crash_at;
			with_stack += core_at((void *)regs->rsp) != NULL;
		}
		at = data + (note->n_descsz + 3) / 4 * 4;
	}
	show("threads %d, with a stack %d, the one that crashed is the first %d", n, with_stack, dumper_first);
	unlink("core");
}

/* ---- who leaves a file ---- */

static void not_dumpable(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	crash();
}

static void by_kill(void)
{
	kill(getpid(), SIGTERM);
}

static void by_abort(void)
{
	abort();
}

static void with_handler(void)
{
	signal(SIGSEGV, SIG_IGN); /* of no use against a fault */
	crash();
}

static void with_umask(void)
{
	umask(0277);
	crash();
}

static void in_other_directory(void)
{
	mkdir("sub", 0755);
	if (chdir("sub"))
		_exit(1);
	crash();
}

static void outcome(const char *name, void (*fn)(void), const char *file)
{
	struct stat st = { 0 };
	int status;

	run(fn, &status);
	if (stat(file, &st) && errno != ENOENT)
		show("stat: %s", error_name(errno));
	show("%s: signal %d, dumped %d, file %d, mode %o, full %d", name, WTERMSIG(status), WCOREDUMP(status), S_ISREG(st.st_mode),
	     (unsigned)st.st_mode & 07777, st.st_size > 4096);
	unlink(file);
}

static void rules(void)
{
	int fd;

	outcome("abort", by_abort, "core");
	outcome("SIGTERM", by_kill, "core");
	outcome("ignored fault", with_handler, "core");
	outcome("not dumpable", not_dumpable, "core");
	outcome("umask", with_umask, "core");
	outcome("directory", in_other_directory, "sub/core");
	rmdir("sub");
	symlink("target", "core");
	outcome("symbolic link", crash_alone, "target");
	unlink("core");
	fd = open("one", O_CREAT | O_RDWR, 0600);
	close(fd);
	link("one", "core");
	outcome("two links", crash_alone, "one");
	unlink("core");
	mkfifo("core", 0600);
	outcome("FIFO", crash_alone, "none");
	unlink("core");
	fd = open("core", O_CREAT | O_RDWR, 0644);
	close(fd);
	outcome("readable by others", crash_alone, "core");
	fd = open("core", O_CREAT | O_RDWR, 0600);
	write(fd, "old", 3);
	close(fd);
	outcome("an old one", crash_alone, "core");
	set_limit(8192);
	outcome("limit 8192", crash_alone, "core");
	set_limit(4095);
	outcome("limit 4095", crash_alone, "core");
}

/* ---- names ---- */

static void name(const char *pattern, const char *file)
{
	char expected[100], text[200];
	struct stat st;
	int status, fd;
	pid_t pid;
	long n;

	set_pattern(pattern);
	fd = open(PATTERN, O_RDONLY);
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	pid = run(crash_alone, &status);
	snprintf(expected, sizeof(expected), file, pid, pid);
	show("%.*s: dumped %d, expected name %d", (int)strcspn(text, "\n"), text, WCOREDUMP(status), !stat(expected, &st));
	unlink(expected);
}

static void names(void)
{
	name("c.%p.%s%%", "c.%d.11%%");
	name("%e-%u-%g-%P", "core_dump-0-0-%d");
	name("i%i%I", "i%d%d");
	name("d%d%", "d1");
	name("%z", "");
	name("", "");
	name("/tmp/abi/%f.core", "core_dump.core");
	name("no/where", "no/where");
	set_pattern("core\n");
}

int main(void)
{
	set_limit(RLIM_INFINITY);
	set_pattern("core");
	contents();
	threads();
	names();
	rules();
	return 0;
}
