/* Programs of self-tests: a kernel task that gives itself an address space, without exec. */
#include "selftest/arch/ring3.h"

#include "arch/cpu/switch.h"
#include "arch/user/process.h"
#include "arch/mm/uaccess.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/sched/fork.h"
#include "kernel/sched/kthread.h"
#include "kernel/vm/mm.h"
#include "kernel/mm/user_page.h"

/* Maps code and data. False: an error. */
static bool make_memory(struct ring3 *program)
{
	const unsigned long flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	struct mm_struct *mm = mm_alloc();
	struct page *page;

	if (!mm)
		return false;
	exec_mmap(mm);
	if (vm_mmap(NULL, RING3_CODE, PAGE_SIZE, PROT_READ | PROT_WRITE | PROT_EXEC, flags, 0) !=
		    RING3_CODE ||
	    vm_mmap(NULL, RING3_DATA, PAGE_SIZE, PROT_READ | PROT_WRITE, flags, 0) != RING3_DATA ||
	    copy_to_user((void __user *)RING3_CODE, program->text,
			 (size_t)(program->end - program->text)))
		return false;
	mmap_read_lock(mm);
	page = get_user_page(mm, RING3_DATA, true);
	mmap_read_unlock(mm);
	if (IS_ERR(page))
		return false;
	program->page = page;
	program->data = page_address(page);
	return true;
}

/* The first function of the task. Its return leads to ring 3. */
static void enter_ring3(void)
{
	struct ring3 *program = current->thread_data;
	bool made = make_memory(program);

	complete(&program->ready);
	if (!made)
		do_exit(SIGKILL);
	start_thread(RING3_CODE, RING3_DATA + PAGE_SIZE);
}

bool ring3_start(struct ring3 *program, const char *text, const char *end, unsigned cpu)
{
	*program = (struct ring3){ .text = text, .end = end };
	init_completion(&program->ready);
	program->task = create_kthread_task(NULL, program, "ring3", enter_ring3);
	if (IS_ERR(program->task))
		return false;
	get_task_struct(program->task);
	kthread_bind(program->task, cpu);
	wake_up_process(program->task);
	wait_for_completion(&program->ready);
	if (program->page)
		return true;
	ring3_wait(program);
	return false;
}

int ring3_wait(struct ring3 *program)
{
	int sig;

	wait_for_completion(&program->task->exited);
	sig = program->task->exit_code & 0x7f;
	put_task_struct(program->task);
	return sig;
}

void ring3_free(struct ring3 *program)
{
	put_page(program->page);
}
