/*
 * Self-tests of /proc/kcore: it shows the kernel's memory as it is, also a call site with a jmp,
 * and the int3 of a patch that is half done. tests/host/test_dis.c proves that dis decodes them.
 */
#include "arch/patch/text_patch.h"
#include "fs/exec/elf.h"
#include "fs/vfs/syscalls.h"
#include "kernel/irq/irq.h"
#include "kernel/lib/string.h"
#include "selftest/lib/ftrace_targets.h"
#include "selftest/lib/threads.h"
#include "selftest/selftest.h"

#define INT3 0xcc

/* Reads what the file has of the memory at addr. Returns whether a part of the file contains it. */
static bool read_kcore(unsigned long addr, void *buf, size_t size)
{
	int fd = (int)sys_open("/proc/kcore", O_RDONLY, 0);
	struct elf64_phdr part;
	struct elf64_hdr elf;
	bool found = false;

	if (sys_read(fd, (char *)&elf, sizeof(elf)) != sizeof(elf))
		elf.e_phnum = 0;
	for (unsigned i = 0; i < elf.e_phnum && !found; i++) {
		sys_lseek(fd, (loff_t)(elf.e_phoff + i * sizeof(part)), SEEK_SET);
		if (sys_read(fd, (char *)&part, sizeof(part)) != sizeof(part))
			break;
		if (addr - part.p_vaddr >= part.p_filesz ||
		    size > part.p_vaddr + part.p_filesz - addr)
			continue;
		sys_lseek(fd, (loff_t)(part.p_offset + addr - part.p_vaddr), SEEK_SET);
		found = sys_read(fd, buf, size) == (ssize_t)size;
	}
	sys_close(fd);
	return found;
}

/* Tells if the file has these bytes at the start of ftrace_target_add(). */
static bool kcore_shows(const void *bytes, size_t size)
{
	u8 found[TEXT_PATCH_SIZE];

	return read_kcore((unsigned long)ftrace_target_add, found, size) &&
	       !memcmp(found, bytes, size);
}

static struct text_patch to_jmp(void)
{
	struct text_patch patch = { .addr = (unsigned long)ftrace_target_add };

	memcpy(patch.old, text_nop5, TEXT_PATCH_SIZE);
	text_encode_jmp(patch.new, patch.addr, (unsigned long)ftrace_target_multiply);
	return patch;
}

static struct text_patch undone(struct text_patch patch)
{
	struct text_patch back = { .addr = patch.addr };

	memcpy(back.old, patch.new, TEXT_PATCH_SIZE);
	memcpy(back.new, patch.old, TEXT_PATCH_SIZE);
	return back;
}

/* Tells if functions have call sites: a build with WITHOUT=ftrace has none. */
static bool has_site(void)
{
	return !memcmp((const void *)ftrace_target_add, text_nop5, TEXT_PATCH_SIZE);
}

SELFTEST(kcore, a_site_that_jumps_is_shown_as_memory_has_it)
{
	struct text_patch jmp = to_jmp(), back = undone(jmp);
	size_t bad;

	if (!has_site())
		return;
	EXPECT(kcore_shows(text_nop5, TEXT_PATCH_SIZE));
	ASSERT(text_patch_apply(&jmp, 1, &bad) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	EXPECT(kcore_shows(jmp.new, TEXT_PATCH_SIZE));
	ASSERT(text_patch_apply(&back, 1, &bad) == 0);
	EXPECT(kcore_shows(text_nop5, TEXT_PATCH_SIZE));
}

/* ---- a CPU with interrupts off keeps a patch in its first step ---- */

struct held_patch {
	struct text_patch patch;
	bool held, let_go;
	int error;
};

static void hold_cpu(void *arg, unsigned index __unused)
{
	struct held_patch *h = arg;

	local_irq_restore(wait_with_irqs_off(&h->held, &h->let_go));
}

/* It was created before the CPU is held: a task there could have a mutex of the allocators. */
static void apply(void *arg, unsigned index __unused)
{
	struct held_patch *h = arg;
	size_t bad;

	while (!READ_ONCE(h->held))
		yield();
	h->error = text_patch_apply(&h->patch, 1, &bad);
}

static u8 first_byte(unsigned long addr)
{
	return READ_ONCE(*(const u8 *)addr);
}

SELFTEST(kcore, a_half_patched_site_is_shown_with_its_int3)
{
	struct held_patch h = { .patch = to_jmp() };
	u8 half_patched[TEXT_PATCH_SIZE];
	struct test_group holder, patcher;
	size_t bad;

	/* One CPU has interrupts off, one patches and waits, and one reads the file. */
	if (!has_site() || num_online_cpus() < 3)
		return;
	memcpy(half_patched, text_nop5, TEXT_PATCH_SIZE);
	half_patched[0] = INT3;
	ASSERT(run_on_nth_cpu(2));
	ASSERT(test_group_start(&patcher, 1, nth_online_cpu(0), apply, &h));
	ASSERT(test_group_start(&holder, 1, nth_online_cpu(1), hold_cpu, &h));
	while (first_byte(h.patch.addr) != INT3)
		yield();
	EXPECT(kcore_shows(half_patched, TEXT_PATCH_SIZE));
	EXPECT_EQ(first_byte(h.patch.addr), INT3);
	WRITE_ONCE(h.let_go, true);
	test_group_wait(&holder);
	test_group_wait(&patcher);
	run_on_any_cpu();

	EXPECT_EQ(h.error, 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 60);
	EXPECT(kcore_shows(h.patch.new, TEXT_PATCH_SIZE));
	h.patch = undone(h.patch);
	EXPECT(text_patch_apply(&h.patch, 1, &bad) == 0);
	EXPECT_EQ(ftrace_target_add(20, 3), 23);
}
