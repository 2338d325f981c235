/* Registers uprobes and finds them. See uprobes.h; the locks are in docs/architecture.md. */
#include "fs/vfs/dcache.h"
#include "fs/vfs/page_cache.h"
#include "kernel/bug.h"
#include "kernel/export.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "kernel/rcu/rcu.h"
#include "trace/uprobes/internal.h"

#define BUCKETS 256U

static DEFINE_MUTEX(uprobes_mutex);     /* before consumer_rwsem and vm_mapping.lock */
static struct uprobe *uprobes[BUCKETS]; /* [uprobes_mutex] to write; RCU */
atomic_t uprobe_generation;

static struct uprobe **bucket_of(const struct vm_mapping *mapping, loff_t offset)
{
	u64 key = (u64)(unsigned long)mapping / sizeof(*mapping) * 31 + (u64)offset;

	return &uprobes[(key ^ key >> 8) % BUCKETS];
}

static struct uprobe *lookup(const struct vm_mapping *mapping, loff_t offset)
{
	struct uprobe *uprobe = rcu_dereference(*bucket_of(mapping, offset));

	while (uprobe && (uprobe->offset != offset || &uprobe->inode->i_mapping->i_mmap != mapping))
		uprobe = rcu_dereference(uprobe->next);
	return uprobe;
}

struct uprobe *find_uprobe(const struct vm_mapping *mapping, loff_t offset)
{
	struct uprobe *uprobe;

	rcu_read_lock();
	uprobe = lookup(mapping, offset);
	if (uprobe)
		get_uprobe(uprobe); /* the table's reference goes after a grace period */
	rcu_read_unlock();
	return uprobe;
}

void get_uprobe(struct uprobe *uprobe)
{
	atomic_inc(&uprobe->ref);
}

void put_uprobe(struct uprobe *uprobe)
{
	if (!atomic_dec_and_test(&uprobe->ref))
		return;
	iput(uprobe->inode);
	kfree(uprobe);
}

/* Copies up to size bytes of the file. Returns their number. A hole has zeros. */
static size_t read_file(struct inode *inode, loff_t offset, u8 *buf, size_t size)
{
	size_t done = 0;

	size = min(size, (size_t)max(inode->i_size - offset, (loff_t)0));
	while (done < size) {
		u64 at = (u64)offset + done;
		size_t n = min(size - done, (size_t)(PAGE_SIZE - at % PAGE_SIZE));
		struct page *page = find_get_page(inode->i_mapping, at / PAGE_SIZE);

		if (page) {
			memcpy(buf + done, (u8 *)page_address(page) + at % PAGE_SIZE, n);
			put_page(page);
		} else {
			memset(buf + done, 0, n);
		}
		done += n;
	}
	return done;
}

/*
 * Called with the lock of the mapping, perhaps in a fault that a handler has caused, which holds
 * consumer_rwsem. So the list is read by RCU.
 */
static bool is_wanted(const struct vm_patch *patch, struct mm_struct *mm)
{
	struct uprobe *uprobe = container_of(patch, struct uprobe, breakpoint);
	struct uprobe_consumer *uc;
	bool wanted = false;

	rcu_read_lock();
	list_for_each_entry_rcu (uc, &uprobe->consumers, list)
		wanted |= consumer_wants(uc, mm);
	rcu_read_unlock();
	return wanted;
}

static struct uprobe *make_uprobe(struct inode *inode, loff_t offset, loff_t ref_ctr_offset)
{
	struct uprobe *uprobe = kzalloc(sizeof(*uprobe), GFP_KERNEL);
	u8 text[MAX_INSN_SIZE];
	size_t size;
	int error;

	if (!uprobe)
		return ERR_PTR(-ENOMEM);
	atomic_set(&uprobe->ref, 1);
	init_rwsem(&uprobe->consumer_rwsem);
	INIT_LIST_HEAD(&uprobe->consumers);
	uprobe->offset = offset;
	uprobe->ref_ctr_offset = ref_ctr_offset;
	size = read_file(inode, offset, text, sizeof(text));
	error = arch_uprobe_analyze(&uprobe->arch, text, size);
	if (error) {
		kfree(uprobe);
		return ERR_PTR(error);
	}
	uprobe->first_slot = xol_first_slot(&uprobe->arch);
	uprobe->breakpoint =
		(struct vm_patch){ .offset = (u64)offset, .opcode = text[0], .wanted = is_wanted };
	uprobe->counter =
		(struct vm_patch){ .offset = (u64)ref_ctr_offset, .kind = VM_PATCH_COUNTER };
	uprobe->inode = ihold(inode);
	return uprobe;
}

/* A hit is found as soon as there is a breakpoint. uprobes_mutex held, as below. */
static void insert_uprobe(struct uprobe *uprobe)
{
	struct vm_mapping *mapping = &uprobe->inode->i_mapping->i_mmap;
	struct uprobe **bucket = bucket_of(mapping, uprobe->offset);

	uprobe->next = *bucket;
	rcu_assign_pointer(*bucket, uprobe);
	atomic_inc(&uprobe_generation);
	vm_patch_add(mapping, &uprobe->breakpoint);
	if (uprobe->ref_ctr_offset)
		vm_patch_add(mapping, &uprobe->counter);
}

static void remove_patch(struct uprobe *uprobe, struct vm_patch *patch)
{
	struct address_space *mapping = uprobe->inode->i_mapping;
	struct page *page = find_get_page(mapping, patch->offset / PAGE_SIZE);

	vm_patch_remove(&mapping->i_mmap, patch, page);
	if (page)
		put_page(page);
}

/* A task that has met the breakpoint before finds no uprobe, and executes the instruction. */
static void remove_uprobe(struct uprobe *uprobe)
{
	struct uprobe **link = bucket_of(&uprobe->inode->i_mapping->i_mmap, uprobe->offset);

	if (uprobe->ref_ctr_offset)
		remove_patch(uprobe, &uprobe->counter);
	remove_patch(uprobe, &uprobe->breakpoint);
	while (*link != uprobe)
		link = &(*link)->next;
	rcu_assign_pointer(*link, uprobe->next);
	synchronize_rcu();
	put_uprobe(uprobe);
}

static void add_consumer(struct uprobe *uprobe, struct uprobe_consumer *uc)
{
	down_write(&uprobe->consumer_rwsem);
	/* The newest runs first, as on Linux: bpftrace attaches in reverse, and relies on that. */
	list_add_rcu(&uc->list, &uprobe->consumers);
	up_write(&uprobe->consumer_rwsem);
}

/* Whether a consumer wants all programs. Then others change nothing for the breakpoint. */
static bool is_for_all(const struct uprobe *uprobe)
{
	struct uprobe_consumer *uc;

	list_for_each_entry (uc, &uprobe->consumers, list)
		if (!uc->filter)
			return true;
	return false;
}

/* A consumer has come or gone. */
static void update_uprobe(struct uprobe *uprobe)
{
	struct address_space *mapping = uprobe->inode->i_mapping;
	struct page *page = find_get_page(mapping, (u64)uprobe->offset / PAGE_SIZE);

	vm_patch_update(&mapping->i_mmap, &uprobe->breakpoint, page);
	if (page)
		put_page(page);
}

static int check_ref_ctr(const struct uprobe *uprobe, loff_t ref_ctr_offset)
{
	if (uprobe->ref_ctr_offset == ref_ctr_offset)
		return 0;
	pr_warn("ref_ctr_offset mismatch. inode: 0x%lx offset: 0x%llx ref_ctr_offset(old): 0x%llx "
		"ref_ctr_offset(new): 0x%llx\n",
		(unsigned long)uprobe->inode->i_ino, (unsigned long long)uprobe->offset,
		(unsigned long long)uprobe->ref_ctr_offset, (unsigned long long)ref_ctr_offset);
	return -EINVAL;
}

int uprobe_register_refctr(struct inode *inode, loff_t offset, loff_t ref_ctr_offset,
			   struct uprobe_consumer *uc)
{
	struct uprobe *uprobe;
	int error = 0;

	if (!uc->handler && !uc->ret_handler)
		return -EINVAL;
	if (!inode->i_mapping)
		return -EIO;
	if (offset < 0 || offset > inode->i_size || (ref_ctr_offset & 1))
		return -EINVAL;
	mutex_lock(&uprobes_mutex);
	uprobe = lookup(&inode->i_mapping->i_mmap, offset);
	if (uprobe) {
		error = check_ref_ctr(uprobe, ref_ctr_offset);
		if (!error) {
			bool for_all = is_for_all(uprobe);

			add_consumer(uprobe, uc);
			if (!for_all)
				update_uprobe(uprobe);
		}
	} else {
		uprobe = make_uprobe(inode, offset, ref_ctr_offset);
		if (IS_ERR(uprobe)) {
			error = (int)PTR_ERR(uprobe);
		} else {
			add_consumer(uprobe, uc);
			insert_uprobe(uprobe);
		}
	}
	mutex_unlock(&uprobes_mutex);
	return error;
}
EXPORT_SYMBOL_GPL(uprobe_register_refctr);

int uprobe_register(struct inode *inode, loff_t offset, struct uprobe_consumer *uc)
{
	return uprobe_register_refctr(inode, offset, 0, uc);
}
EXPORT_SYMBOL_GPL(uprobe_register);

void uprobe_unregister(struct inode *inode, loff_t offset, struct uprobe_consumer *uc)
{
	struct uprobe *uprobe;

	mutex_lock(&uprobes_mutex);
	uprobe = lookup(&inode->i_mapping->i_mmap, offset);
	if (!WARN_ON(!uprobe)) {
		bool last;

		down_write(&uprobe->consumer_rwsem);
		list_del_rcu(&uc->list);
		last = list_empty(&uprobe->consumers);
		up_write(&uprobe->consumer_rwsem);
		if (last) {
			remove_uprobe(uprobe);
		} else {
			if (!is_for_all(uprobe))
				update_uprobe(uprobe);
			synchronize_rcu(); /* for is_wanted() */
		}
	}
	mutex_unlock(&uprobes_mutex);
}
EXPORT_SYMBOL_GPL(uprobe_unregister);
