/* Printing the entries of hwlat, osnoise and timerlat. */
#include "kernel/init.h"
#include "trace/core/output.h"
#include "trace/tracers/noise/entries.h"

#define llu(x) ((unsigned long long)(x))

/* ---- hwlat ---- */

static enum print_line_t trace_hwlat_print(struct trace_iterator *iter)
{
	const struct hwlat_entry *field = (const struct hwlat_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "#%-5u inner/outer(us): %4llu/%-5llu ts:%lld.%09ld count:%d",
			 field->seqnum, llu(field->duration), llu(field->outer_duration),
			 (long long)field->tv_sec, field->tv_nsec, (int)field->count);
	if (field->nmi_count)
		trace_seq_printf(s, " nmi-total:%llu nmi-count:%u", llu(field->nmi_total_ts),
				 field->nmi_count);
	trace_seq_putc(s, '\n');
	return trace_handle_return(s);
}

static enum print_line_t trace_hwlat_raw(struct trace_iterator *iter)
{
	const struct hwlat_entry *field = (const struct hwlat_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%llu %lld %lld %09ld %u\n", llu(field->duration),
			 (long long)field->outer_duration, (long long)field->tv_sec, field->tv_nsec,
			 field->seqnum);
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field hwlat_fields[] = {
	TRACE_FIELD(hwlat_entry, duration, "u64", false),
	TRACE_FIELD(hwlat_entry, outer_duration, "u64", false),
	TRACE_FIELD(hwlat_entry, nmi_total_ts, "u64", false),
	TRACE_FIELD(hwlat_entry, tv_sec, "s64", true),
	TRACE_FIELD(hwlat_entry, tv_nsec, "long", true),
	TRACE_FIELD(hwlat_entry, nmi_count, "unsigned int", false),
	TRACE_FIELD(hwlat_entry, seqnum, "unsigned int", false),
	TRACE_FIELD(hwlat_entry, count, "unsigned int", false),
	{ .name = NULL },
};

static struct trace_event hwlat_event = {
	.type = TRACE_HWLAT,
	.trace = trace_hwlat_print,
	.raw = trace_hwlat_raw,
	.name = "hwlat",
	.fields = hwlat_fields,
	.print_fmt = "\"cnt:%u\\tts:%010llu.%010lu\\tinner:%llu\\touter:%llu\\tcount:%d\\tnmi-ts:"
		     "%llu\\tnmi-count:%u\\n\", REC->seqnum, REC->tv_sec, REC->tv_nsec, "
		     "REC->duration, REC->outer_duration, REC->count, REC->nmi_total_ts, "
		     "REC->nmi_count",
};

/* ---- osnoise ---- */

static enum print_line_t trace_osnoise_print(struct trace_iterator *iter)
{
	const struct osnoise_entry *field = (const struct osnoise_entry *)iter->ent;
	struct trace_seq *s = &iter->seq;
	/* The share of the CPU that was left, in units of 0.00001 % */
	u64 share =
		field->runtime ? (field->runtime - field->noise) * 10000000 / field->runtime : 0;

	trace_seq_printf(s, "%llu %10llu %3llu.%05llu %7llu", llu(field->runtime),
			 llu(field->noise), llu(share / 100000), llu(share % 100000),
			 llu(field->max_sample));
	trace_seq_printf(s, " %6u %6u %6u %6u %6u\n", field->hw_count, field->nmi_count,
			 field->irq_count, field->softirq_count, field->thread_count);
	return trace_handle_return(s);
}

static enum print_line_t trace_osnoise_raw(struct trace_iterator *iter)
{
	const struct osnoise_entry *field = (const struct osnoise_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%lld %llu %llu %u %u %u %u %u\n", (long long)field->runtime,
			 llu(field->noise), llu(field->max_sample), field->hw_count,
			 field->nmi_count, field->irq_count, field->softirq_count,
			 field->thread_count);
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field osnoise_fields[] = {
	TRACE_FIELD(osnoise_entry, noise, "u64", false),
	TRACE_FIELD(osnoise_entry, runtime, "u64", false),
	TRACE_FIELD(osnoise_entry, max_sample, "u64", false),
	TRACE_FIELD(osnoise_entry, hw_count, "unsigned int", false),
	TRACE_FIELD(osnoise_entry, nmi_count, "unsigned int", false),
	TRACE_FIELD(osnoise_entry, irq_count, "unsigned int", false),
	TRACE_FIELD(osnoise_entry, softirq_count, "unsigned int", false),
	TRACE_FIELD(osnoise_entry, thread_count, "unsigned int", false),
	{ .name = NULL },
};

static struct trace_event osnoise_event = {
	.type = TRACE_OSNOISE,
	.trace = trace_osnoise_print,
	.raw = trace_osnoise_raw,
	.name = "osnoise",
	.fields = osnoise_fields,
	.print_fmt = "\"noise:%llu\\tmax_sample:%llu\\thw:%u\\tnmi:%u\\tirq:%u\\tsoftirq:%u\\t"
		     "thread:%u\\n\", REC->noise, REC->max_sample, REC->hw_count, REC->nmi_count, "
		     "REC->irq_count, REC->softirq_count, REC->thread_count",
};

/* ---- timerlat ---- */

static enum print_line_t trace_timerlat_print(struct trace_iterator *iter)
{
	const struct timerlat_entry *field = (const struct timerlat_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "#%-5u context %6s timer_latency %9llu ns\n", field->seqnum,
			 field->context == TIMERLAT_IRQ ? "irq" : "thread",
			 llu(field->timer_latency));
	return trace_handle_return(&iter->seq);
}

static enum print_line_t trace_timerlat_raw(struct trace_iterator *iter)
{
	const struct timerlat_entry *field = (const struct timerlat_entry *)iter->ent;

	trace_seq_printf(&iter->seq, "%u %d %llu\n", field->seqnum, field->context,
			 llu(field->timer_latency));
	return trace_handle_return(&iter->seq);
}

static const struct trace_event_field timerlat_fields[] = {
	TRACE_FIELD(timerlat_entry, seqnum, "unsigned int", false),
	TRACE_FIELD(timerlat_entry, context, "int", true),
	TRACE_FIELD(timerlat_entry, timer_latency, "u64", false),
	{ .name = NULL },
};

static struct trace_event timerlat_event = {
	.type = TRACE_TIMERLAT,
	.trace = trace_timerlat_print,
	.raw = trace_timerlat_raw,
	.name = "timerlat",
	.fields = timerlat_fields,
	.print_fmt = "\"seq:%u\\tcontext:%d\\ttimer_latency:%llu\\n\", REC->seqnum, "
		     "REC->context, REC->timer_latency",
};

static int __init init_noise_output(void)
{
	int error = register_trace_event(&hwlat_event);

	if (!error)
		error = register_trace_event(&osnoise_event);
	return error ? error : register_trace_event(&timerlat_event);
}
core_initcall(init_noise_output);
