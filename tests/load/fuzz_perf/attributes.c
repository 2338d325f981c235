/* Random numbers, and the attributes of an event that are half sensible. */
#include "fuzz_perf.h"

__thread uint64_t state;
volatile uint64_t watched[8];

uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1d;
}

unsigned below(unsigned n)
{
	return (unsigned)((next() >> 33) % n);
}

int chance(unsigned percent)
{
	return below(100) < percent;
}

__attribute__((noinline)) void called(void)
{
	__asm__ volatile("");
}

uint64_t some_number(void)
{
	switch (below(6)) {
	case 0:
		return 0;
	case 1:
		return 1;
	case 2:
		return below(1000);
	case 3:
		return 1ULL << below(64);
	case 4:
		return -1ULL >> below(64);
	default:
		return next();
	}
}

void *some_address(void)
{
	switch (below(8)) {
	case 0:
		return (void *)called;
	case 1:
		return (void *)(0x7ffffffff000 - below(3) * 8);
	case 2:
		/* The kernel's text and data: of Linux, of nop5. */
		return (void *)((below(2) ? 0xffffffff81000000 : 0xffffffff80100000) +
				below(0x320000));
	case 3:
		return (void *)next();
	case 4:
		return (void *)&watched;
	default:
		return (void *)(watched + below(ELEMENTS(watched)));
	}
}

static void choose_kind(struct perf_event_attr *attr)
{
	static const unsigned char lengths[] = { 1, 2, 4, 8 };

	switch (below(20)) {
	case 0:
		attr->type = below(12);
		attr->config = some_number();
		break;
	case 1:
		attr->type = below(2) ? PERF_TYPE_HARDWARE : PERF_TYPE_HW_CACHE;
		attr->config = below(10);
		break;
	case 2 ... 6:
		if (!shared->nr_points)
			break;
		attr->type = PERF_TYPE_TRACEPOINT;
		attr->config = shared->points[below(shared->nr_points)];
		break;
	case 7 ... 8:
		if (!shared->breakpoints && chance(90))
			break;
		attr->type = PERF_TYPE_BREAKPOINT;
		attr->bp_type = chance(95) ? 1 + below(4) : below(10);
		attr->bp_len = chance(95) ? lengths[below(4)] : below(20);
		attr->bp_addr = (uint64_t)some_address();
		break;
	case 9:
		if (!shared->nr_types)
			break;
		attr->type = shared->types[below(shared->nr_types)];
		attr->config = below(2);
		attr->config1 = (uint64_t)(chance(50)   ? "vfs_read"
					   : chance(90) ? "/bin/busybox"
							: some_address());
		attr->config2 = chance(70)   ? 0
				: chance(50) ? 0x1000 + below(0x10000)
					     : some_number();
		break;
	default:
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = below(13);
	}
}

uint64_t some_bits(unsigned n)
{
	return chance(30) ? 0 : chance(50) ? 1ULL << below(n) : next() & ((1ULL << n) - 1);
}

static void choose_samples(struct perf_event_attr *attr)
{
	attr->sample_period = chance(30) ? 1 : chance(40) ? 1 + below(5000000) : some_number();
	attr->freq = chance(30);
	if (attr->freq)
		attr->sample_freq = 1 + below(5000);
	attr->sample_type =
		chance(95) ? some_bits(19) & ~(uint64_t)PERF_SAMPLE_BRANCH_STACK : some_bits(25);
	attr->branch_sample_type = chance(95) ? 0 : next();
	attr->sample_regs_user = chance(90) ? 0xff0fff : next();
	attr->sample_regs_intr = chance(90) ? 0xff0fff : next();
	attr->sample_stack_user = chance(80) ? 8 * below(1000) : (uint32_t)next();
	attr->sample_max_stack = chance(80) ? 0 : (uint16_t)below(200);
	attr->wakeup_events = chance(50) ? below(3) : (uint32_t)next();
	attr->watermark = chance(30);
}

static void choose_flags(struct perf_event_attr *attr)
{
	attr->disabled = chance(30);
	attr->inherit = chance(40);
	attr->pinned = chance(5);
	attr->exclusive = chance(5);
	attr->exclude_user = chance(10);
	attr->exclude_kernel = chance(getuid() ? 95 : 50);
	attr->exclude_hv = chance(50);
	attr->exclude_idle = chance(10);
	attr->mmap = chance(30);
	attr->comm = chance(30);
	attr->task = chance(30);
	attr->mmap2 = chance(20);
	attr->mmap_data = chance(20);
	attr->context_switch = chance(20);
	attr->ksymbol = chance(20);
	attr->text_poke = chance(10);
	attr->build_id = chance(10);
	attr->namespaces = chance(5);
	attr->comm_exec = chance(30);
	attr->inherit_stat = chance(10);
	attr->enable_on_exec = chance(20);
	attr->sample_id_all = chance(50);
	attr->exclude_callchain_kernel = chance(10);
	attr->exclude_callchain_user = chance(10);
	attr->use_clockid = chance(20);
	attr->clockid = attr->use_clockid ? (int)below(12) : 0;
	attr->write_backward = chance(10);
	attr->inherit_thread = attr->inherit && chance(10);
	attr->remove_on_exec = !attr->enable_on_exec && chance(10);
	attr->sigtrap = attr->remove_on_exec && chance(50);
}

void choose(struct perf_event_attr *attr)
{
	choose_kind(attr);
	if (chance(shared->samples ? 50 : 3))
		choose_samples(attr);
	choose_flags(attr);
	attr->read_format = some_bits(5);
	if (chance(3))
		attr->size = below(300);
	if (chance(3))
		((unsigned char *)attr)[below(sizeof(*attr))] ^= (unsigned char)(1 << below(8));
}
