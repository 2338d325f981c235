/*
 * A plugin of QEMU that measures the sections of the tracers irqsoff and preemptoff in instructions of the CPU
 * that is in the section. The clock of a machine with several CPUs cannot do that: with -icount QEMU runs the CPUs
 * in turn, so that the time of a section contains the instructions of the others. For the same reason a CPU may
 * wait for the holder of a lock as long as the holder does not run. What it executes while it waits does not count:
 * how long others hold a lock is a section of theirs.
 *
 * And a section sees more interrupts than on CPUs that run at once: forty ticks in 30,000 instructions, which are 30 us
 * there, while ticks are 3 ms apart; and a hundred interrupts of a UART that sends its FIFO in no time, while 16 bytes take
 * 1.4 ms on a line of 115,200 baud. So of each of the two the first one in a section counts, and those after it do not.
 *
 *	-plugin sections_plugin.so,start=A,stop=A,forget=A,wait=A,wait_end=A,interrupt=A,interrupt_end=A,tick=A,uart=A,
 *		report=A,out=FILE
 *
 * The addresses A are those of section_start(), section_stop() and forget_sections() of
 * trace/tracers/latency/sections.c, the begin and the end of ticket_lock_wait() and of do_interrupt(), and those of
 * local_apic_timer_interrupt(), serial8250_interrupt() and max_latency_read(): when tracing_max_latency is read, the
 * plugin appends a line to FILE for each CPU with a section since the tracer began or
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
#define NESTED_MAX 16

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
	unsigned seen; /* sources of interrupts that have ended in its section */
	unsigned interrupts; /* that have begun in its section and have not ended */
	struct interrupt {
		uint64_t count; /* at its begin */
		enum source { OTHER, TICK = 1, UART = 2 } source;
	} interrupt[NESTED_MAX];
	bool on;
} cpus[CPUS_MAX];
static uint64_t start_address, stop_address, forget_address, wait_address, wait_end, interrupt_address, interrupt_end, tick_address,
	uart_address, report_address;
static FILE *out;
static const struct argument {
	const char *name;
	uint64_t *address;
} arguments[] = {
	{ "start", &start_address },
	{ "stop", &stop_address },
	{ "forget", &forget_address },
	{ "wait", &wait_address },
	{ "wait_end", &wait_end },
	{ "interrupt", &interrupt_address },
	{ "interrupt_end", &interrupt_end },
	{ "tick", &tick_address },
	{ "uart", &uart_address },
	{ "report", &report_address },
};
#define ARGUMENTS (sizeof(arguments) / sizeof(arguments[0]))

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

static void interrupt_begun(unsigned number, void *data)
{
	struct cpu *cpu = &cpus[number];

	(void)data;
	if (cpu->on && cpu->interrupts < NESTED_MAX)
		cpu->interrupt[cpu->interrupts++] = (struct interrupt){ .count = cpu->count };
}

static void source_known(unsigned number, void *data)
{
	struct cpu *cpu = &cpus[number];

	if (cpu->interrupts)
		cpu->interrupt[cpu->interrupts - 1].source = (enum source)(uintptr_t)data;
}

static void interrupt_ended(unsigned number, void *data)
{
	struct cpu *cpu = &cpus[number];
	const struct interrupt *ended;

	(void)data;
	if (!cpu->interrupts)
		return;
	ended = &cpu->interrupt[--cpu->interrupts];
	if (cpu->seen & ended->source)
		cpu->count = ended->count;
	cpu->seen |= ended->source;
}

static void section_start(unsigned number, void *data)
{
	struct cpu *cpu = &cpus[number];

	(void)data;
	if (cpu->on)
		return;
	cpu->on = true;
	cpu->seen = cpu->interrupts = 0;
	cpu->start = cpu->count;
}

static void section_stop(unsigned number, void *data)
{
	struct cpu *cpu = &cpus[number];

	(void)data;
	if (cpu->on && cpu->count - cpu->start > cpu->longest)
		cpu->longest = cpu->count - cpu->start;
	cpu->on = false;
	cpu->interrupts = 0;
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
		else if (address == interrupt_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, interrupt_begun, 0, NULL);
		else if (address > interrupt_address && address < interrupt_end && is_return(insn))
			qemu_plugin_register_vcpu_insn_exec_cb(insn, interrupt_ended, 0, NULL);
		else if (address == tick_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, source_known, 0, (void *)TICK);
		else if (address == uart_address)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, source_known, 0, (void *)UART);
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
		for (size_t j = 0; j < ARGUMENTS; j++)
			if (!strcmp(argv[i], arguments[j].name))
				*arguments[j].address = strtoull(value, NULL, 16);
		if (!strcmp(argv[i], "out"))
			out = fopen(value, "w");
	}
	for (size_t j = 0; j < ARGUMENTS; j++)
		if (!*arguments[j].address)
			return -1;
	if (!out)
		return -1;
	qemu_plugin_register_vcpu_tb_trans_cb(id, block_translated);
	return 0;
}
