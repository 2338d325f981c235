/* The file README, and its paragraphs about the files that each trace has. */
#include "trace/core/readme.h"

#include "fs/vfs/seq_file.h"
#include "trace/core/files.h"

DEFINE_LINKER_TABLE(rodata, const struct trace_readme, trace_readme);

TRACE_README(files, "1a",
	     "tracing mini-HOWTO:\n\n"
	     "Only root may look in here. To give a group access to all files:\n"
	     "\t mount -t tracefs [-o [gid=<gid>]] nodev /sys/kernel/tracing\n\n"
	     "# echo 0 > tracing_on : stop recording, and keep the trace\n"
	     "# echo 1 > tracing_on : continue recording\n\n"
	     " The files:\n"
	     "  trace\t\t\t- the recorded entries as text; reading keeps them\n"
	     "\t\t\t  echo > trace removes them all\n"
	     "  trace_pipe\t\t- the same, but each read removes what it returns, and waits\n"
	     "  current_tracer\t- the tracer that runs now; write a name to start another\n"
	     "  available_tracers\t- the names that current_tracer accepts\n"
	     "  buffer_size_kb\t- size of the buffer of each CPU\n"
	     "  buffer_total_size_kb- size of all these buffers together\n"
	     "  buffer_subbuf_size_kb- size of the pieces of a buffer; no entry is larger\n"
	     "  buffer_percent\t- how full a buffer wakes a reader of trace_pipe_raw\n"
	     "  free_buffer\t\t- closing it gives the memory of the buffers back\n\n"
	     "  trace_clock\t\t- the clock of the time stamps\n"
	     "       local:   fast; CPUs may differ a little\n"
	     "      global:   never runs backwards between CPUs, but is slower\n"
	     "     counter:   adds 1 for each entry; shows the order only\n"
	     "      uptime:   timer ticks since the boot\n"
	     "        mono:   nanoseconds since the boot, as CLOCK_MONOTONIC\n"
	     "     tai:       international atomic time: the time of day without leap seconds\n"
	     "     x86-tsc:   cycles of the CPU's time stamp counter\n"
	     "\n  timestamp_mode\t- how the buffer stores times\n"
	     "       delta:   as the time since the previous entry\n"
	     "    absolute:   as the full time in each entry\n"
	     "\n  trace_marker\t\t- text that a program writes here becomes an entry\n"
	     "  trace_marker_raw\t- the same for any bytes, behind a number of 4 bytes\n"
	     "  tracing_cpumask\t- the CPUs that record, as a hexadecimal mask\n"
	     "  trace_options\t\t- switches for the format and the recording; write\n"
	     "\t\t\t  NAME to set one and noNAME to clear it\n"
	     "  options/\t\t- the same switches, a file for each\n"
	     "  saved_cmdlines\t- the names of the tasks in the trace\n"
	     "  saved_cmdlines_size\t- how many task names the kernel keeps for traces\n"
	     "  saved_tgids\t\t- the processes of the tasks in the trace\n"
	     "  printk_formats\t- the formats of trace_printk()\n"
	     "  instances\t\t- mkdir makes another trace here, with files of its own;\n"
	     "\t\t\t  rmdir removes it\n");

TRACE_README(per_cpu, "4a",
	     "\n  per_cpu/cpuN/\t\t- files for one CPU; stats has the numbers of its buffer\n");

static int readme_show(struct seq_file *m, void *unused __unused)
{
	for_each_linker_table_entry (paragraph, trace_readme)
		if (!paragraph->applies || paragraph->applies())
			seq_puts(m, paragraph->text);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(readme);

TRACE_FILE(README, 0440, &readme_fops, .only_top = true);
