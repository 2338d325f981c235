/* The parameter tp_printk: events are printed with printk() as well (tp_printk.c). */
#pragma once

#include "kernel/types.h"

struct trace_event_buffer;

/*
 * Prints an event that will be recorded. An event that occurs while another one is printed on this
 * CPU is not printed, because printing causes events. Any context.
 */
void trace_event_printk(const struct trace_event_buffer *fbuffer);
/* Whether events are printed: then all files have EVENT_FILE_FL_PRINTK. E held. */
bool trace_events_printed(void);
/* Starts printing if the parameter is given. Boot. */
void tp_printk_start(void);
