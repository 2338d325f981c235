/* Printing the trace to the console, as after an oops. */
#pragma once

/*
 * Prints the top level's buffer of one CPU, or of all (RING_BUFFER_ALL_CPUS), through printk, and
 * sets tracing_on to 0. Does nothing while another dump runs. Any context, NMI included.
 */
void ftrace_dump(int cpu);
/*
 * Prepares dumps for the size that the sub-buffers of the top level have now, as a dump cannot
 * allocate memory. Without memory, or if a dump runs, dumps omit entries, and a warning says so.
 * Task context.
 */
void ftrace_dump_fit(void);
