/* A program for tests of uprobes: uprobe_program.h. */
#include "selftest/lib/uprobe_program.h"

#include "arch/probes/insn.h"
#include "arch/cpu/switch.h"
#include "arch/user/process.h"
#include "arch/mm/uaccess.h"
#include "fs/vfs/namei.h"
#include "fs/vfs/page_cache.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/kthread.h"
#include "kernel/vm/mm.h"
#include "selftest/arch/ring3.h"

/* selftest/trace/uprobe_code.asm */
extern const char uprobe_sums[], uprobe_sums_code[], uprobe_sums_end[], uprobe_sums_file_end[];

bool uprobe_program_make(struct uprobe_program *program, unsigned number)
{
	size_t size = (size_t)(uprobe_sums_file_end - uprobe_sums);
	loff_t pos = 0;

	snprintf(program->path, sizeof(program->path), "/tmp/uprobe_code.%u", number);
	program->file = do_filp_open(AT_FDCWD, program->path, O_RDWR | O_CREAT | O_TRUNC, 0700, 0);
	if (IS_ERR(program->file))
		return false;
	if (kernel_write(program->file, uprobe_sums, size, &pos) == (ssize_t)size)
		return true;
	uprobe_program_remove(program);
	return false;
}

void uprobe_program_remove(struct uprobe_program *program)
{
	fput(program->file);
	do_unlinkat(AT_FDCWD, program->path);
}

unsigned uprobe_program_instructions(loff_t offsets[UPROBE_PROGRAM_INSNS])
{
	struct insn insn;
	unsigned n = 0;

	for (const char *at = uprobe_sums; at < uprobe_sums_end && n < UPROBE_PROGRAM_INSNS;
	     at += insn.length) {
		if (insn_decode(&insn, (const u8 *)at, MAX_INSN_SIZE))
			return 0;
		offsets[n] = at - uprobe_sums;
		n += insn_flow(&insn) != INSN_OTHER;
	}
	return n;
}

static bool make_memory(struct uprobe_run *run)
{
	const unsigned long flags = MAP_PRIVATE | MAP_FIXED;
	const u64 rounds = UPROBE_PROGRAM_ROUNDS;
	struct mm_struct *mm = mm_alloc();
	struct page *page;

	if (!mm)
		return false;
	WRITE_ONCE(run->mm, mm);
	exec_mmap(mm);
	if (vm_mmap(run->program->file, RING3_CODE, PAGE_SIZE, PROT_READ | PROT_EXEC, flags, 0) !=
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

bool uprobe_run_start(struct uprobe_run *run, const struct uprobe_program *program)
{
	*run = (struct uprobe_run){ .program = program };
	run->task = create_kthread_task(NULL, run, "uprobed", enter_program);
	if (IS_ERR(run->task))
		return false;
	get_task_struct(run->task);
	wake_up_process(run->task);
	return true;
}

u64 uprobe_run_end(struct uprobe_run *run)
{
	u64 sum = ~0UL;

	wait_for_completion(&run->task->exited);
	WRITE_ONCE(run->mm, NULL); /* another run may have it next */
	if (!run->task->exit_code && run->page)
		sum = *(const u64 *)page_address(run->page);
	if (run->page)
		put_page(run->page);
	put_task_struct(run->task);
	return sum;
}
