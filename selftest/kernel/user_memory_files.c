/* Self-tests of areas with an owner: pages of a file, shared and private, and their removal. */
#include "kernel/lib/string.h"
#include "kernel/vm/mm.h"
#include "kernel/mm/user_page.h"
#include "selftest/lib/memory.h"
#include "selftest/lib/user_memory.h"
#include "selftest/selftest.h"

#define FILE_PAGES 4

/* What a file system keeps of a file: its pages, and the areas that show them. */
struct test_file {
	struct vm_mapping mapping;
	struct page *pages[FILE_PAGES];
	unsigned long npages; /* its size: a fault beyond it is SIGBUS */
	unsigned faults, writes;
};

static unsigned test_fault(struct vm_fault *vmf)
{
	struct test_file *file = vmf->vma->vm_private_data;

	file->faults++;
	if (vmf->pgoff >= file->npages)
		return VM_FAULT_SIGBUS;
	vmf->page = file->pages[vmf->pgoff];
	get_page(vmf->page);
	return 0;
}

static unsigned test_mkwrite(struct vm_fault *vmf)
{
	struct test_file *file = vmf->vma->vm_private_data;

	file->writes++;
	return 0;
}

static const struct vm_operations_struct test_ops = {
	.fault = test_fault,
	.page_mkwrite = test_mkwrite,
};

static bool test_file_init(struct test_file *file)
{
	*file = (struct test_file){ .npages = FILE_PAGES };
	vm_mapping_init(&file->mapping);
	for (unsigned i = 0; i < FILE_PAGES; i++) {
		file->pages[i] = alloc_user_page(GFP_KERNEL | __GFP_ZERO, MM_FILEPAGES);
		if (!file->pages[i])
			return false;
		*(u8 *)page_address(file->pages[i]) = (u8)('a' + i);
	}
	return true;
}

static void test_file_end(struct selftest *test, struct test_file *file)
{
	EXPECT(list_empty(&file->mapping.areas));
	for (unsigned i = 0; i < FILE_PAGES; i++) {
		EXPECT_EQ(page_count(file->pages[i]), 1);
		put_page(file->pages[i]);
	}
}

/* Maps the whole file at addr, and a page more. */
static bool map_file(struct mm_struct *mm, struct test_file *file, unsigned long addr,
		     unsigned long vm_flags)
{
	struct vm_area_struct *vma;

	mmap_write_lock(mm);
	vma = install_special_mapping(mm, addr, (FILE_PAGES + 1) * PAGE_SIZE,
				      vm_flags | VM_READ | VM_WRITE | VM_MAYREAD | VM_MAYWRITE,
				      &test_ops, file, &file->mapping);
	mmap_write_unlock(mm);
	return !IS_ERR(vma);
}

#define SHARED_AT  0x10000000UL
#define PRIVATE_AT 0x20000000UL

SELFTEST(user_memory_files, shared_and_private_areas_show_one_file)
{
	struct mm_struct *mm = test_mm_begin();
	struct test_file file;

	ASSERT(mm && test_file_init(&file));
	EXPECT(map_file(mm, &file, SHARED_AT, VM_SHARED | VM_MAYSHARE));
	EXPECT(map_file(mm, &file, PRIVATE_AT, 0));
	EXPECT_EQ(user_peek(SHARED_AT), 'a');
	EXPECT_EQ(user_peek(PRIVATE_AT + PAGE_SIZE), 'b');
	EXPECT_EQ(file.writes, 0);
	EXPECT_EQ(user_poke(SHARED_AT, 'A'), 0); /* present, and becomes writable */
	EXPECT_EQ(user_poke(SHARED_AT + PAGE_SIZE, 'B'), 0);
	EXPECT_EQ(file.writes, 2);
	EXPECT_EQ(user_peek(PRIVATE_AT + PAGE_SIZE), 'B');
	EXPECT_EQ(user_poke(PRIVATE_AT + PAGE_SIZE, 'x'), 0);
	EXPECT_EQ(user_poke(PRIVATE_AT + 2 * PAGE_SIZE, 'y'), 0);
	EXPECT_EQ(file.writes, 2);
	EXPECT_EQ(user_peek(SHARED_AT + PAGE_SIZE), 'B');
	EXPECT_EQ(user_peek(SHARED_AT + 2 * PAGE_SIZE), 'c');
	EXPECT_EQ(mm->rss[MM_FILEPAGES], 3);
	EXPECT_EQ(mm->rss[MM_ANONPAGES], 2);
	EXPECT_EQ(user_peek(SHARED_AT + FILE_PAGES * PAGE_SIZE), -EFAULT); /* SIGBUS */
	test_mm_end(mm);
	test_file_end(test, &file);
}

SELFTEST(user_memory_files, truncation_takes_pages_from_all_address_spaces)
{
	struct mm_struct *mm = test_mm_begin(), *child;
	struct test_file file;

	ASSERT(mm && test_file_init(&file));
	EXPECT(map_file(mm, &file, SHARED_AT, VM_SHARED | VM_MAYSHARE));
	EXPECT(map_file(mm, &file, PRIVATE_AT, 0));
	for (unsigned i = 0; i < FILE_PAGES; i++)
		EXPECT_EQ(user_peek(PRIVATE_AT + i * PAGE_SIZE), 'a' + (int)i);
	EXPECT_EQ(user_poke(PRIVATE_AT + 3 * PAGE_SIZE, 'x'), 0);
	EXPECT_EQ(user_peek(SHARED_AT + 2 * PAGE_SIZE), 'c');
	child = dup_mm(mm);
	ASSERT(child);
	EXPECT_EQ(page_count(file.pages[2]), 4); /* the file, two areas here, one in the child */

	/* A hole: only pages of the file go. */
	unmap_mapping_range(&file.mapping, 1, 3, false);
	EXPECT_EQ(page_count(file.pages[2]), 1);
	EXPECT_EQ(page_count(file.pages[0]), 3);
	EXPECT_EQ(user_peek(PRIVATE_AT + 3 * PAGE_SIZE), 'x');
	/* The end of the file: private copies go, too. */
	file.npages = 2;
	unmap_mapping_range(&file.mapping, 2, ~0UL >> 12, true);
	EXPECT_EQ(user_peek(PRIVATE_AT + 3 * PAGE_SIZE), -EFAULT);
	EXPECT_EQ(user_peek(SHARED_AT + 2 * PAGE_SIZE), -EFAULT);
	EXPECT_EQ(user_peek(PRIVATE_AT + PAGE_SIZE), 'b');
	EXPECT_EQ(get_mm_rss(mm), 2);
	kthread_unuse_mm(mm);
	kthread_use_mm(child);
	EXPECT_EQ(user_peek(PRIVATE_AT + 3 * PAGE_SIZE), -EFAULT);
	EXPECT_EQ(user_peek(PRIVATE_AT + PAGE_SIZE), 'b');
	test_mm_end(child);
	mmput(mm);
	test_file_end(test, &file);
}
