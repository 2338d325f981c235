/*
 * A set-user-ID program whose file gets another owner or another mode meanwhile: it never runs with the mode of before and the owner of
 * after, nor with the permission of before and the mode of after.
 */
#include "abi.h"

#include <elf.h>
#include <grp.h>

#define ADDRESS 0x400000

/* geteuid(); exit(1 if root, or else 0). So small that the race is most of what an exec costs. */
static const unsigned char code[] = {
	0xb8, 107, 0, 0, 0,    /* mov eax, SYS_geteuid */
	0x0f, 0x05,	       /* syscall */
	0x31, 0xff,	       /* xor edi, edi */
	0x85, 0xc0,	       /* test eax, eax */
	0x40, 0x0f, 0x94, 0xc7, /* sete dil */
	0xb8, 60, 0, 0, 0,     /* mov eax, SYS_exit */
	0x0f, 0x05,	       /* syscall */
};

static void write_program(const char *to)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segment;
		unsigned char code[sizeof(code)];
	} file = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_entry = ADDRESS + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr),
			    .e_phoff = sizeof(Elf64_Ehdr),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_phentsize = sizeof(Elf64_Phdr),
			    .e_phnum = 1 },
		.segment = { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = ADDRESS, .p_filesz = sizeof(file), .p_memsz = sizeof(file), .p_align = 4096 },
	};
	int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	memcpy(file.code, code, sizeof(code));
	write(fd, &file, sizeof(file));
	close(fd);
}

/* Executes the program again and again. The exit status: whether it ever was root. */
static void execute(int times)
{
	static int bad, i; /* static: vfork() returns twice */

	setresgid(1000, 1000, 1000);
	setresuid(1000, 1000, 1000);
	for (i = 0; i < times; i++) {
		int status = 0;
		pid_t pid = vfork();

		if (!pid) {
			execl("./program", "./program", NULL);
			_exit(9);
		}
		waitpid(pid, &status, 0);
		bad |= !WIFEXITED(status) || WEXITSTATUS(status) == 1;
	}
	_exit(bad);
}

/* The program belongs to user 1001 with S_ISUID, or to root without. */
static void change_owner(void)
{
	for (;;) {
		chown("program", 1001, 1001);
		chmod("program", 04755);
		chown("program", 0, 0);
	}
}

/* Anybody may execute the program, or it acts for root, and only root's group may. */
static void change_mode(void)
{
	for (;;) {
		chmod("program", 0755);
		chmod("program", 04750);
	}
}

static void race(const char *what, void (*change)(void), int times)
{
	int status, bad = 0;
	pid_t changer, workers[2];

	write_program("program");
	changer = fork();
	if (!changer)
		change();
	for (int i = 0; i < 2; i++) {
		workers[i] = fork();
		if (!workers[i])
			execute(times);
	}
	for (int i = 0; i < 2; i++) {
		waitpid(workers[i], &status, 0);
		bad |= status;
	}
	kill(changer, SIGKILL);
	waitpid(changer, NULL, 0);
	show("%s changes, ever as root: %s", what, bad ? "yes" : "no");
	unlink("program");
}

int main(void)
{
	chmod(".", 0755);
	setgroups(0, NULL);
	race("the owner", change_owner, rounds(400));
	race("the mode", change_mode, rounds(1500)); /* most are refused at once */
	return 0;
}
