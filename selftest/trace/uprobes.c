/*
 * Self-tests of uprobes: programs of a few bytes in a file, which run in ring 3 with probes on
 * their instructions. No probe changes what they compute.
 */
#include "trace/uprobes/uprobes.h"

#include "arch/insn.h"
#include "arch/switch.h"
#include "arch/uaccess.h"
#include "fs/dcache.h"
#include "fs/file.h"
#include "fs/namei.h"
#include "fs/page_cache.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/kthread.h"
#include "kernel/vm/mm.h"
#include "selftest/arch/ring3.h"
#include "selftest/selftest.h"

#define FILE_NAME "/tmp/uprobe_code"
#define ROUNDS    20

/* uprobe_code.asm */
extern const char uprobe_sums[], uprobe_sums_code[], uprobe_sums_end[], uprobe_sums_file_end[];

static struct file *code_file;

static struct inode *code_inode(void)
{
	return code_file->f_inode;
}

static bool make_file(void)
{
	size_t size = (size_t)(uprobe_sums_file_end - uprobe_sums);
	loff_t pos = 0;

	code_file = do_filp_open(AT_FDCWD, FILE_NAME, O_RDWR | O_CREAT | O_TRUNC, 0700, 0);
	return !IS_ERR(code_file) &&
	       kernel_write(code_file, uprobe_sums, size, &pos) == (ssize_t)size;
}

static void remove_file(void)
{
	fput(code_file);
	do_unlinkat(AT_FDCWD, FILE_NAME);
}

/* One run of the program. */
struct run {
	struct task_struct *task;
	struct page *page; /* its data, with a reference; NULL: it has not started */
	unsigned long code;
};

static bool make_memory(struct run *run)
{
	const unsigned long flags = MAP_PRIVATE | MAP_FIXED;
	const u64 rounds = ROUNDS;
	struct mm_struct *mm = mm_alloc();
	struct page *page;

	if (!mm)
		return false;
	exec_mmap(mm);
	if (vm_mmap(code_file, RING3_CODE, PAGE_SIZE, PROT_READ | PROT_EXEC, flags, 0) !=
		    RING3_CODE ||
	    vm_mmap(NULL, RING3_DATA, PAGE_SIZE, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS,
		    0) != RING3_DATA ||
	    copy_to_user((void __user *)(RING3_DATA + 8), &rounds, sizeof(rounds)))
		return false;
	mmap_read_lock(mm);
	page = get_user_page(mm, RING3_DATA, true);
	mmap_read_unlock(mm);
	run->page = IS_ERR(page) ? NULL : page;
	return run->page;
}

static void enter_program(void)
{
	if (!make_memory(current->thread_data))
		do_exit(SIGKILL);
	start_thread(RING3_CODE, RING3_DATA + PAGE_SIZE);
}

static bool start_run(struct run *run)
{
	*run = (struct run){};
	run->task = create_kthread_task(NULL, run, "uprobed", enter_program);
	if (IS_ERR(run->task))
		return false;
	get_task_struct(run->task);
	wake_up_process(run->task);
	return true;
}

/* Waits for the end. Returns the sum; ~0: the program did not come to its end. */
static u64 end_run(struct run *run)
{
	u64 sum = ~0UL;

	wait_for_completion(&run->task->exited);
	if (!run->task->exit_code && run->page)
		sum = *(const u64 *)page_address(run->page);
	if (run->page)
		put_page(run->page);
	put_task_struct(run->task);
	return sum;
}

static u64 run_program(void)
{
	struct run run;

	return start_run(&run) ? end_run(&run) : ~0UL;
}

static atomic64_t hits;

static void count_hit(struct uprobe_consumer *self __unused, struct pt_regs *regs __unused)
{
	atomic64_inc(&hits);
}

#define MAX_INSNS 256
static struct uprobe_consumer counters[MAX_INSNS];
static loff_t offsets[MAX_INSNS];

/* Finds the instructions of the program that can be probed: all but SYSCALL. Returns their number.
 */
static unsigned find_instructions(void)
{
	struct insn insn;
	unsigned n = 0;

	for (const char *at = uprobe_sums; at < uprobe_sums_end && n < MAX_INSNS;
	     at += insn.length) {
		if (insn_decode(&insn, (const u8 *)at, MAX_INSN_SIZE))
			return 0;
		counters[n].handler = count_hit;
		offsets[n] = at - uprobe_sums;
		n += insn_flow(&insn) != INSN_OTHER;
	}
	return n;
}

static long count_of(void)
{
	return (long)atomic64_read(&hits);
}

SELFTEST(uprobes, each_instruction_can_be_probed)
{
	unsigned n = find_instructions();
	u64 sum;

	ASSERT(make_file());
	ASSERT(n > 100);
	sum = run_program();
	EXPECT(sum != ~0UL && sum);
	for (unsigned i = 0; i < n; i++) {
		atomic64_set(&hits, 0);
		EXPECT_EQ(uprobe_register(code_inode(), offsets[i], &counters[i]), 0);
		if (run_program() != sum)
			selftest_diag(test, "a probe at offset %#lx changes the sum",
				      (unsigned long)offsets[i]);
		EXPECT_EQ(run_program(), sum);
		uprobe_unregister(code_inode(), offsets[i], &counters[i]);
	}
	atomic64_set(&hits, 0);
	EXPECT_EQ(run_program(), sum);
	EXPECT_EQ(count_of(), 0);
	remove_file();
}

SELFTEST(uprobes, all_instructions_can_be_probed_at_once)
{
	unsigned n = find_instructions();
	struct run runs[4];
	long once;
	u64 sum;

	ASSERT(make_file());
	sum = run_program();
	for (unsigned i = 0; i < n; i++)
		EXPECT_EQ(uprobe_register(code_inode(), offsets[i], &counters[i]), 0);
	atomic64_set(&hits, 0);
	EXPECT_EQ(run_program(), sum);
	once = count_of();
	EXPECT(once > 100 * ROUNDS);
	atomic64_set(&hits, 0);
	for (unsigned i = 0; i < ARRAY_SIZE(runs); i++)
		ASSERT(start_run(&runs[i]));
	for (unsigned i = 0; i < ARRAY_SIZE(runs); i++)
		EXPECT_EQ(end_run(&runs[i]), sum);
	EXPECT_EQ(count_of(), once * (long)ARRAY_SIZE(runs));
	for (unsigned i = 0; i < n; i++)
		uprobe_unregister(code_inode(), offsets[i], &counters[i]);
	EXPECT_EQ(run_program(), sum);
	remove_file();
}
