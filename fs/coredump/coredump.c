/*
 * Core dumps: what is left of a process that a signal such as SIGSEGV has ended, for a debugger.
 *
 * The thread that takes the signal stops the others: they get SIGKILL, and each waits at the
 * beginning of its exit, where its registers are those of the program. Then it writes the file, an
 * ELF file with a note segment and a segment for each area of memory, and lets them go. SIGKILL
 * from outside ends the writing.
 *
 * core(5) says when there is no file: the limit (RLIMIT_CORE) is 0, the process may not be looked
 * into (prctl(PR_SET_DUMPABLE)), or the user may not make the file. The user pays for it as for any
 * other.
 */
#include "fs/coredump/internal.h"

#include "arch/user/fpu.h"
#include "fs/exec/elf.h"
#include "fs/vfs/fs_struct.h"
#include "fs/vfs/namei.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/signal/coredump.h"
#include "kernel/signal/signal.h"
#include "kernel/task/cred.h"
#include "kernel/vm/mm.h"

/* ---- the threads ---- */

/* From now on the threads of the process end. False: they did already. */
static bool begin_end(struct core_state *state, int sig)
{
	struct signal_struct *signal = current->signal;
	struct task_struct *t;
	int others = 0;

	if ((signal->flags & SIGNAL_GROUP_EXIT) || signal->group_exec_task)
		return false;
	signal->flags = SIGNAL_GROUP_EXIT;
	signal->group_exit_code = sig;
	signal->group_stop_count = 0;
	signal->core_state = state;
	list_for_each_entry (t, &signal->thread_head, thread_node)
		if (t != current && !(t->flags & (PF_EXITING | PF_POSTCOREDUMP))) {
			end_thread(t);
			others++;
		}
	atomic_set(&state->missing, others);
	return true;
}

/* Stops the others. False: the process ends already, and there will be no dump. */
static bool stop_threads(struct core_state *state, int sig)
{
	bool ended;

	init_completion(&state->stopped);
	INIT_LIST_HEAD(&state->threads);
	spin_lock(&tasklist_lock);
	spin_lock_irq(&current->sighand->siglock);
	ended = begin_end(state, sig);
	spin_unlock_irq(&current->sighand->siglock);
	spin_unlock(&tasklist_lock);
	if (ended && atomic_read(&state->missing))
		wait_for_completion(&state->stopped);
	return ended;
}

static void release_threads(struct core_state *state, bool dumped)
{
	struct core_thread *thread, *next;

	spin_lock_irq(&current->sighand->siglock);
	if (dumped)
		current->signal->group_exit_code |= 0x80; /* WCOREDUMP() */
	current->signal->core_state = NULL;
	spin_unlock_irq(&current->sighand->siglock);
	list_for_each_entry_safe (thread, next, &state->threads, node)
		complete(&thread->may_leave);
}

/* coredump_ops.wait() */
static void wait_for_dump(void)
{
	struct core_thread self = { .task = current };
	struct core_state *state;

	init_completion(&self.may_leave);
	fpu_sync();
	spin_lock_irq(&current->sighand->siglock);
	current->flags |= PF_POSTCOREDUMP;
	state = current->signal->core_state; /* stays until all have joined */
	if (state)
		list_add_tail(&self.node, &state->threads);
	spin_unlock_irq(&current->sighand->siglock);
	if (!state)
		return;
	if (atomic_dec_and_test(&state->missing))
		complete(&state->stopped);
	wait_for_completion(&self.may_leave);
}

/* ---- the file ---- */

/*
 * A new core file in place of what has its name, or an ERR_PTR. Its owner may read and write it,
 * and nobody else: if the umask does not allow that, there is none.
 */
static struct file *open_core(const struct siginfo *info)
{
	char *name = core_name(info);
	struct file *file;

	if (!name)
		return ERR_PTR(-ENOMEM);
	(void)do_unlinkat(AT_FDCWD, name);
	file = do_filp_open(AT_FDCWD, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW,
			    (umode_t)(0600 & ~current_umask()), 0);
	kfree(name);
	if (IS_ERR(file) || (file->f_inode->i_mode & 0677) == 0600)
		return file;
	fput(file);
	return ERR_PTR(-EPERM);
}

static bool emit_headers(struct coredump *core, size_t notes_size, loff_t data)
{
	struct elf64_hdr elf = {
		.e_ident = { 0x7f, 'E', 'L', 'F', 2 /* 64 bits */, 1 /* little-endian */, 1 },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = 1,
		.e_phoff = sizeof(elf),
		.e_ehsize = sizeof(elf),
		.e_phentsize = sizeof(struct elf64_phdr),
		.e_phnum = (u16)(core->nr_areas + 1),
	};
	struct elf64_phdr notes = {
		.p_type = PT_NOTE,
		.p_offset = sizeof(elf) + (core->nr_areas + 1) * sizeof(notes),
		.p_filesz = notes_size,
		.p_align = 4,
	};

	if (!core_emit(core, &elf, sizeof(elf)) || !core_emit(core, &notes, sizeof(notes)))
		return false;
	for (unsigned i = 0; i < core->nr_areas; i++) {
		const struct core_area *area = &core->areas[i];
		struct elf64_phdr load = {
			.p_type = PT_LOAD,
			.p_flags = (area->vm_flags & VM_READ ? PF_R : 0) |
				   (area->vm_flags & VM_WRITE ? PF_W : 0) |
				   (area->vm_flags & VM_EXEC ? PF_X : 0),
			.p_offset = (u64)data,
			.p_vaddr = area->start,
			.p_filesz = area->size,
			.p_memsz = area->end - area->start,
			.p_align = PAGE_SIZE,
		};

		if (!core_emit(core, &load, sizeof(load)))
			return false;
		data += (loff_t)area->size;
	}
	return true;
}

/* Stops at an error or the limit. */
static void write_core(struct coredump *core)
{
	size_t notes_size = core_notes_size(core);
	loff_t data = ALIGN((loff_t)(sizeof(struct elf64_hdr) +
				     (core->nr_areas + 1) * sizeof(struct elf64_phdr) + notes_size),
			    (loff_t)PAGE_SIZE);

	if (!emit_headers(core, notes_size, data) || !core_emit_notes(core))
		return;
	core_seek(core, data);
	for (unsigned i = 0; i < core->nr_areas; i++)
		if (!core_emit_area(core, &core->areas[i]))
			return;
	core_end(core);
}

/* True if there is a file, even if it is not complete: so WCOREDUMP() says on Linux. */
static bool write_file(struct coredump *core)
{
	int error;

	core->file = open_core(core->info);
	if (IS_ERR(core->file))
		return false;
	error = core_find_areas(core);
	if (!error)
		write_core(core);
	core_free_areas(core);
	fput(core->file);
	return !error;
}

/* coredump_ops.dump() */
static void dump(const struct siginfo *info)
{
	struct coredump core = {
		.info = info,
		.mm = current->mm,
		.limit = rlimit(RLIMIT_CORE),
	};

	if (!READ_ONCE(core.mm->dumpable) || core.limit < PAGE_SIZE ||
	    !stop_threads(&core.state, info->si_signo))
		return;
	fpu_sync();
	release_threads(&core.state, write_file(&core));
}

static const struct coredump_ops ops = { .dump = dump, .wait = wait_for_dump };

static int __init coredump_init(void)
{
	coredump_ops = &ops;
	return 0;
}
early_initcall(coredump_init);
