/*
 * A trace made by hand, entry by entry, and its text. Also defines the parts of the kernel that the
 * printing of a graph needs.
 */
#pragma once

#include "test.h"

#include "fs/vfs/seq_file.h"
#include "kernel/kallsyms.h"
#include "kernel/mm/slab.h"
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/core/trace_file.h"
#include "trace/tracers/function_graph/function_graph.h"

/* ---- parts of the kernel ---- */

u32 __preempt_count;
bool host_irqs_off;
unsigned nr_cpu_ids;
static bool no_memory;

/* Symbols of the linker script: the interrupt text is one function. */
__asm__(".pushsection .rodata\n"
	".globl __irqentry_text_start, __irqentry_text_end\n"
	"__irqentry_text_start: .skip 16\n"
	"__irqentry_text_end:\n"
	".popsection");

void __mutex_init(struct mutex *m)
{
	m->owner = 0;
}

void mutex_lock(struct mutex *m)
{
	m->owner = 1;
}

void mutex_unlock(struct mutex *m)
{
	m->owner = 0;
}

void *__kmalloc(size_t size, gfp_t gfp)
{
	if (no_memory)
		return NULL;
	return gfp & __GFP_ZERO ? calloc(1, size) : malloc(size);
}

void *kmalloc_trace(unsigned long id, gfp_t gfp, size_t size)
{
	(void)id;
	return __kmalloc(size, gfp);
}

void kfree(const void *object)
{
	free((void *)object);
}

bool tracing_clock_in_ns(const struct trace_array *tr)
{
	(void)tr;
	return true;
}

bool trace_printk_is_constant(const char *fmt)
{
	(void)fmt;
	return true;
}

pid_t trace_find_tgid(pid_t pid)
{
	return pid;
}

void trace_iterator_open_tracer(struct trace_iterator *iter, const struct tracer *tracer)
{
	if (tracer->open && !*trace_iter_private(iter, tracer))
		tracer->open(iter);
}

void trace_find_cmdline(pid_t pid, char comm[TASK_COMM_LEN])
{
	static const struct {
		pid_t pid;
		const char *comm;
	} tasks[] = { { 0, "<idle>" },     { 9, "ksoftirqd/0" }, { 14, "sh" },
		      { 99, "sleep" },     { 153, "sh" },        { 1000000, "a_long_name_000" },
		      { 15, "rcu_preempt" } };

	strcpy(comm, "<...>");
	for (size_t i = 0; i < ARRAY_SIZE(tasks); i++)
		if (tasks[i].pid == pid)
			strcpy(comm, tasks[i].comm);
}

/* Functions are numbered; FUNC(i) is the address of names[i]. */
enum { OPEN, DENTRY, PATH_GET, MNTGET, MODULE_GET, READ, LOCK };
static const char *const names[] = { "vfs_open",       "do_dentry_open", "path_get", "mntget",
				     "try_module_get", "vfs_read",       "mutex_lock" };
#define FUNC(i)  (0xffffffff81000000UL + (unsigned long)(i) * 16)
#define IRQ_FUNC ((unsigned long)__irqentry_text_start)

int sprint_symbol_no_offset(char *buffer, unsigned long address)
{
	if (address == IRQ_FUNC)
		return sprintf(buffer, "do_interrupt");
	return sprintf(buffer, "%s", names[(address - FUNC(0)) / 16]);
}

const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char namebuf[KSYM_NAME_LEN])
{
	(void)size, (void)offset;
	sprint_symbol_no_offset(namebuf, address);
	return namebuf;
}

int sprint_symbol(char *buffer, unsigned long address)
{
	return sprint_symbol_no_offset(buffer, address);
}

size_t vsprintf_symbol(char *buf, size_t size, unsigned long address, char form)
{
	(void)size;
	(void)form;
	return (size_t)sprint_symbol_no_offset(buf, address);
}

/* ---- a trace made by hand ---- */

struct made {
	unsigned cpu;
	u64 ts;
	size_t size;
	bool taken;
	u64 words[16]; /* the entry */
};

static struct made trace[32];
static size_t entries;
static size_t current_entry;
static struct trace_array array;
struct tracer graph_trace; /* the first tracer */
#define flags array.tracers[0].flags
static struct trace_iterator iter;
static char text[16384];

static struct made *add(unsigned cpu, pid_t pid, u64 ts, enum trace_type type, size_t size)
{
	struct made *e = &trace[entries++];

	memset(e, 0, sizeof(*e));
	e->cpu = cpu;
	e->ts = ts;
	e->size = size;
	*(struct trace_entry *)e->words = (struct trace_entry){ .type = (u16)type, .preempt_count = 1, .pid = pid };
	return e;
}

static struct made *call(unsigned cpu, pid_t pid, u64 ts, unsigned long func, int depth)
{
	struct ftrace_graph_ent_entry *entry;
	struct made *e = add(cpu, pid, ts, TRACE_GRAPH_ENT, sizeof(*entry));

	entry = (void *)e->words;
	entry->func = func;
	entry->depth = depth;
	return e;
}

static struct made *ret(unsigned cpu, pid_t pid, u64 ts, unsigned long func, int depth, u64 ns)
{
	struct ftrace_graph_ret_entry *entry;
	struct made *e = add(cpu, pid, ts, TRACE_GRAPH_RET, sizeof(*entry));

	entry = (void *)e->words;
	entry->func = func;
	entry->depth = depth;
	entry->calltime = ts - ns;
	entry->rettime = ts;
	return e;
}

static void with_retval(struct made *e, unsigned long value)
{
	((struct ftrace_graph_ret_entry *)e->words)->retval[0] = value;
	e->size += sizeof(value);
}

static void marker(unsigned cpu, pid_t pid, u64 ts, const char *words)
{
	struct print_entry *entry;
	struct made *e = add(cpu, pid, ts, TRACE_PRINT, sizeof(*entry) + strlen(words) + 1);

	entry = (void *)e->words;
	memcpy((u8 *)e->words + sizeof(*entry), words, strlen(words) + 1);
}

static void puts_entry(unsigned cpu, pid_t pid, u64 ts, const char *words)
{
	struct bputs_entry *entry = (void *)add(cpu, pid, ts, TRACE_BPUTS, sizeof(*entry))->words;

	entry->str = words;
}

bool trace_take_following(struct trace_iterator *it, ring_buffer_wanted_t wanted, void *data)
{
	for (size_t i = current_entry + 1; i < entries; i++) {
		if (trace[i].cpu != it->cpu || trace[i].taken)
			continue;
		if (!wanted((void *)trace[i].words, trace[i].size, data))
			return false;
		trace[i].taken = true;
		return true;
	}
	return false;
}

bool trace_empty(struct trace_iterator *it)
{
	(void)it;
	return !entries;
}

void print_latency_header(struct seq_file *m, struct trace_iterator *it)
{
	(void)m, (void)it;
}

static void begin(unsigned cpus)
{
	nr_cpu_ids = cpus;
	entries = 0;
	memset(&iter, 0, sizeof(iter));
	memset(&array, 0, sizeof(array));
	array.trace_flags = TRACE_DEFAULT_FLAGS;
	flags = TRACE_GRAPH_PRINT_CPU | TRACE_GRAPH_PRINT_OVERHEAD |
			  TRACE_GRAPH_PRINT_DURATION | TRACE_GRAPH_PRINT_IRQS;
	iter.tr = &array;
	trace_seq_init(&iter.seq);
	graph_trace_open(&iter);
}

static void go_to(size_t i)
{
	current_entry = i;
	iter.cpu = trace[i].cpu;
	iter.ts = trace[i].ts;
	iter.ent = (void *)trace[i].words;
	iter.ent_size = trace[i].size;
}

/* The text of all entries. */
static const char *print_all(void)
{
	size_t length = 0;

	for (size_t i = 0; i < entries; i++)
		trace[i].taken = false;
	iter.idx = 0;
	for (size_t i = 0; i < entries; i++) {
		if (trace[i].taken)
			continue;
		go_to(i);
		trace_seq_init(&iter.seq);
		assert_int_equal(print_graph_function(&iter), TRACE_TYPE_HANDLED);
		memcpy(text + length, iter.seq.buffer, iter.seq.len);
		length += iter.seq.len;
		iter.idx++;
	}
	text[length] = '\0';
	return text;
}

static void end(void)
{
	graph_trace_close(&iter);
}
