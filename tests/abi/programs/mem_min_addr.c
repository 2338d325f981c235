/* vm.mmap_min_addr: which calls make memory below it, for root and for another user. */
#include "abi.h"
#include <elf.h>
#include <setjmp.h>

#define PAGE 4096L
#define LOW  ((char *)0xf000)
#define MIN  ((char *)0x10000)
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static sigjmp_buf back;

static void handler(int sig)
{
	siglongjmp(back, sig);
}

static void touch(const char *what, char *at)
{
	int sig = sigsetjmp(back, 1);

	if (sig) {
		show("%s: signal %d", what, sig);
		return;
	}
	*(volatile char *)at = 1;
	show("%s: written", what);
}

/* Maps a page, and removes it if that has succeeded. */
static void map(const char *what, char *at, int flags, int fd)
{
	char *p = mmap(at, PAGE, PROT_READ, MAP_PRIVATE | flags, fd, 0);

	report_ok(what, p == MAP_FAILED ? -1 : 0);
	if (p == at)
		munmap(p, PAGE);
}

/* Moves a page there, and shows whether it is where it was. */
static void move(const char *what, char *to, int flags)
{
	char *from = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned char vec;

	strcpy(from, "here");
	report_ok(what, syscall(SYS_mremap, from, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED | flags, to) == -1 ? -1 : 0);
	show("  it is there: %d, and here: %d", !mincore(to, PAGE, &vec), !mincore(from, PAGE, &vec) && !strcmp(from, "here"));
	munmap(from, PAGE);
	munmap(to, PAGE);
}

/* A program of 12 bytes, exit(42), and a second segment of size bytes in the file, a page in memory. */
static void run(const char *what, unsigned long at, unsigned long size)
{
	static const unsigned char code[] = { 0xb8, 60, 0, 0, 0, 0xbf, 42, 0, 0, 0, 0x0f, 0x05 };
	static struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdr[2];
		unsigned char code[16];
	} image;
	char name[] = "pXXXXXX";
	int fd = mkstemp(name), status;
	pid_t pid;

	memcpy(image.ehdr.e_ident, "\177ELF\2\1\1", 7);
	image.ehdr.e_type = ET_EXEC;
	image.ehdr.e_machine = EM_X86_64;
	image.ehdr.e_version = 1;
	image.ehdr.e_entry = 0x400000 + offsetof(typeof(image), code);
	image.ehdr.e_phoff = offsetof(typeof(image), phdr);
	image.ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	image.ehdr.e_phentsize = sizeof(Elf64_Phdr);
	image.ehdr.e_phnum = 2;
	image.phdr[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = at, .p_filesz = size, .p_memsz = PAGE, .p_align = PAGE };
	image.phdr[1] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000, .p_filesz = sizeof(image),
				      .p_memsz = sizeof(image), .p_align = PAGE };
	memcpy(image.code, code, sizeof(code));
	write(fd, &image, sizeof(image));
	fchmod(fd, 0755);
	close(fd);
	pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		execl(name, name, NULL);
		show("%s: %s", what, error_name(errno));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	show_status(what, status);
	unlink(name);
}

static void calls(void)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	char *stack;

	map("mmap at 0", NULL, MAP_ANONYMOUS | MAP_FIXED, -1);
	map("mmap below the limit", LOW, MAP_ANONYMOUS | MAP_FIXED, -1);
	map("MAP_FIXED_NOREPLACE", LOW, MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1);
	map("a file", LOW, MAP_FIXED, fd);
	map("at the limit", MIN, MAP_ANONYMOUS | MAP_FIXED, -1);
	close(fd);

	move("mremap to 0", NULL, 0);
	move("mremap below the limit", LOW, 0);
	move("MREMAP_DONTUNMAP", LOW, MREMAP_DONTUNMAP);
	move("mremap to the limit", MIN, 0);

	run("zeros at 0", 0, 0);
	run("zeros below the limit", (unsigned long)LOW, 0);
	run("zeros at the limit", (unsigned long)MIN, 0);
	run("pages of the file at 0", 0, 64);
	run("pages of the file at the limit", (unsigned long)MIN, 64);

	/* Not even root's stack grows further. */
	stack = mmap(MIN + PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	TRUTH(stack == MIN + PAGE);
	touch("a stack at the limit", MIN);
	touch("a stack below the limit", LOW);
	munmap(MIN, 2 * PAGE);
}

static void of_another_user(void)
{
	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	calls();
}

int main(void)
{
	char *stack;

	signal(SIGSEGV, handler);
	chmod(".", 0777); /* for the programs of the other user */
	calls();
	stack = mmap(LOW - PAGE, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	TRUTH(stack == LOW - PAGE);
	touch("a low stack", stack);
	touch("a low stack that grows", stack - 1);
	munmap(stack, PAGE);
	CHILD(of_another_user);
	return 0;
}
