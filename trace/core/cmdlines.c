/*
 * The names of the tasks in a trace. An entry holds only a PID, and the task may have ended when
 * the entry is read.
 *
 * The buffer keeps the names of the last saved_cmdlines_size tasks that wrote entries. A task
 * switch saves them. It spins for the lock: a task that ends has no other switch that could save
 * its name. A holder has interrupts off and calls nothing, so it is quick and cannot deadlock.
 */
#include "trace/core/cmdlines.h"
#include "trace/core/files.h"
#include "trace/core/pid_list.h"
#include "arch/cpu/processor.h"
#include "fs/vfs/seq_file.h"
#include "kernel/init.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/vmalloc.h"

#define SAVED_CMDLINES_DEFAULT 128
#define NO_CMDLINE             0xffffU

struct saved_cmdline {
	pid_t pid; /* 0: free */
	char comm[TASK_COMM_LEN];
};

struct saved_cmdlines_buffer {
	u16 slot_of[PID_NUMBERS];     /* [L] or NO_CMDLINE */
	unsigned size;                /* constant */
	unsigned last;                /* [L] the slot used most recently */
	struct saved_cmdline slots[]; /* [L] */
};

static struct saved_cmdlines_buffer *savedcmd; /* [L] to read, [L and T] to replace */
static int cmdline_lock;                       /* L: taken with interrupts off */
static u16 saved_tgids[PID_NUMBERS];           /* [A] by pid; 0: not saved */

static bool cmdline_trylock(void)
{
	return __atomic_exchange_n(&cmdline_lock, 1, __ATOMIC_ACQUIRE) == 0;
}

static void cmdline_unlock(void)
{
	__atomic_store_n(&cmdline_lock, 0, __ATOMIC_RELEASE);
}

#define cmdline_lock_irqsave(flags)                                                                \
	do {                                                                                       \
		raw_local_irq_save(flags);                                                         \
		while (!cmdline_trylock())                                                         \
			cpu_relax();                                                               \
	} while (0)
#define cmdline_unlock_irqrestore(flags)                                                           \
	do {                                                                                       \
		cmdline_unlock();                                                                  \
		raw_local_irq_restore(flags);                                                      \
	} while (0)

u32 cmdline_generation = 1;

/* [L] held. */
static void next_generation(void)
{
	u32 next = cmdline_generation + 1;

	WRITE_ONCE(cmdline_generation, next ? next : 1);
}

void trace_forget_saved(void)
{
	unsigned long flags;

	cmdline_lock_irqsave(flags);
	next_generation();
	cmdline_unlock_irqrestore(flags);
}

/*
 * Saves the name of the task in the slot of its PID, or in the oldest slot. The generation tells
 * which tasks need not be saved again: those with the current one. [L] held.
 */
static void save_cmdline(struct task_struct *task)
{
	struct saved_cmdlines_buffer *s = savedcmd;
	struct saved_cmdline *slot;
	unsigned index;

	WRITE_ONCE(task->cmdline_saved, cmdline_generation);
	/* Reads the name after this store: set_task_comm() writes them in the other order. */
	smp_mb();
	if (task->pid <= 0 || task->pid >= PID_NUMBERS)
		return;
	index = s->slot_of[task->pid];
	if (index == NO_CMDLINE) {
		index = (s->last + 1) % s->size;
		s->last = index;
		if (s->slots[index].pid) {
			s->slot_of[s->slots[index].pid] = NO_CMDLINE;
			next_generation();
		}
		s->slot_of[task->pid] = (u16)index;
	}
	slot = &s->slots[index];
	slot->pid = task->pid;
	__builtin_memcpy(slot->comm, task->comm, TASK_COMM_LEN);
}

/* Called at a task switch from prev to next, if prev or next has been traced (sched_switch.c). */
void trace_save_cmdlines(struct task_struct *prev, struct task_struct *next)
{
	unsigned long flags;

	if (!savedcmd)
		return;
	cmdline_lock_irqsave(flags);
	save_cmdline(prev);
	save_cmdline(next);
	cmdline_unlock_irqrestore(flags);
}

void trace_save_tgids(const struct task_struct *prev, const struct task_struct *next)
{
	WRITE_ONCE(saved_tgids[(unsigned)prev->pid % PID_NUMBERS], (u16)prev->tgid);
	WRITE_ONCE(saved_tgids[(unsigned)next->pid % PID_NUMBERS], (u16)next->tgid);
}

void trace_find_cmdline(pid_t pid, char comm[TASK_COMM_LEN])
{
	unsigned long flags;
	unsigned index;
	bool locked;

	if (!pid) {
		strscpy(comm, "<idle>", TASK_COMM_LEN);
		return;
	}
	strscpy(comm, "<...>", TASK_COMM_LEN);
	if (pid < 0 || pid >= PID_NUMBERS || !savedcmd)
		return;
	raw_local_irq_save(flags);
	while (!(locked = cmdline_trylock()) && !in_nmi())
		cpu_relax();
	if (locked) {
		index = savedcmd->slot_of[pid];
		if (index != NO_CMDLINE)
			memcpy(comm, savedcmd->slots[index].comm, TASK_COMM_LEN);
		cmdline_unlock();
	}
	raw_local_irq_restore(flags);
	comm[TASK_COMM_LEN - 1] = '\0';
}

pid_t trace_find_tgid(pid_t pid)
{
	return pid > 0 && pid < PID_NUMBERS ? READ_ONCE(saved_tgids[pid]) : 0;
}

static struct saved_cmdlines_buffer *alloc_cmdlines(unsigned size)
{
	struct saved_cmdlines_buffer *s = vzalloc(sizeof(*s) + size * sizeof(s->slots[0]));

	if (!s)
		return NULL;
	memset(s->slot_of, 0xff, sizeof(s->slot_of)); /* NO_CMDLINE */
	s->size = size;
	s->last = size - 1;
	return s;
}

/* ---- saved_cmdlines, saved_cmdlines_size, saved_tgids ---- */

static int saved_cmdlines_show(struct seq_file *m, void *v __unused)
{
	mutex_lock(&trace_types_lock);
	for (unsigned i = 0; savedcmd && i < savedcmd->size; i++) {
		char comm[TASK_COMM_LEN];
		pid_t pid = READ_ONCE(savedcmd->slots[i].pid);

		if (!pid)
			continue;
		trace_find_cmdline(pid, comm);
		seq_printf(m, "%d %s\n", pid, comm);
	}
	mutex_unlock(&trace_types_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(saved_cmdlines);

static ssize_t saved_cmdlines_size_read(struct file *file __unused, char *buf, size_t count,
					loff_t *pos)
{
	char text[16];
	int length;

	mutex_lock(&trace_types_lock);
	length = scnprintf(text, sizeof(text), "%u\n", savedcmd ? savedcmd->size : 0);
	mutex_unlock(&trace_types_lock);
	return simple_read_from_buffer(buf, count, pos, text, (size_t)length);
}

static int resize_cmdlines(unsigned size)
{
	struct saved_cmdlines_buffer *fresh = alloc_cmdlines(size), *old;
	unsigned long flags;

	if (!fresh)
		return -ENOMEM;
	mutex_lock(&trace_types_lock);
	cmdline_lock_irqsave(flags);
	old = savedcmd;
	savedcmd = fresh;
	next_generation();
	cmdline_unlock_irqrestore(flags);
	mutex_unlock(&trace_types_lock);
	vfree(old);
	return 0;
}

static ssize_t saved_cmdlines_size_write(struct file *file __unused, const char *buf, size_t count,
					 loff_t *pos)
{
	unsigned long size;
	int error = trace_get_number(buf, count, 10, &size);

	if (!error && (!size || size > PID_NUMBERS))
		error = -EINVAL;
	if (!error)
		error = resize_cmdlines((unsigned)size);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}

static const struct file_operations saved_cmdlines_size_fops = {
	.read = saved_cmdlines_size_read,
	.write = saved_cmdlines_size_write,
	.llseek = generic_file_llseek,
};

static int saved_tgids_show(struct seq_file *m, void *v __unused)
{
	for (unsigned pid = 1; pid < PID_NUMBERS; pid++)
		if (saved_tgids[pid])
			seq_printf(m, "%u %u\n", pid, saved_tgids[pid]);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(saved_tgids);

TRACE_FILE(saved_cmdlines, 0440, &saved_cmdlines_fops, .only_top = true);
TRACE_FILE(saved_cmdlines_size, 0640, &saved_cmdlines_size_fops, .only_top = true);
TRACE_FILE(saved_tgids, 0440, &saved_tgids_fops, .only_top = true);

static int __init trace_cmdlines_init(void)
{
	return resize_cmdlines(SAVED_CMDLINES_DEFAULT);
}
early_initcall(trace_cmdlines_init);
