/*
 * usdt-notes: the probes that a program brings along (USDT), as lines for uprobe_events.
 *
 *	usdt-notes PROGRAM    prints "p:PROVIDER/NAME PROGRAM:OFFSET(SEMAPHORE) arg1=… arg2=…" for each
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *program;
static const uint8_t *file;
static size_t size;

static void fail(const char *why)
{
	fprintf(stderr, "usdt-notes: %s: %s\n", program, why);
	exit(1);
}

/* A part of the file, which may say anything. */
static const void *at(uint64_t offset, uint64_t length)
{
	if (offset > size || length > size - offset)
		fail("not an ELF file, or damaged");
	return file + offset;
}

/* Where an address of the program is in the file. */
static uint64_t offset_of(uint64_t address)
{
	const Elf64_Ehdr *header = at(0, sizeof(*header));
	const Elf64_Phdr *segment = at(header->e_phoff, header->e_phnum * sizeof(*segment));

	for (unsigned i = 0; i < header->e_phnum; i++, segment++)
		if (segment->p_type == PT_LOAD && address - segment->p_vaddr < segment->p_filesz)
			return address - segment->p_vaddr + segment->p_offset;
	fail("a probe is not in the file");
	return 0;
}

/* A place in the words of the assembler, "%rdi", "$5" or "8(%rsp)", in those of uprobe_events. */
static void print_place(const char *place)
{
	const char *open = strchr(place, '(');
	const char *reg = strchr(place, '%');

	if (*place == '$') {
		printf("\\%s", place + 1);
		return;
	}
	if (!reg)
		fail("an argument is at a place that uprobe_events does not know");
	/* rax, eax, al: uprobe_events says ax; r8 to r15 keep their names. */
	reg++;
	if ((*reg == 'r' || *reg == 'e') && (reg[1] < '0' || reg[1] > '9'))
		reg++;
	if (open)
		printf("%+ld(%%%.*s)", strtol(place, NULL, 0), (int)strcspn(reg, ",)"), reg);
	else
		printf("%%%s", reg);
}

/* "-8@%rdi 8@%rsi": a size, below 0 if the number has a sign, and a place. */
static void print_arguments(const char *text)
{
	char copy[256], *word, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", text);
	for (unsigned n = 1; (word = strsep(&rest, " ")); n++) {
		long bytes = strtol(word, &word, 10);

		if (*word != '@')
			continue;
		printf(" arg%u=", n);
		print_place(word + 1);
		printf(":%c%ld", bytes < 0 ? 's' : 'u', labs(bytes) * 8);
	}
}

/* The description: three addresses, three texts. */
static void print_note(const char *description, size_t length)
{
	uint64_t addresses[3];
	const char *provider = description + sizeof(addresses), *name, *arguments;

	if (length <= sizeof(addresses) || description[length - 1])
		fail("a note is damaged");
	memcpy(addresses, description, sizeof(addresses));
	name = provider + strlen(provider) + 1;
	arguments = name < description + length ? name + strlen(name) + 1 : name;
	if (arguments >= description + length)
		fail("a note is damaged");
	printf("p:%s/%s %s:0x%llx", provider, name, program, (unsigned long long)offset_of(addresses[0]));
	if (addresses[2])
		printf("(0x%llx)", (unsigned long long)offset_of(addresses[2]));
	print_arguments(arguments);
	putchar('\n');
}

static void print_section(const Elf64_Shdr *section)
{
	for (uint64_t pos = 0; pos + sizeof(Elf64_Nhdr) <= section->sh_size;) {
		const Elf64_Nhdr *note = at(section->sh_offset + pos, sizeof(*note));
		uint64_t name = section->sh_offset + pos + sizeof(*note);
		uint64_t description = name + ((note->n_namesz + 3ULL) & ~3ULL);

		if (note->n_type == 3 && note->n_namesz == 8 && !memcmp(at(name, 8), "stapsdt", 8))
			print_note(at(description, note->n_descsz), note->n_descsz);
		pos = description + ((note->n_descsz + 3ULL) & ~3ULL) - section->sh_offset;
	}
}

int main(int argc, char **argv)
{
	const Elf64_Ehdr *header;
	const Elf64_Shdr *section;
	struct stat stat;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: usdt-notes PROGRAM\n");
		return 2;
	}
	program = argv[1];
	fd = open(program, O_RDONLY);
	if (fd < 0 || fstat(fd, &stat))
		fail("cannot be read");
	size = (size_t)stat.st_size;
	file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (file == MAP_FAILED)
		fail("cannot be mapped");
	header = at(0, sizeof(*header));
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_ident[EI_CLASS] != ELFCLASS64)
		fail("not an ELF file of 64 bits");
	section = at(header->e_shoff, header->e_shnum * sizeof(*section));
	for (unsigned i = 0; i < header->e_shnum; i++)
		if (section[i].sh_type == SHT_NOTE)
			print_section(&section[i]);
	return 0;
}
