/*
 * The notes of a core file: what a debugger knows of the process beside its memory. The thread that
 * dumps comes first: debuggers show it.
 */
#include "fs/coredump/internal.h"

#include "arch/user/fpu.h"
#include "arch/user/regset.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "kernel/process/rusage.h"
#include "kernel/task/cred.h"
#include "kernel/task/pid.h"
#include "kernel/vm/mm.h"

#define NT_PRSTATUS   1
#define NT_PRFPREG    2
#define NT_PRPSINFO   3
#define NT_AUXV       6
#define NT_X86_XSTATE 0x202
#define NT_FILE       0x46494c45
#define NT_SIGINFO    0x53494749

#define FPREGS_SIZE 512 /* FXSAVE */

struct elf_note {
	u32 name_size, size, type;
	char name[8];
};

/* Linux's struct elf_prstatus. */
struct elf_prstatus {
	int si_signo, si_code, si_errno; /* the other two are 0: NT_SIGINFO has all */
	short cursig;
	u64 sigpend, sighold;
	int pid, ppid, pgrp, sid;
	struct timeval utime, stime, cutime, cstime;
	struct user_regs_struct regs;
	int fpvalid;
};
BUILD_BUG_ON(sizeof(struct elf_prstatus) != 336);

/* Linux's struct elf_prpsinfo. */
struct elf_prpsinfo {
	char state, sname, zombie, nice;
	u64 flags;
	u32 uid, gid;
	int pid, ppid, pgrp, sid;
	char fname[16];
	char psargs[80];
};
BUILD_BUG_ON(sizeof(struct elf_prpsinfo) != 136);

/* ---- one note ---- */

static size_t note_size(size_t size)
{
	return sizeof(struct elf_note) + ALIGN(size, 4UL);
}

static bool emit_note(struct coredump *core, const char *name, u32 type, const void *data,
		      size_t size)
{
	struct elf_note note = {
		.name_size = (u32)strlen(name) + 1,
		.size = (u32)size,
		.type = type,
	};
	static const char zeros[4];

	strscpy(note.name, name, sizeof(note.name));
	return core_emit(core, &note, sizeof(note)) && core_emit(core, data, size) &&
	       core_emit(core, zeros, ALIGN(size, 4UL) - size);
}

/* ---- of the process ---- */

static pid_t id_of_process(enum pid_type type)
{
	pid_t nr;

	spin_lock(&tasklist_lock);
	nr = current->signal->pids[type]->nr;
	spin_unlock(&tasklist_lock);
	return nr;
}

static struct elf_prpsinfo process_info(const struct coredump *core)
{
	const struct signal_struct *signal = current->signal;
	struct elf_prpsinfo info = {
		.sname = 'R',
		.nice = (char)current->nice,
		.flags = current->flags,
		.uid = current_cred()->uid,
		.gid = current_cred()->gid,
		.pid = current->tgid,
		.ppid = READ_ONCE(signal->ppid),
		.pgrp = id_of_process(PIDTYPE_PGID),
		.sid = id_of_process(PIDTYPE_SID),
	};
	const struct mm_struct *mm = core->mm;
	size_t n = min(mm->arg_end - mm->arg_start, sizeof(info.psargs) - 1);

	n = access_remote_vm(core->mm, mm->arg_start, info.psargs, n, false);
	for (size_t i = 0; i < n; i++)
		if (!info.psargs[i])
			info.psargs[i] = ' ';
	strscpy(info.fname, current->comm, sizeof(info.fname));
	return info;
}

static size_t auxv_size(const struct mm_struct *mm)
{
	unsigned words = 0;

	while (words + 2 < AT_VECTOR_SIZE && mm->saved_auxv[words])
		words += 2;
	return (words + 2) * sizeof(mm->saved_auxv[0]);
}

static bool emit_process(struct coredump *core)
{
	struct elf_prpsinfo process = process_info(core);
	u8 info[SIGINFO_SIZE] = { 0 };

	memcpy(info, core->info, sizeof(*core->info));
	return emit_note(core, "CORE", NT_PRPSINFO, &process, sizeof(process)) &&
	       emit_note(core, "CORE", NT_SIGINFO, info, sizeof(info)) &&
	       emit_note(core, "CORE", NT_AUXV, core->mm->saved_auxv, auxv_size(core->mm)) &&
	       (!core->files_size ||
		emit_note(core, "CORE", NT_FILE, core->files, core->files_size));
}

/* ---- of a thread ---- */

static struct timeval to_timeval(u64 ns)
{
	return (struct timeval){ (long)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC / 1000) };
}

static bool emit_status(struct coredump *core, struct task_struct *task)
{
	const struct signal_struct *signal = task->signal;
	struct elf_prstatus status = {
		.si_signo = core->info->si_signo,
		.cursig = (short)core->info->si_signo,
		.sigpend = task->pending.signal,
		.sighold = task->blocked,
		.pid = task->pid,
		.ppid = READ_ONCE(signal->ppid),
		.pgrp = id_of_process(PIDTYPE_PGID),
		.sid = id_of_process(PIDTYPE_SID),
		.cutime = to_timeval(signal->children.utime),
		.cstime = to_timeval(signal->children.stime),
		.fpvalid = 1,
	};
	u64 utime, stime;

	task_cputime(task, &utime, &stime);
	status.utime = to_timeval(utime);
	status.stime = to_timeval(stime);
	status.regs = regset_get_general(task);
	return emit_note(core, "CORE", NT_PRSTATUS, &status, sizeof(status));
}

static bool emit_fpu(struct coredump *core, const struct task_struct *task)
{
	void *state = kmalloc(fpu_state_size, GFP_KERNEL);
	bool good = false;

	if (state) {
		fpu_get_state(task, state);
		good = emit_note(core, "CORE", NT_PRFPREG, state, FPREGS_SIZE) &&
		       (!fpu_frame_is_extended ||
			emit_note(core, "LINUX", NT_X86_XSTATE, state, fpu_state_size));
	}
	kfree(state);
	return good;
}

static size_t thread_size(void)
{
	return note_size(sizeof(struct elf_prstatus)) + note_size(FPREGS_SIZE) +
	       (fpu_frame_is_extended ? note_size(fpu_state_size) : 0);
}

/* ---- all ---- */

size_t core_notes_size(const struct coredump *core)
{
	const struct core_thread *thread;
	size_t size = thread_size() + note_size(sizeof(struct elf_prpsinfo)) +
		      note_size(SIGINFO_SIZE) + note_size(auxv_size(core->mm)) +
		      (core->files_size ? note_size(core->files_size) : 0);

	list_for_each_entry (thread, &core->state.threads, node)
		size += thread_size();
	return size;
}

bool core_emit_notes(struct coredump *core)
{
	const struct core_thread *thread;

	if (!emit_status(core, current) || !emit_process(core) || !emit_fpu(core, current))
		return false;
	list_for_each_entry (thread, &core->state.threads, node)
		if (!emit_status(core, thread->task) || !emit_fpu(core, thread->task))
			return false;
	return true;
}
