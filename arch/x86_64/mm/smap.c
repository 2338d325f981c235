/* Puts STAC and CLAC in their places, if the CPU has SMAP. */
#include "arch/mm/smap.h"

#include "arch/boot/cpuinfo.h"
#include "arch/patch/text_patch.h"
#include "kernel/bug.h"
#include "kernel/linker_table.h"

struct smap_site {
	unsigned long addr; /* a 3-byte nop */
	u64 last_byte;      /* of STAC or CLAC: 0f 01 cb, 0f 01 ca */
};

DEFINE_LINKER_TABLE(init, struct smap_site, smap_sites);

void __init smap_init(void)
{
	if (!cpu_has(X86_FEATURE_SMAP))
		return;
	for_each_linker_table_entry (site, smap_sites) {
		const u8 insn[] = { 0x0f, 0x01, (u8)site->last_byte };

		BUG_ON(text_patch_fill(site->addr, insn, sizeof(insn)));
	}
}
