/*
 * The entries of the last boot, under libFuzzer: a persistent buffer whose sums are right, but whose entries are
 * not. The input is a list of records. Kind, length and bytes: an entry. 0xff, place and byte: a change of the
 * ring's own data, such as the length or the time of an event. What is printed must come from the entry alone: each
 * lies at the end of an allocation, where ASan sees the first byte too far.
 *
 * sources: trace/ring_buffer/persistent.c trace/ring_buffer/write.c trace/ring_buffer/manage.c trace/ring_buffer/read.c trace/ring_buffer/iter.c trace/ring_buffer/wait.c
 * sources: trace/core/valid_entry.c trace/core/event_types.c trace/core/trace_seq.c trace/tracers/function/args.c fs/vfs/seq_file.c
 * sources: kernel/lib/vsprintf*.c kernel/lib/errname.c kernel/lib/string_helpers.c
 * runs: 1000
 */
#define sched_setscheduler libc_sched_setscheduler
#include <pthread.h>
#undef sched_setscheduler /* the kernel has its own */
#undef SCHED_FIFO
#undef SCHED_RR
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "kernel/kallsyms.h"
#include "kernel/mm/slab.h"
#include "kernel/sections.h"
#include "trace/core/cmdlines.h"
#include "trace/core/options.h"
#include "trace/core/valid_entry.h"
#include "trace/ring_buffer/internal.h"
/* The printers, for their initcalls, which register their types. */
#include "trace/core/output.c"
#include "trace/tracers/function/output.c"
#include "trace/tracers/function_graph/columns.c"
#include "trace/tracers/function_graph/output.c"
#include "trace/tracers/noise/output.c"

#define AREA_SIZE  (128U << 10)
#define CHANGE     0xff
#define LENGTH_MAX 255U

/* ---- the kernel around the printers ---- */

__thread unsigned rb_host_cpu;
__thread unsigned rb_host_reads;
__thread bool rb_host_irqs_off;
u32 __preempt_count;
bool host_irqs_off;
unsigned nr_cpu_ids = RB_HOST_CPUS;
struct tracer function_trace, graph_trace;

/* Constants of the kernel: a format, a string, and bytes up to the last that are no string. */
__asm__(".pushsection .rodata\n"
	".globl __start_rodata, __end_rodata, __irqentry_text_start, __irqentry_text_end\n"
	"__start_rodata: .asciz \"%d %s %*pB %llx %.*s %c %hhu\\n\"\n"
	".asciz \"text\"\n"
	".ascii \"no end\"\n"
	"__end_rodata:\n"
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

bool trace_printk_is_constant(const char *text)
{
	return text == __start_rodata;
}

pid_t trace_find_tgid(pid_t pid)
{
	return pid;
}

void trace_find_cmdline(pid_t pid, char comm[TASK_COMM_LEN])
{
	(void)pid;
	strcpy(comm, "<...>");
}

const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char namebuf[KSYM_NAME_LEN])
{
	(void)size, (void)offset;
	snprintf(namebuf, KSYM_NAME_LEN, "f%lx", address);
	return namebuf;
}

int sprint_symbol(char *buffer, unsigned long address)
{
	return sprintf(buffer, "f%lx", address);
}

void trace_iterator_open_tracer(struct trace_iterator *iter, const struct tracer *tracer)
{
	if (tracer == &graph_trace && !*trace_iter_private(iter, tracer))
		graph_trace_open(iter);
}

/* ---- an event with strings ---- */

#define TRACE_WORDS TRACE_TYPE_FIRST_DYNAMIC

struct words_entry {
	struct trace_entry ent;
	char comm[TASK_COMM_LEN];
	const char *constant;
	u32 loc, number_loc;
};

static enum print_line_t words_print(struct trace_iterator *iter)
{
	const struct words_entry *field = (const struct words_entry *)iter->ent;
	const u8 *entry = (const u8 *)field;

	trace_seq_printf(&iter->seq, "%s %s %s:", field->comm, field->constant,
			 (const char *)entry + (field->loc & 0xffff));
	for (u32 i = 0; i < field->number_loc >> 16; i++)
		trace_seq_printf(&iter->seq, " %x", entry[(field->number_loc & 0xffff) + i]);
	trace_seq_putc(&iter->seq, '\n');
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field words_fields[] = {
	TRACE_ARRAY(words_entry, comm, "char[16]", TASK_COMM_LEN, true),
	TRACE_FIELD(words_entry, constant, "const char *", false),
	TRACE_FIELD(words_entry, loc, "__data_loc char[]", true),
	TRACE_FIELD(words_entry, number_loc, "__data_loc u8[]", false),
	{ .name = NULL },
};

static struct trace_event words_event = {
	.type = TRACE_WORDS,
	.trace = words_print,
	.name = "words",
	.fields = words_fields,
	.print_fmt = "",
};

/* ---- the last boot ---- */

static const u8 kinds[] = { TRACE_STACK,	TRACE_PRINT, TRACE_BPRINT, TRACE_BPUTS, TRACE_FN,
			    TRACE_FUNC_REPEATS, TRACE_WORDS, TRACE_HWLAT,  TRACE_OSNOISE,
			    TRACE_TIMERLAT,	TRACE_GRAPH_ENT, TRACE_GRAPH_RET, 200 };

/* Gives the check an entry that is aligned, and ends where memory ends. */
static bool valid_copy(const void *payload, size_t length)
{
	void *copy = malloc(length);
	bool valid;

	memcpy(copy, payload, length);
	valid = trace_entry_is_valid(copy, length);
	free(copy);
	return valid;
}

/* A byte of an address in the input is the offset of a constant. */
static void set_address(u8 *entry, size_t length, size_t offset)
{
	const char *text = __start_rodata + entry[offset % length];

	if (offset + sizeof(text) <= length)
		memcpy(entry + offset, &text, sizeof(text));
}

static void write_entry(struct trace_buffer *buffer, u8 kind, const u8 *bytes, size_t length)
{
	struct ring_buffer_event *event;
	u8 entry[sizeof(struct trace_entry) + LENGTH_MAX] = { 0 };
	struct trace_entry *head = (struct trace_entry *)entry;

	head->type = kinds[kind % ARRAY_SIZE(kinds)];
	head->pid = kind;
	memcpy(entry + sizeof(*head), bytes, length);
	length += sizeof(*head);
	if (head->type == TRACE_BPRINT || head->type == TRACE_BPUTS)
		set_address(entry, length, offsetof(struct bprint_entry, fmt));
	if (head->type == TRACE_WORDS)
		set_address(entry, length, offsetof(struct words_entry, constant));
	event = ring_buffer_lock_reserve(buffer, length);
	if (!event)
		return;
	memcpy(ring_buffer_event_data(event), entry, length);
	ring_buffer_unlock_commit(buffer);
}

static void change_byte(struct trace_buffer *buffer, u32 place, u8 byte)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[0];
	struct buffer_page *page = &cb->pages[place / RB_PAGE_DATA % (cb->nr_slots + 1)];

	page->data->data[place % RB_PAGE_DATA] = byte;
}

/* Gives each sub-buffer that commit has left the sum that its data now have. */
static void correct_sums(struct trace_buffer *buffer)
{
	struct ring_buffer_per_cpu *cb = buffer->cpus[0];

	for (u32 i = 0; i < cb->nr_slots; i++) {
		struct buffer_page *page = rb_page(cb, cb->slots[i]);

		page->sum = rb_page_sum(page, page->data, rb_seq(cb->slots[i]),
					rb_index(cb, cb->slots[i]));
	}
}

static u64 ticks;

static u64 clock_of_ticks(void)
{
	return ticks += 1000;
}

static void write_last_boot(void *area, const uint8_t *data, size_t size)
{
	struct ring_buffer_recovery found;
	struct trace_buffer *buffer = ring_buffer_alloc_range(area, AREA_SIZE, 1, RB_FL_OVERWRITE,
							      valid_copy, &found);

	ring_buffer_set_clock(buffer, clock_of_ticks);
	while (size >= 4) {
		size_t length = min((size_t)data[1], size - 2);

		if (data[0] == CHANGE) {
			change_byte(buffer, data[1] | data[2] << 8, data[3]);
			length = 2;
		} else {
			write_entry(buffer, data[0], data + 2, length);
		}
		data += 2 + length;
		size -= 2 + length;
	}
	correct_sums(buffer);
	ring_buffer_free(buffer);
}

/* ---- this boot ---- */

static struct trace_buffer *last_boot;
static struct ring_buffer_iter *ring_iter;
static struct trace_array array;
static struct trace_iterator iter;

bool trace_take_following(struct trace_iterator *it, ring_buffer_wanted_t wanted, void *data)
{
	struct ring_buffer_event *event;
	u64 ts, lost;
	bool taken;
	void *copy;

	event = ring_buffer_iter_peek(ring_iter, &ts, &lost);
	if (!event)
		return false;
	(void)it;
	copy = malloc(ring_buffer_event_length(event));
	memcpy(copy, ring_buffer_event_data(event), ring_buffer_event_length(event));
	taken = wanted(copy, ring_buffer_event_length(event), data);
	free(copy);
	if (taken)
		ring_buffer_iter_advance(ring_iter);
	return taken;
}

static void print_entry_as(u64 flags, u32 graph_flags)
{
	array.trace_flags = flags;
	array.tracers[graph_trace.index].flags = graph_flags;
	trace_seq_init(&iter.seq);
	print_trace_line(&iter);
	CHECK(iter.seq.len <= TRACE_SEQ_SIZE);
}

static void print_entry_as_all(void)
{
	static const u64 formats[] = { TRACE_ITER_CONTEXT_INFO, TRACE_ITER_RAW, TRACE_ITER_HEX,
				       TRACE_ITER_BIN, TRACE_ITER_PRINTK | TRACE_ITER_PRINTK_MSGONLY };

	for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
		print_entry_as(formats[i], ~0U & ~TRACE_GRAPH_PRINT_IRQS);
	print_entry_as(TRACE_ITER_CONTEXT_INFO | TRACE_ITER_LATENCY_FMT | TRACE_ITER_VERBOSE,
		       TRACE_GRAPH_PRINT_IRQS | TRACE_GRAPH_PRINT_DURATION);
	iter.idx++;
}

/* Prints all entries with one tracer's or each entry's own printer. */
static void print_last_boot(struct tracer *tracer)
{
	struct ring_buffer_event *event;
	unsigned count = 0;
	u64 lost;

	memset(&iter, 0, sizeof(iter));
	iter.tr = &array;
	iter.trace = tracer;
	ring_iter = ring_buffer_read_start(last_boot, 0);
	while ((event = ring_buffer_iter_peek(ring_iter, &iter.ts, &lost))) {
		iter.ent_size = ring_buffer_event_length(event);
		iter.ent = malloc(iter.ent_size);
		memcpy(iter.ent, ring_buffer_event_data(event), iter.ent_size);
		ring_buffer_iter_advance(ring_iter);
		print_entry_as_all();
		free(iter.ent);
		CHECK(++count <= AREA_SIZE);
	}
	graph_trace_close(&iter);
	ring_buffer_read_finish(ring_iter);
}

static void register_types(void)
{
	init_events();
	init_function_output();
	init_graph_output();
	init_noise_output();
	CHECK(!register_trace_event(&words_event));
	function_trace.index = 1;
	graph_trace.print_line = print_graph_function;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *area = aligned_alloc(4096, AREA_SIZE);
	struct ring_buffer_recovery found;

	if (!words_event.hash_next && !ftrace_find_event(TRACE_WORDS))
		register_types();
	memset(area, 0, AREA_SIZE);
	write_last_boot(area, data, size);
	last_boot = ring_buffer_alloc_range(area, AREA_SIZE, 1, RB_FL_OVERWRITE, valid_copy,
					    &found);
	print_last_boot(NULL);
	print_last_boot(&graph_trace);
	ring_buffer_free(last_boot);
	free(area);
	return 0;
}
