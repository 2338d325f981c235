/* Parses ACPI tables (ACPI specification 6.4, chapter 5). Pure, and trusts no byte. */
#include "kernel/acpi/acpi.h"

#include "kernel/compiler.h"
#ifdef NOP5_HOST
#include <string.h>
#else
#include "kernel/lib/string.h"
#endif

#define MAX_TABLE_SIZE (16UL << 20) /* larger than any real table */
#define MAX_TABLES     256

struct acpi_header {
	char signature[4];
	u32 length; /* with the header */
	u8 revision;
	u8 checksum;
	char oem_id[6];
	char oem_table_id[8];
	u32 oem_revision;
	u32 creator_id;
	u32 creator_revision;
} __packed;

struct acpi_rsdp {
	char signature[8]; /* "RSD PTR " */
	u8 checksum;       /* of the first 20 bytes */
	char oem_id[6];
	u8 revision;
	u32 rsdt;
	u32 length; /* this and the fields below: from revision 2 on */
	u64 xsdt;
	u8 extended_checksum;
	u8 reserved[3];
} __packed;

/* Generic Address Structure, section 5.2.3.2. */
struct acpi_gas {
	u8 space_id, bit_width, bit_offset, access_size;
	u64 address;
} __packed;

static void problem(struct acpi_info *info, const char *what)
{
	if (!info->problem)
		info->problem = what;
	info->problem_count++;
}

static bool checksum_ok(const void *bytes, size_t size)
{
	const u8 *p = bytes;
	u8 sum = 0;

	for (size_t i = 0; i < size; i++)
		sum = (u8)(sum + p[i]);
	return sum == 0;
}

static u16 get16(const u8 *p)
{
	return (u16)(p[0] | p[1] << 8);
}

static u32 get32(const u8 *p)
{
	return get16(p) | (u32)get16(p + 2) << 16;
}

static u64 get64(const u8 *p)
{
	return get32(p) | (u64)get32(p + 4) << 32;
}

/* A whole table with valid length and checksum, or NULL. */
static const struct acpi_header *get_table(struct acpi_info *info, phys_addr_t phys,
					   acpi_read_fn read)
{
	const struct acpi_header *h = phys ? read(phys, sizeof(*h)) : NULL;
	u32 length;

	if (!h) {
		problem(info, "a table lies where no memory can be read");
		return NULL;
	}
	length = h->length;
	if (length < sizeof(*h) || length > MAX_TABLE_SIZE) {
		problem(info, "a table's length makes no sense");
		return NULL;
	}
	h = read(phys, length);
	if (!h) {
		problem(info, "a table reaches beyond readable memory");
		return NULL;
	}
	if (!checksum_ok(h, length)) {
		problem(info, "a table's checksum is wrong");
		return NULL;
	}
	return h;
}

/* The MADT's entries, section 5.2.12. */
enum madt_type {
	MADT_LOCAL_APIC = 0,
	MADT_IO_APIC = 1,
	MADT_OVERRIDE = 2,
	MADT_LOCAL_APIC_ADDRESS = 5,
	MADT_LOCAL_X2APIC = 9,
};
#define MADT_CPU_ENABLED   1U
#define MADT_POLARITY_LOW  3U /* two bits at 0 */
#define MADT_TRIGGER_LEVEL 3U /* two bits at 2 */

static void madt_cpu(struct acpi_info *info, u32 apic_id, u32 flags)
{
	if (!(flags & MADT_CPU_ENABLED)) {
		info->cpus_disabled++;
		return;
	}
	for (unsigned i = 0; i < info->cpu_count; i++) {
		if (info->apic_ids[i] == apic_id) {
			problem(info, "the MADT names an APIC ID twice");
			return;
		}
	}
	if (info->cpu_count >= NR_CPUS - 1) {
		info->cpus_dropped++;
		return;
	}
	info->apic_ids[info->cpu_count++] = apic_id;
}

static void madt_io_apic(struct acpi_info *info, const u8 *e)
{
	if (info->io_apic_count >= ACPI_MAX_IO_APICS) {
		problem(info, "the MADT names too many I/O APICs");
		return;
	}
	info->io_apics[info->io_apic_count++] = (struct acpi_io_apic){
		.id = e[2],
		.address = get32(e + 4),
		.gsi_base = get32(e + 8),
	};
}

static void madt_override(struct acpi_info *info, const u8 *e)
{
	u16 flags = get16(e + 8);

	if (e[2] != 0 || e[3] >= ACPI_ISA_IRQS) {
		problem(info, "the MADT overrides an interrupt that is not ISA's");
		return;
	}
	info->isa[e[3]] = (struct acpi_isa_override){
		.gsi = get32(e + 4),
		.active_low = (flags & 3) == MADT_POLARITY_LOW,
		.level = ((flags >> 2) & 3) == MADT_TRIGGER_LEVEL,
	};
}

static void madt_entry(struct acpi_info *info, const u8 *e, u8 length)
{
	static const u8 minimum[] = {
		[MADT_LOCAL_APIC] = 8,          [MADT_IO_APIC] = 12,      [MADT_OVERRIDE] = 10,
		[MADT_LOCAL_APIC_ADDRESS] = 12, [MADT_LOCAL_X2APIC] = 16,
	};

	if (e[0] < ARRAY_SIZE(minimum) && length < minimum[e[0]]) {
		problem(info, "an entry of the MADT is too short");
		return;
	}
	switch (e[0]) {
	case MADT_LOCAL_APIC:
		madt_cpu(info, e[3], get32(e + 4));
		break;
	case MADT_IO_APIC:
		madt_io_apic(info, e);
		break;
	case MADT_OVERRIDE:
		madt_override(info, e);
		break;
	case MADT_LOCAL_APIC_ADDRESS:
		info->local_apic_address = get64(e + 4);
		break;
	case MADT_LOCAL_X2APIC:
		madt_cpu(info, get32(e + 4), get32(e + 8));
		break;
	}
}

static void parse_madt(struct acpi_info *info, const struct acpi_header *h)
{
	const u8 *table = (const u8 *)h;
	u32 offset = 44; /* header, local APIC address, flags */

	if (info->have_madt || h->length < offset) {
		problem(info, "a second MADT, or one that is too short");
		return;
	}
	info->have_madt = true;
	info->local_apic_address = get32(table + 36);
	while (offset < h->length) {
		u8 length = h->length - offset >= 2 ? table[offset + 1] : 0;

		if (length < 2 || length > h->length - offset) {
			problem(info, "the MADT's entries do not fit in it");
			return;
		}
		madt_entry(info, table + offset, length);
		offset += length;
	}
}

static void parse_hpet(struct acpi_info *info, const struct acpi_header *h)
{
	const struct acpi_gas *gas = (const struct acpi_gas *)((const u8 *)h + 40);

	if (h->length < 56 || gas->space_id != 0 || !gas->address) {
		problem(info, "the HPET table makes no sense");
		return;
	}
	info->have_hpet = true;
	info->hpet_address = gas->address;
}

static bool is_table(const struct acpi_header *h, const char *signature)
{
	return memcmp(h->signature, signature, 4) == 0;
}

static void look_for_s5(struct acpi_info *info, const struct acpi_header *h)
{
	if (h && !info->have_s5)
		info->have_s5 = acpi_find_s5((const u8 *)(h + 1), h->length - sizeof(*h),
					     &info->s5_type_a, &info->s5_type_b);
}

/* The offsets are those of section 5.2.9, "FADT". */
static void parse_fadt(struct acpi_info *info, const struct acpi_header *h, acpi_read_fn read)
{
	const u8 *t = (const u8 *)h;
	const struct acpi_header *dsdt;
	phys_addr_t dsdt_address;

	if (info->have_fadt || h->length < 116) {
		problem(info, "a second FADT, or one that is too short");
		return;
	}
	info->have_fadt = true;
	info->smi_command = get32(t + 48);
	info->acpi_enable = t[52];
	info->pm1a_control = get32(t + 64);
	info->pm1b_control = get32(t + 68);
	if (h->length >= 129 && (get32(t + 112) & (1U << 10))) {
		const struct acpi_gas *reset = (const struct acpi_gas *)(t + 116);

		info->reset_supported = reset->space_id <= 1;
		info->reset_space = reset->space_id;
		info->reset_address = reset->address;
		info->reset_value = t[128];
	}
	dsdt_address = get32(t + 40);
	if (h->length >= 148 && get64(t + 140))
		dsdt_address = get64(t + 140);
	dsdt = get_table(info, dsdt_address, read);
	if (dsdt && !is_table(dsdt, "DSDT"))
		problem(info, "the FADT's DSDT is something else");
	else
		look_for_s5(info, dsdt);
}

static void parse_table(struct acpi_info *info, phys_addr_t phys, acpi_read_fn read)
{
	const struct acpi_header *h = get_table(info, phys, read);

	if (!h)
		return;
	if (is_table(h, "APIC"))
		parse_madt(info, h);
	else if (is_table(h, "FACP"))
		parse_fadt(info, h, read);
	else if (is_table(h, "HPET"))
		parse_hpet(info, h);
	else if (is_table(h, "SSDT"))
		look_for_s5(info, h);
}

static const struct acpi_header *get_root(struct acpi_info *info, const struct acpi_rsdp *rsdp,
					  size_t size, acpi_read_fn read, size_t *entry_size)
{
	const struct acpi_header *root = NULL;

	if (rsdp->revision >= 2 && size >= sizeof(*rsdp) && rsdp->xsdt) {
		if (checksum_ok(rsdp, sizeof(*rsdp)))
			root = get_table(info, rsdp->xsdt, read);
		else
			problem(info, "the root pointer's extended checksum is wrong");
		*entry_size = 8;
		if (root && is_table(root, "XSDT"))
			return root;
	}
	root = get_table(info, rsdp->rsdt, read);
	*entry_size = 4;
	if (root && is_table(root, "RSDT"))
		return root;
	problem(info, "there is neither an XSDT nor an RSDT");
	return NULL;
}

void acpi_parse(struct acpi_info *info, const void *rsdp_bytes, size_t rsdp_size, acpi_read_fn read)
{
	const struct acpi_rsdp *rsdp = rsdp_bytes;
	const struct acpi_header *root;
	size_t entry_size, count;

	for (unsigned i = 0; i < ACPI_ISA_IRQS; i++)
		info->isa[i].gsi = i;
	if (rsdp_size < 20 || memcmp(rsdp->signature, "RSD PTR ", 8) != 0 ||
	    !checksum_ok(rsdp, 20)) {
		problem(info, "there is no sound root pointer");
		return;
	}
	memcpy(info->oem_id, rsdp->oem_id, sizeof(rsdp->oem_id));
	root = get_root(info, rsdp, rsdp_size, read, &entry_size);
	if (!root)
		return;
	info->found = true;
	count = (root->length - sizeof(*root)) / entry_size;
	if (count > MAX_TABLES) {
		problem(info, "the root table has too many entries");
		count = MAX_TABLES;
	}
	for (size_t i = 0; i < count; i++) {
		const u8 *entry = (const u8 *)(root + 1) + i * entry_size;

		parse_table(info, entry_size == 8 ? get64(entry) : get32(entry), read);
	}
}
