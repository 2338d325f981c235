/* The place of each section of a module in its regions, and its relocations; see elf.h. */
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/module/elf.h"
#include "kernel/printk/printk.h"

#define MAX_REGION_SIZE (64UL << 20)

static enum module_region region_of(const struct elf_section *section, bool init)
{
	enum module_region first = init ? MOD_INIT_TEXT : MOD_TEXT;

	if (section->flags & SHF_EXECINSTR)
		return first;
	return section->flags & SHF_WRITE ? first + MOD_DATA : first + MOD_RODATA;
}

int layout_sections(struct load_info *info)
{
	for (unsigned i = 0; i < info->hdr->shnum; i++) {
		struct elf_section *section = &info->sechdrs[i];
		const char *name = section_name(info, i);
		u64 align = section->addralign ? section->addralign : 1;
		size_t *size;

		info->region[i] = LOAD_REGIONS;
		if (!i || !(section->flags & SHF_ALLOC) || i == info->index.info ||
		    i == info->index.versions)
			continue;
		if ((section->flags & SHF_WRITE) && (section->flags & SHF_EXECINSTR)) {
			pr_err("%s: section %s (index %u) has invalid WRITE|EXEC flags\n",
			       info->name, name, i);
			return -ENOEXEC;
		}
		info->region[i] = strcmp(name, ".data..percpu") == 0
					  ? MOD_PERCPU
					  : region_of(section, is_init_section(name));
		if (info->region[i] == MOD_PERCPU && align > PERCPU_ALIGN) {
			pr_err("%s: per-CPU alignment %lu > %u\n", info->name, (unsigned long)align,
			       PERCPU_ALIGN);
			return -ENOEXEC;
		}
		size = &info->region_size[info->region[i]];
		*size = ALIGN(*size, align);
		section->addr = *size;
		*size += section->size;
		if (*size > MAX_REGION_SIZE) {
			pr_err("%s: too large\n", info->name);
			return -ENOEXEC;
		}
	}
	return 0;
}

u8 *section_image(const struct load_info *info, unsigned index)
{
	unsigned region = info->region[index];

	return info->image[region] + (info->sechdrs[index].addr - info->base[region]);
}

void copy_sections(struct load_info *info)
{
	for (unsigned i = 0; i < info->hdr->shnum; i++) {
		struct elf_section *section = &info->sechdrs[i];

		if (info->region[i] == LOAD_REGIONS)
			continue;
		section->addr += info->base[info->region[i]];
		if (section->type != SHT_NOBITS && section->size)
			memcpy(section_image(info, i), (const char *)info->hdr + section->offset,
			       section->size);
	}
}

unsigned find_section(const struct load_info *info, const char *name)
{
	for (unsigned i = 1; i < info->hdr->shnum; i++)
		if (info->region[i] != LOAD_REGIONS && strcmp(section_name(info, i), name) == 0)
			return i;
	return 0;
}

void *section_objects(const struct load_info *info, const char *name, size_t size, unsigned *count)
{
	unsigned index = find_section(info, name);

	*count = index ? (unsigned)(info->sechdrs[index].size / size) : 0;
	return *count ? (void *)info->sechdrs[index].addr : NULL;
}

static void report_relocation(const struct load_info *info, int error, unsigned type, u64 at,
			      unsigned long value)
{
	if (error == -ERANGE) {
		pr_err("module: overflow in relocation type %u val %lx\n", type, value);
		pr_err("module: `%s' likely not compiled with -mcmodel=kernel\n", info->name);
	} else if (error == -EINVAL) {
		pr_err("x86/modules: Invalid relocation target, existing value is nonzero for type "
		       "%u, loc %lx, val %lx\n",
		       type, at, value);
	} else {
		pr_err("module: %s: Unknown rela relocation: %u\n", info->name, type);
	}
}

/* In struct module, the file gives the values of init and exit only. */
static bool is_of_module(const struct elf_rela *rela)
{
	return rela->offset == offsetof(struct module, init) ||
	       rela->offset == offsetof(struct module, exit);
}

static int relocate_section(const struct load_info *info, const struct elf_section *relocations)
{
	const struct elf_rela *rela = (const void *)((const char *)info->hdr + relocations->offset);
	const struct elf_section *target = &info->sechdrs[relocations->info];
	u8 *image = section_image(info, relocations->info);

	for (u64 i = 0; i < relocations->size / sizeof(*rela); i++, rela++) {
		unsigned type = (u32)rela->info;
		u64 symbol = rela->info >> 32;
		unsigned long value;
		int error;

		if (symbol >= info->num_symbols || rela->offset > target->size ||
		    (relocations->info == info->index.mod && !is_of_module(rela))) {
			pr_err("module: %s: Invalid relocation\n", info->name);
			return -ENOEXEC;
		}
		value = info->symbols[symbol].value + (unsigned long)rela->addend;
		error = arch_relocate(image + rela->offset, target->size - rela->offset,
				      target->addr + rela->offset, type, value);
		if (error) {
			report_relocation(info, error, type, target->addr + rela->offset, value);
			return -ENOEXEC;
		}
	}
	return 0;
}

int apply_relocations(const struct load_info *info)
{
	for (unsigned i = 1; i < info->hdr->shnum; i++) {
		const struct elf_section *section = &info->sechdrs[i];

		if (section->type != SHT_RELA || info->region[section->info] == LOAD_REGIONS)
			continue;
		if (info->sechdrs[section->info].type == SHT_NOBITS) {
			pr_err("module: %s: Invalid relocation\n", info->name);
			return -ENOEXEC;
		}
		if (relocate_section(info, section))
			return -ENOEXEC;
	}
	return 0;
}
