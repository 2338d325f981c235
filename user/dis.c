/*
 * dis: shows the first bytes of functions of the running kernel, as memory has them now, and decodes the call site and the
 * static branches of each. The names come from /proc/kallsyms, the bytes from /proc/kcore.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIS_BYTES 16
#define SITE_SIZE 5

static const uint8_t nop5[SITE_SIZE] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 };

struct symbol {
	uint64_t address;
	char type, *name, module[48]; /* module: " [NAME]", or nothing */
};

static struct symbol *symbols; /* by address: the image's, then code that was made at run time */
static size_t symbol_count;
static int kcore;
static Elf64_Phdr areas[16];
static unsigned area_count;

/* An entry of the kernel's table of static branches (kernel/jump_label.h). */
struct jump_entry {
	int32_t code, target;
	uint64_t key; /* bit 0: a likely branch; bit 1: not a branch */
};

static bool read_symbols(void)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	char line[256], name[192], module[40];
	size_t room = 0;

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		struct symbol *s;
		int words;

		if (symbol_count == room) {
			room = room ? 2 * room : 8192;
			symbols = realloc(symbols, room * sizeof(*symbols));
			if (!symbols)
				return false;
		}
		s = &symbols[symbol_count];
		words = sscanf(line, "%lx %c %191s %39s", &s->address, &s->type, name, module);
		if (words < 3)
			continue;
		s->name = strdup(name);
		snprintf(s->module, sizeof(s->module), words > 3 ? " %s" : "", module);
		symbol_count++;
	}
	fclose(file);
	return true;
}

static const struct symbol *by_name(const char *name)
{
	for (size_t i = 0; i < symbol_count; i++)
		if (!strcmp(symbols[i].name, name))
			return &symbols[i];
	return NULL;
}

/* The first symbol at the highest address that is not above `address`; NULL: none. */
static const struct symbol *covering(uint64_t address)
{
	const struct symbol *best = NULL;

	for (size_t i = 0; i < symbol_count; i++)
		if (symbols[i].address <= address && (!best || symbols[i].address > best->address))
			best = &symbols[i];
	return best;
}

static uint64_t end_of(const struct symbol *symbol)
{
	uint64_t end = UINT64_MAX;

	for (size_t i = 0; i < symbol_count; i++)
		if (symbols[i].address > symbol->address && symbols[i].address < end)
			end = symbols[i].address;
	return end;
}

static bool open_kcore(void)
{
	Elf64_Ehdr header;
	ssize_t size;

	kcore = open("/proc/kcore", O_RDONLY);
	if (kcore < 0 || pread(kcore, &header, sizeof(header), 0) != sizeof(header))
		return false;
	area_count = header.e_phnum < 16 ? header.e_phnum : 16;
	size = (ssize_t)(area_count * sizeof(areas[0]));
	return pread(kcore, areas, (size_t)size, (off_t)header.e_phoff) == size;
}

/* Reads memory of the kernel. */
static bool peek(uint64_t address, void *buf, size_t size)
{
	for (unsigned i = 0; i < area_count; i++) {
		uint64_t offset = address - areas[i].p_vaddr;

		if (areas[i].p_type == PT_LOAD && offset < areas[i].p_filesz && size <= areas[i].p_filesz - offset)
			return pread(kcore, buf, size, (off_t)(areas[i].p_offset + offset)) == (ssize_t)size;
	}
	return false;
}

static void print_bytes(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf(i ? " %02x" : "%02x", bytes[i]);
}

static uint64_t target_of(uint64_t address, const uint8_t *insn)
{
	int32_t distance;

	memcpy(&distance, insn + 1, sizeof(distance));
	return address + SITE_SIZE + (uint64_t)(int64_t)distance;
}

/* Shows the instruction at address, if it is one that a call site can have. */
static void show_instruction(uint64_t address, const uint8_t *insn)
{
	const struct symbol *s;

	switch (insn[0]) {
	case 0xcc:
		printf("  int3\n");
		break;
	case 0xe8:
	case 0xe9:
		s = covering(target_of(address, insn));
		printf("  %s %016lx <%s%s>\n", insn[0] == 0xe8 ? "call" : "jmp", target_of(address, insn), s ? s->name : "?",
		       s ? s->module : "");
		break;
	default:
		printf("  %s\n", memcmp(insn, nop5, SITE_SIZE) ? "no call site" : "nop");
	}
}

static void show_static_branch(const struct symbol *function, const struct jump_entry *entry)
{
	uint64_t site = (uint64_t)(int64_t)entry->code, target = (uint64_t)(int64_t)entry->target;
	const struct symbol *key = covering(entry->key & ~1UL), *to = covering(target);
	uint8_t insn[SITE_SIZE];

	if (!key || !to || !peek(site, insn, sizeof(insn)))
		return;
	printf("  +%#lx: ", site - function->address);
	print_bytes(insn, sizeof(insn));
	if (insn[0] == 0xe9)
		printf("  jmp %s+0x%lx/0x%lx", to->name, target - to->address, end_of(to) - to->address);
	else
		printf(insn[0] == 0xcc ? "  int3" : "  nop");
	printf("  %s\n", key->name);
}

/* The kernel's table is sorted by the address of the instruction. */
static void show_static_branches(const struct symbol *function)
{
	const struct symbol *begin = by_name("jump_entries_sorted"), *end = by_name("jump_entries_end");
	uint64_t first, last, stop = end_of(function);
	struct jump_entry entry;

	if (!begin || !end || !peek(begin->address, &first, 8) || !peek(end->address, &last, 8))
		return;
	for (; first < last && peek(first, &entry, sizeof(entry)); first += sizeof(entry)) {
		uint64_t site = (uint64_t)(int64_t)entry.code;

		if (site >= function->address && site < stop && !(entry.key & 2))
			show_static_branch(function, &entry);
	}
}

static bool dis(const char *name)
{
	const struct symbol *function = by_name(name);
	uint8_t bytes[DIS_BYTES];

	if (!function || !strchr("tTwW", function->type) || !peek(function->address, bytes, sizeof(bytes)))
		return false;
	printf("%016lx <%s>:\n  ", function->address, name);
	print_bytes(bytes, sizeof(bytes));
	printf("\n");
	show_instruction(function->address, bytes);
	show_static_branches(function);
	return true;
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 2) {
		fprintf(stderr, "Usage: dis FUNCTION...\n");
		return 2;
	}
	if (!read_symbols()) {
		perror("dis: /proc/kallsyms");
		return 1;
	}
	if (!open_kcore()) {
		perror("dis: /proc/kcore");
		return 1;
	}
	for (int i = 1; i < argc; i++) {
		if (dis(argv[i]))
			continue;
		fprintf(stderr, "dis: %s: No such file or directory\n", argv[i]);
		status = 1;
	}
	return status;
}
