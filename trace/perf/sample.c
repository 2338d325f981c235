/*
 * PERF_RECORD_SAMPLE: its size and its fields, in the order of the bits of sample_type, but for
 * IDENTIFIER, which comes first.
 *
 * Most samples contain only what is known at once: words, and the record of a tracepoint. They are
 * quick. For the others all that has no constant size is measured first, so that the record is
 * written at once into its place.
 *
 * Interrupts are off: so the times of a buffer ascend, but for samples of NMIs, and the memory of
 * the program stays from the question whether it can be read to the last read of it.
 */
#include "trace/perf/sample.h"

#include "arch/cpu/irqflags.h"
#include "arch/cpu/ptrace.h"
#include "arch/unwind/maccess.h"
#include "arch/unwind/perf_regs.h"
#include "arch/user/user_pgtable.h"
#include "kernel/lib/string.h"
#include "kernel/mm/page_alloc.h"
#include "trace/perf/output.h"
#include "trace/perf/program.h"

#define RECORD_MAX 65528U /* a multiple of 8 below 64 KiB */
/* Fields of 8 bytes. */
#define WORDS                                                                                      \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_WEIGHT |       \
	 PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TRANSACTION |                 \
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_CGROUP | PERF_SAMPLE_DATA_PAGE_SIZE |                 \
	 PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_AUX)
/* Fields that come from the program. */
#define OF_USER                                                                                    \
	(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER |                  \
	 PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE)

/* One test for each group that many samples do without. */
#define LATER_WORDS                                                                                \
	(PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |             \
	 PERF_SAMPLE_PERIOD)
#define MIDDLE                                                                                     \
	(PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_USER |      \
	 PERF_SAMPLE_STACK_USER)
#define END                                                                                        \
	(PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |                   \
	 PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_PHYS_ADDR |                 \
	 PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE | PERF_SAMPLE_AUX)
#define NOT_QUICK ((MIDDLE & ~PERF_SAMPLE_RAW) | END)

/* What a sample contains, measured. A field that sample_type does not ask for is not set. */
struct sample {
	const struct perf_event *event;
	const struct perf_sample_data *data;
	bool user, kernel; /* may tell of the program; of the kernel */
	const u64 *chain;
	unsigned chain_len;
	unsigned nr_read;                /* events of READ */
	const struct pt_regs *user_regs; /* NULL: none */
	const struct pt_regs *intr_regs;
	struct pt_regs place; /* REGS_INTR of a hit without registers */
	u32 stack_size;
	u32 size; /* of the record */
};

/* The number of fields of 8 bytes that type asks for. */
static u32 count_words(u64 type)
{
	u32 words = 0;

	for (; type; type &= type - 1)
		words++;
	return words;
}

void perf_sample_init(struct perf_event *event)
{
	event->fixed_size = (u32)sizeof(struct perf_event_header) +
			    8 * count_words(event->attr->sample_type & WORDS);
	event->id_size = perf_ids_size(event);
	event->wakeup_events = event->attr->watermark ? 0 : event->attr->wakeup_events;
}

/* ---- measuring ---- */

/* With its length and its padding. */
static __always_inline u32 raw_size(const struct perf_sample_data *data)
{
	return ALIGN(data->raw_size + (u32)sizeof(u32), 8U);
}

/* REGS_INTR. A hit that interrupts nothing has, as in Linux, those that its place gives. */
static const struct pt_regs *find_regs(struct sample *s)
{
	const struct perf_sample_data *data = s->data;

	if (data->regs)
		return s->kernel || user_mode(data->regs) ? data->regs : NULL;
	if (!s->kernel)
		return NULL;
	perf_fetch_caller_regs(&s->place, data->ip, data->frame & ~1UL);
	return &s->place;
}

static u32 regs_size(const struct pt_regs *regs, u64 mask)
{
	return 8 + (regs ? 8 * count_words(mask) : 0);
}

static u32 read_size(struct sample *s)
{
	u64 format = s->event->attr->read_format;
	u32 times = count_words(format &
				(PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
	u32 entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);

	s->nr_read = 1;
	if (!(format & PERF_FORMAT_GROUP))
		return 8 * (times + entry);
	s->nr_read += READ_ONCE(s->event->leader->nr_siblings);
	return 8 * (1 + times + s->nr_read * entry);
}

/* The stack of the program takes what is left of the longest record. */
static void measure_stack(struct sample *s)
{
	u32 wanted = s->event->attr->sample_stack_user;

	s->size += 8;
	s->stack_size = 0;
	if (!s->user || s->size + 8 >= RECORD_MAX)
		return;
	s->stack_size = ALIGN_DOWN(min(wanted, RECORD_MAX - s->size - 8), 8U);
	if (s->stack_size)
		s->size += s->stack_size + 8;
}

static void measure(struct sample *s, unsigned level)
{
	const struct perf_event_attr *attr = s->event->attr;
	u64 type = attr->sample_type;

	s->size = s->event->fixed_size;
	if (type & PERF_SAMPLE_READ)
		s->size += read_size(s);
	if (type & PERF_SAMPLE_CALLCHAIN) {
		s->chain = perf_callchain(s->event, s->data, level, s->user, &s->chain_len);
		s->size += 8 + 8 * s->chain_len;
	}
	if (type & PERF_SAMPLE_RAW)
		s->size += raw_size(s->data);
	if (type & PERF_SAMPLE_REGS_USER) {
		s->user_regs = s->user ? perf_user_regs(s->data) : NULL;
		s->size += regs_size(s->user_regs, attr->sample_regs_user);
	}
	if (type & PERF_SAMPLE_REGS_INTR) {
		s->intr_regs = find_regs(s);
		s->size += regs_size(s->intr_regs, attr->sample_regs_intr);
	}
	if (type & PERF_SAMPLE_STACK_USER)
		measure_stack(s);
}

/* ---- writing ---- */

static u64 *put_value(u64 *to, const struct perf_event *event, u64 format)
{
	*to++ = perf_event_value_in_hit(event) - READ_ONCE(event->zero);
	if (format & PERF_FORMAT_ID)
		*to++ = perf_known_id(event);
	if (format & PERF_FORMAT_LOST)
		*to++ = READ_ONCE(event->lost);
	return to;
}

/* A time that is guessed may be behind the moment at which it began. */
static u64 time_of(const struct perf_time *time, u64 clock, bool active)
{
	if (!active)
		return READ_ONCE(time->sum);
	return (u64)max((s64)(clock - READ_ONCE(time->base)), (s64)0);
}

static u64 *put_times(u64 *to, const struct perf_event *event, u64 format)
{
	bool active = smp_load_acquire(&event->active);
	struct perf_clocks clocks = perf_guess_clocks(event);

	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		*to++ = time_of(&event->enabled, clocks.enabled, active);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		*to++ = time_of(&event->running, clocks.running, active);
	return to;
}

/* A group may grow or shrink meanwhile: as many as were measured, with 0 for one that has left. */
static u64 *put_group(const struct sample *s, u64 *to, u64 format)
{
	const struct perf_event *leader = rcu_dereference(s->event->leader), *member;
	u64 *end, entry = 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
	unsigned left = s->nr_read - 1;

	*to++ = s->nr_read;
	to = put_times(to, leader, format);
	end = to + s->nr_read * entry;
	to = put_value(to, leader, format);
	list_for_each_entry_rcu (member, &leader->siblings, sibling_node) {
		if (!left--)
			break;
		to = put_value(to, member, format);
	}
	while (to < end)
		*to++ = 0;
	return to;
}

static u64 *put_read(const struct sample *s, u64 *to)
{
	u64 format = s->event->attr->read_format;

	if (format & PERF_FORMAT_GROUP)
		return put_group(s, to, format);
	*to++ = perf_event_value_in_hit(s->event) - READ_ONCE(s->event->zero);
	to = put_times(to, s->event, format);
	if (format & PERF_FORMAT_ID)
		*to++ = s->event->parent ? s->event->parent->id : s->event->id;
	if (format & PERF_FORMAT_LOST)
		*to++ = READ_ONCE(s->event->lost);
	return to;
}

static u64 *put_chain(const struct sample *s, u64 *to)
{
	*to++ = s->chain_len;
	memcpy(to, s->chain, 8UL * s->chain_len);
	return to + s->chain_len;
}

/* size: raw_size(data) */
static __always_inline u64 *put_raw(const struct perf_sample_data *data, u64 *to, u32 size)
{
	u64 *end = (u64 *)((u8 *)to + size);

	end[-1] = 0; /* the padding */
	*(u32 *)to = size - (u32)sizeof(u32);
	memcpy((u32 *)to + 1, data->raw, data->raw_size);
	return end;
}

static u64 *put_regs(u64 *to, const struct pt_regs *regs, u64 mask)
{
	*to++ = regs ? PERF_SAMPLE_REGS_ABI_64 : PERF_SAMPLE_REGS_ABI_NONE;
	for (; regs && mask; mask &= mask - 1)
		*to++ = perf_reg_value(regs, (unsigned)__builtin_ctzll(mask));
	return to;
}

/* Page by page, because a copy that faults in the middle gives nothing. */
static u64 copy_stack(u8 *to, unsigned long from, u32 size)
{
	u64 done = 0;

	while (done < size) {
		unsigned long at = from + done;
		u64 n = min(size - done, (u64)(PAGE_SIZE - (at & (PAGE_SIZE - 1))));

		if (copy_from_user_nofault(to + done, (const void *)at, n))
			break;
		done += n;
	}
	memset(to + done, 0, size - done);
	return done;
}

static u64 *put_stack(const struct sample *s, u64 *to)
{
	u64 *end;

	*to++ = s->stack_size;
	if (!s->stack_size)
		return to;
	end = to + s->stack_size / 8;
	*end = copy_stack((u8 *)to, perf_user_regs(s->data)->sp, s->stack_size);
	return end + 1;
}

static u64 phys_of(const struct sample *s)
{
	phys_addr_t phys;

	return s->user && user_virt_to_phys(current_stable->mm, s->data->addr, &phys) ? phys : 0;
}

static u64 page_size_of(const struct sample *s, u64 address)
{
	phys_addr_t phys;

	return s->user && user_virt_to_phys(current_stable->mm, address, &phys) ? PAGE_SIZE : 0;
}

BUILD_BUG_ON(PERF_MODE_KERNEL != PERF_RECORD_MISC_KERNEL ||
	     PERF_MODE_USER != PERF_RECORD_MISC_USER);
static __always_inline void put_header(struct perf_event_header *header,
				       const struct perf_sample_data *data, u32 size)
{
	header->type = PERF_RECORD_SAMPLE;
	header->misc = data->mode & (PERF_MODE_KERNEL | PERF_MODE_USER); /* the same bits */
	header->size = (u16)size;
}

/* IP and ADDR only for those who may see them. */
static __always_inline u64 *put_start(const struct perf_event *event,
				      const struct perf_sample_data *data, u64 *to, u64 type)
{
	bool shown = event->shows & data->mode;

	if (type & PERF_SAMPLE_IDENTIFIER)
		*to++ = perf_known_id(event);
	if (type & PERF_SAMPLE_IP)
		*to++ = shown ? data->ip : 0;
	if (type & PERF_SAMPLE_TID)
		*to++ = (u64)(u32)data->task->pid << 32 | (u32)data->task->tgid;
	if (type & PERF_SAMPLE_TIME)
		*to++ = event->clock();
	if (!(type & LATER_WORDS))
		return to;
	if (type & PERF_SAMPLE_ADDR)
		*to++ = shown ? data->addr : 0;
	if (type & PERF_SAMPLE_ID)
		*to++ = perf_known_id(event);
	if (type & PERF_SAMPLE_STREAM_ID)
		*to++ = event->id;
	if (type & PERF_SAMPLE_CPU)
		*to++ = smp_processor_id();
	if (type & PERF_SAMPLE_PERIOD)
		*to++ = READ_ONCE(event->period);
	return to;
}

static u64 *put_middle(const struct sample *s, u64 *to, u64 type)
{
	const struct perf_event_attr *attr = s->event->attr;

	if (type & PERF_SAMPLE_READ)
		to = put_read(s, to);
	if (type & PERF_SAMPLE_CALLCHAIN)
		to = put_chain(s, to);
	if (type & PERF_SAMPLE_RAW)
		to = put_raw(s->data, to, raw_size(s->data));
	if (type & PERF_SAMPLE_REGS_USER)
		to = put_regs(to, s->user_regs, attr->sample_regs_user);
	if (type & PERF_SAMPLE_STACK_USER)
		to = put_stack(s, to);
	return to;
}

/* What only hardware knows is 0. */
static void put_end(const struct sample *s, u64 *to, u64 type)
{
	if (type & (PERF_SAMPLE_WEIGHT | PERF_SAMPLE_WEIGHT_STRUCT))
		*to++ = 0;
	if (type & PERF_SAMPLE_DATA_SRC)
		*to++ = PERF_MEM_NA;
	if (type & PERF_SAMPLE_TRANSACTION)
		*to++ = 0;
	if (type & PERF_SAMPLE_REGS_INTR)
		to = put_regs(to, s->intr_regs, s->event->attr->sample_regs_intr);
	if (type & PERF_SAMPLE_PHYS_ADDR)
		*to++ = phys_of(s);
	if (type & PERF_SAMPLE_DATA_PAGE_SIZE)
		*to++ = page_size_of(s, s->data->addr);
	if (type & PERF_SAMPLE_CODE_PAGE_SIZE)
		*to++ = page_size_of(s, s->data->ip);
	if (type & PERF_SAMPLE_AUX)
		*to++ = 0; /* its size */
}

/* ---- samples ---- */

/* A record of a tracepoint is never as long as RECORD_MAX. False: no room. */
static __always_inline bool output_quick(struct perf_event *event,
					 const struct perf_sample_data *data, u64 type)
{
	u32 raw = type & PERF_SAMPLE_RAW ? raw_size(data) : 0, size = event->fixed_size + raw;
	struct perf_handle handle;
	u64 *to;

	if (unlikely(!perf_output_begin(&handle, event, size)))
		return false;
	put_header(handle.record, data, size);
	to = put_start(event, data, (u64 *)handle.record + 1, type);
	if (raw)
		put_raw(data, to, raw);
	perf_output_end(&handle, event->wakeup_events);
	return true;
}

static bool output_any(struct perf_event *event, const struct perf_sample_data *data, u64 type,
		       unsigned level)
{
	struct perf_handle handle;
	struct sample s;
	u64 *to;

	s.event = event;
	s.data = data;
	s.kernel = perf_shows_kernel(event, data);
	s.user = (type & OF_USER) && perf_shows_user(data);
	measure(&s, level);
	if (s.size > RECORD_MAX) {
		local_add(&event->lost, 1);
		return false;
	}
	if (!perf_output_begin(&handle, event, s.size))
		return false;
	put_header(handle.record, data, s.size);
	to = put_start(event, data, (u64 *)handle.record + 1, type);
	if (type & MIDDLE)
		to = put_middle(&s, to, type);
	if (type & END)
		put_end(&s, to, type);
	perf_output_end(&handle, event->wakeup_events);
	return true;
}

static noinline void overflow_any(struct perf_event *event, const struct perf_sample_data *data,
				  u64 type, unsigned level)
{
	if (!perf_recursion_enter(level))
		return;
	(void)output_any(event, data, type, level);
	if (event->after)
		perf_after_sample(event, data);
	perf_recursion_exit(level);
}

/* The sample is not written, but it has been taken. */
static noinline void drop(struct perf_event *event, const struct perf_sample_data *data)
{
	unsigned level = in_nmi() ? 1 : 0;
	unsigned long flags;

	raw_local_irq_save(flags);
	if (event->after && perf_recursion_enter(level)) {
		perf_after_sample(event, data);
		perf_recursion_exit(level);
	}
	raw_local_irq_restore(flags);
}

void perf_overflow(struct perf_event *event, const struct perf_sample_data *data)
{
	u64 type = event->attr->sample_type;
	unsigned long flags;

	if (static_branch_unlikely(&perf_programs_key) && !perf_program_wants_sample(event, data)) {
		drop(event, data);
		return;
	}
	raw_local_irq_save(flags); /* no event of its own */
	if (unlikely(in_nmi())) {
		overflow_any(event, data, type, 1);
	} else if (type & NOT_QUICK) {
		overflow_any(event, data, type, 0);
	} else if (likely(perf_recursion_enter(0))) {
		(void)output_quick(event, data, type);
		if (unlikely(event->after))
			perf_after_sample(event, data);
		perf_recursion_exit(0);
	}
	raw_local_irq_restore(flags);
}

/* ---- events that code of any context writes into, or reads ---- */

/* Only the memory of call chains needs the mark of perf_recursion_enter(). */
static noinline int output_raw_any(struct perf_event *event, const struct perf_sample_data *data,
				   u64 type)
{
	unsigned level = in_nmi() ? 1 : 0;
	bool done;

	if (!perf_recursion_enter(level))
		return -EBUSY;
	done = output_any(event, data, type, level);
	perf_recursion_exit(level);
	return done ? 0 : -ENOSPC;
}

/* A sample that is only the bytes, as tools ask for it. */
static __always_inline int output_only_raw(struct perf_event *event, const void *raw, u32 size,
					   const struct pt_regs *regs)
{
	u32 length = (u32)sizeof(struct perf_event_header) + ALIGN(size + (u32)sizeof(u32), 8U);
	struct perf_event_header *header;
	struct perf_handle handle;

	if (unlikely(!perf_output_begin(&handle, event, length)))
		return -ENOSPC;
	header = handle.record;
	header->type = PERF_RECORD_SAMPLE;
	header->misc = regs && user_mode(regs) ? PERF_MODE_USER : PERF_MODE_KERNEL;
	header->size = (u16)length;
	*(u64 *)((u8 *)header + length - sizeof(u64)) = 0; /* the padding */
	*(u32 *)(header + 1) = length - (u32)sizeof(*header) - (u32)sizeof(u32);
	memcpy((u32 *)(header + 1) + 1, raw, size);
	perf_output_end(&handle, event->wakeup_events);
	return 0;
}

static noinline int output_raw_and_more(struct perf_event *event,
					const struct perf_sample_data *data, u64 type)
{
	unsigned long flags;
	int error;

	raw_local_irq_save(flags); /* the times of the buffer ascend */
	if (type & NOT_QUICK)
		error = output_raw_any(event, data, type);
	else
		error = output_quick(event, data, type) ? 0 : -ENOSPC;
	raw_local_irq_restore(flags);
	return error;
}

int perf_output_raw(struct perf_event *event, const void *raw, u32 size, const struct pt_regs *regs,
		    u64 ip)
{
	const struct perf_event_attr *attr = event->attr;
	struct perf_sample_data data;

	if (unlikely(attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_BPF_OUTPUT))
		return -EINVAL;
	if (unlikely(event->cpu != (int)smp_processor_id() || !READ_ONCE(event->active)))
		return -EOPNOTSUPP;
	if (unlikely(size > RECORD_MAX - event->fixed_size - 8))
		return -E2BIG;
	if (likely(attr->sample_type == PERF_SAMPLE_RAW))
		return output_only_raw(event, raw, size, regs);
	data = (struct perf_sample_data){
		.task = current_stable,
		.mode = regs && user_mode(regs) ? PERF_MODE_USER : PERF_MODE_KERNEL,
		.ip = regs ? regs->ip : ip,
		.raw = raw,
		.raw_size = size,
		.regs = regs,
	};
	return output_raw_and_more(event, &data, attr->sample_type);
}

int perf_read_local(const struct perf_event *event, struct perf_values *values)
{
	bool active = smp_load_acquire(&event->active);
	struct perf_clocks clocks;

	if (event->cpu != (int)smp_processor_id() && event->cpu != -1)
		return -EINVAL;
	if (event->of_task && rcu_dereference(current_stable->perf) != READ_ONCE(event->ctx))
		return -EINVAL;
	clocks = perf_guess_clocks(event); /* current, which runs this, keeps its context */
	values->count = perf_event_value_in_hit(event) - READ_ONCE(event->zero);
	values->enabled = time_of(&event->enabled, clocks.enabled, active);
	values->running = time_of(&event->running, clocks.running, active);
	return 0;
}
