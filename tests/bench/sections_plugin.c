/*
 * A plugin of QEMU that measures the sections of the tracers irqsoff and preemptoff in instructions of the CPU
 * that is in the section. The clock of a machine with several CPUs cannot do that: with -icount QEMU runs the CPUs
 * in turn, so that the time of a section contains the instructions of the others. For the same reason a CPU may
 * wait for the holder of a lock as long as the holder does not run. What it executes while it waits does not count:
 * how long others hold a lock is a section of theirs.
 *
 *	-plugin sections_plugin.so,start=A,stop=A,forget=A,wait=A,wait_end=A,report=A,out=FILE
 *
 * The addresses A are those of section_start(), section_stop() and forget_sections() of
 * trace/tracers/latency/sections.c, the begin and the end of ticket_lock_wait(), and that of max_latency_read(): when
 * tracing_max_latency is read, the plugin appends a line to FILE for each CPU with a section since the tracer began or
 * the last report: the number of the CPU, and its longest section. QEMU's headers are not needed: the declarations
 * below are those of version 1 of its interface (docs/devel/tcg-plugins.rst of QEMU).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CPUS_MAX 256

struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id, struct qemu_plugin_tb *tb));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb, void (*executed)(unsigned cpu, void *data), int flags, void *data);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn, void (*executed)(unsigned cpu, void *data), int flags,
					    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;
__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv);

/* A CPU of the machine. With -icount all run in one thread. */
static struct cpu {
	uint64_t count; /* instructions that it has executed */
	uint64_t start; /* count at the start of its section */
	uint64_t longest;
	unsigned waits; /* calls of the wait function that it is in, one in an interrupt of the other */
	bool on;
} cpus[CPUS_MAX];
static uint64_t wait_address, wait_end, start_address, stop_address, forget_address, report_address;
static FILE *out;

static void block_executed(unsigned cpu, void *data)
{
	if (cpus[cpu].waits)
		return;
	cpus[cpu].count += (uintptr_t)data;
}

static void wait_begun(unsigned cpu, void *data)
{
	(void)data;
	cpus[cpu].waits++;
}

static void wait_ended(unsigned cpu, void *data)
{
	(void)data;
	cpus[cpu].waits--;
}

static void section_start(unsigned number, void *data)
{
	struct cpu *cpu = &cpus[number];

	(void)data;
	if (cpu->on)
		return;
	cpu->on = true;
	cpu->start = cpu->count;
}

static void section_stop(unsigned number, void *data)
{
	struct cpu *cpu = &cpus[number];

	(void)data;
	if (cpu->on && cpu->count - cpu->start > cpu->longest)
		cpu->longest = cpu->count - cpu->start;
	cpu->on = false;
}

/* Before it, sections may have begun when the kernel had not attached all its probes. */
static void forget_sections(unsigned number, void *data)
{
	(void)number;
	(void)data;
	for (unsigned i = 0; i < CPUS_MAX; i++) {
		cpus[i].longest = 0;
		cpus[i].on = false;
	}
}

static void report(unsigned number, void *data)
{
	(void)number;
	(void)data;
	for (unsigned i = 0; i < CPUS_MAX; i++) {
		if (cpus[i].longest)
			fprintf(out, "%u %llu\n", i, (unsigned long long)cpus[i].longest);
		cpus[i].longest = 0;
	}
	fflush(out);
}

static bool is_return(const struct qemu_plugin_insn *insn)
{
	return *(const uint8_t *)qemu_plugin_insn_data(insn) == 0xc3;
}

static void block_translated(uint64_t id, struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);

	(void)id;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_executed, 0, (void *)(uintptr_t)count);
	for (size_t i = 0; i < count; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		uint64_t address = qemu_plugin_insn_vaddr(insn);

		if (address == wait_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, wait_begun, 0, NULL);
		else if (address > wait_address && address < wait_end && is_return(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, wait_ended, 0, NULL);
		else if (address == start_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, section_start, 0, NULL);
		else if (address == stop_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, section_stop, 0, NULL);
		else if (address == forget_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, forget_sections, 0, NULL);
		else if (address == report_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, report, 0, NULL);
	}
}

int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
	(void)info;
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');

		if (!value)
			return -1;
		*value++ = '\0';
		if (!strcmp(argv[i], "start"))
			start_address = strtoull(value, NULL, 16);
		else if (!strcmp(argv[i], "stop"))
			stop_address = strtoull(value, NULL, 16);
		else if (!strcmp(argv[i], "forget"))
			forget_address = strtoull(value, NULL, 16);
		else if (!strcmp(argv[i], "report"))
			report_address = strtoull(value, NULL, 16);
		else if (!strcmp(argv[i], "wait"))
			wait_address = strtoull(value, NULL, 16);
		else if (!strcmp(argv[i], "wait_end"))
			wait_end = strtoull(value, NULL, 16);
		else if (!strcmp(argv[i], "out"))
			out = fopen(value, "w");
	}
	if (!start_address || !stop_address || !forget_address || !report_address || !out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
	return 0;
}
