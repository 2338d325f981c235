/*
 * Records of the kernel's text: KSYMBOL, a function that was made at run time, such as a
 * trampoline; TEXT_POKE, an instruction that has changed. perf needs them to name and to show what
 * it has sampled. They tell addresses of the kernel, so only those get them who may see these:
 * perf_record_kinds().
 */
#include "trace/perf/records.h"

#include "kernel/kallsyms.h"
#include "kernel/lib/string.h"
#include "kernel/text_events.h"

static void record_ksymbol(void *data __unused, const struct kallsyms_dynamic *symbol, bool add)
{
	struct {
		struct perf_event_header header;
		u64 addr;
		u32 len;
		u16 type, flags;
	} record = {
		.header = { .type = PERF_RECORD_KSYMBOL, .size = sizeof(record) },
		.addr = symbol->address,
		.len = (u32)symbol->size,
		.type = PERF_RECORD_KSYMBOL_TYPE_OOL,
		.flags = add ? 0 : PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER,
	};

	perf_record_all(PERF_RECORDS_KSYMBOL, &record.header, symbol->name);
}

#define POKE_MAX 16 /* bytes of an instruction */

static void record_text_poke(void *data __unused, unsigned long addr, const u8 *old, const u8 *new,
			     size_t size)
{
	struct {
		struct perf_event_header header;
		u64 addr;
		u16 old_len, new_len;
		u8 bytes[2 * POKE_MAX + 4];
	} record = {
		.header = { .type = PERF_RECORD_TEXT_POKE },
		.addr = addr,
		.old_len = (u16)size,
		.new_len = (u16)size,
	};

	memcpy(record.bytes, old, size);
	memcpy(record.bytes + size, new, size);
	record.header.size = (u16)ALIGN(offsetof(typeof(record), bytes) + 2 * size, 8UL);
	perf_record_all(PERF_RECORDS_TEXT_POKE, &record.header, NULL);
}

static int set_ksymbol_probe(bool on)
{
	return on ? register_trace_ksymbol(record_ksymbol, NULL)
		  : unregister_trace_ksymbol(record_ksymbol, NULL);
}

static int set_text_poke_probe(bool on)
{
	return on ? register_trace_text_poke(record_text_poke, NULL)
		  : unregister_trace_text_poke(record_text_poke, NULL);
}

struct perf_tap perf_ksymbol_tap = { .set = set_ksymbol_probe };
struct perf_tap perf_text_poke_tap = { .set = set_text_poke_probe };
