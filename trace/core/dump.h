/* Printing the trace to the console, as after an oops. */
#pragma once

/*
 * Prints the top level's buffer of one CPU, or of all (RING_BUFFER_ALL_CPUS), through printk, and
 * sets tracing_on to 0. Does nothing while another dump runs. Any context, NMI included.
 */
void ftrace_dump(int cpu);
