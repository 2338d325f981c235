/* execve(2) of files that are not quite programs: which error, or which signal. */
#include "abi.h"

#include <elf.h>
#include <stddef.h>

/* exit(42) */
static const unsigned char code[] = { 0xb8, 60, 0, 0, 0, 0xbf, 42, 0, 0, 0, 0x0f, 0x05 };

static struct image {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[3];
	unsigned char code[16];
} image;

static void fresh(void)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.ehdr.e_ident, "\177ELF\2\1\1", 7);
	image.ehdr.e_type = ET_EXEC;
	image.ehdr.e_machine = EM_X86_64;
	image.ehdr.e_version = 1;
	image.ehdr.e_entry = 0x400000 + offsetof(struct image, code);
	image.ehdr.e_phoff = offsetof(struct image, phdr);
	image.ehdr.e_ehsize = sizeof(Elf64_Ehdr);
	image.ehdr.e_phentsize = sizeof(Elf64_Phdr);
	image.ehdr.e_phnum = 1;
	image.phdr[0] = (Elf64_Phdr){ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x400000, .p_filesz = sizeof(image),
				      .p_memsz = sizeof(image), .p_align = 4096 };
	memcpy(image.code, code, sizeof(code));
}

static void run(const char *name, size_t size)
{
	int fd = open("p", O_WRONLY | O_CREAT | O_TRUNC, 0755), status;
	pid_t pid;

	write(fd, &image, size);
	close(fd);
	pid = fork();
	if (!pid) {
		setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
		execl("./p", "p", NULL);
		show("%s: %s", name, error_name(errno));
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status)
		show_status(name, status);
}

int main(void)
{
	fresh();
	run("good", sizeof(image));
	run("empty", 0);
	run("four bytes", 4);
	run("header only", sizeof(Elf64_Ehdr));
	run("without the code", offsetof(struct image, code));
	image.ehdr.e_ident[EI_CLASS] = ELFCLASS32;
	run("class 32 in the identification", sizeof(image));
	fresh();
	image.ehdr.e_machine = EM_ARM;
	run("another machine", sizeof(image));
	fresh();
	image.ehdr.e_type = ET_REL;
	run("an object file", sizeof(image));
	fresh();
	image.ehdr.e_type = ET_CORE;
	run("a core", sizeof(image));
	fresh();
	image.ehdr.e_phnum = 0;
	run("no headers", sizeof(image));
	fresh();
	image.ehdr.e_phentsize = 32;
	run("small headers", sizeof(image));
	fresh();
	image.ehdr.e_phoff = 1 << 20;
	run("headers behind the file", sizeof(image));
	fresh();
	image.phdr[0].p_vaddr = 0x400010;
	run("address and offset do not fit", sizeof(image));
	fresh();
	image.phdr[0].p_memsz = sizeof(image) - 1;
	run("more in the file than in memory", sizeof(image));
	fresh();
	image.phdr[0].p_flags = PF_R | PF_W;
	run("not executable", sizeof(image));
	fresh();
	image.ehdr.e_entry = 0xffffffff80000000;
	run("entry in the kernel", sizeof(image));
	fresh();
	image.phdr[0].p_memsz = 0x10000;
	image.phdr[0].p_flags |= PF_W;
	run("zeros behind", sizeof(image));
	fresh();
	image.ehdr.e_phnum = 2;
	image.phdr[1] = (Elf64_Phdr){ .p_type = PT_INTERP, .p_offset = offsetof(struct image, code), .p_filesz = 8 };
	run("interpreter without an end", sizeof(image));
	memcpy(image.code, "/none", 6);
	image.phdr[1].p_filesz = 6;
	run("no such interpreter", sizeof(image));
	image.phdr[1].p_filesz = 1;
	run("interpreter of one byte", sizeof(image));
	image.phdr[1].p_filesz = 5000;
	run("interpreter with a long name", sizeof(image));
	fresh();
	image.ehdr.e_type = ET_DYN;
	image.ehdr.e_entry = offsetof(struct image, code);
	image.phdr[0].p_vaddr = 0;
	run("at any address", sizeof(image));
	fresh();
	image.ehdr.e_phnum = 2;
	image.phdr[1] = (Elf64_Phdr){ .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W };
	run("with a stack header", sizeof(image));
	return 0;
}
