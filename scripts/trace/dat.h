/*
 * Reads trace.dat, versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)). It gives the events of all CPUs in the order of
 * time, and keeps one page of each CPU in memory.
 *
 * It prints and counts each damaged part of a file, and continues behind it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind { EVENT_OTHER, EVENT_FUNCTION, EVENT_ENTRY, EVENT_EXIT, EVENT_STACK, EVENT_PRINT, EVENT_BPRINT, EVENT_BPUTS };

struct event {
	enum event_kind kind;
	const char *name; /* the event's name, for EVENT_OTHER */
	unsigned cpu;
	int pid;
	uint16_t type; /* the number of the event */
	uint64_t ts;		  /* ns */
	uint64_t lost;		  /* events lost before this one; UINT64_MAX: some */
	uint8_t flags, preempt;	  /* common_flags, common_preempt_count */
	uint64_t ip, parent;	  /* FUNCTION; ENTRY and EXIT: ip is the function, parent of an ENTRY its return address, or 0 */
	int depth;		  /* ENTRY, EXIT */
	uint64_t calltime, rettime; /* EXIT */
	uint64_t retval;	  /* EXIT, if has_retval */
	bool has_retval;
	const uint8_t *data;	  /* OTHER: the whole record. The rest of it: the callers of a STACK, the text of a PRINT */
	size_t size;
};

struct dat;

/* Opens a file. Prints the reason and returns NULL if it cannot be read at all. The caller closes fd. */
struct dat *dat_open(int fd, const char *name);
void dat_close(struct dat *dat);
/* Returns the next event, or NULL at the end. The event is valid until the next call. */
const struct event *dat_next(struct dat *dat);
/* Returns the event of this CPU that dat_next() will return next for it, or NULL. */
const struct event *dat_peek(struct dat *dat, unsigned cpu);
unsigned dat_cpus(const struct dat *dat);
/* Returns the number of damaged parts so far. */
unsigned dat_damage(const struct dat *dat);
/* Returns the number of the function at an address, which is below dat_symbols(). */
unsigned dat_symbol(struct dat *dat, uint64_t ip);
const char *dat_symbol_name(const struct dat *dat, unsigned symbol);
/* Returns "[NAME]" for a function of a module, and "" for one of the kernel. */
const char *dat_symbol_module(const struct dat *dat, unsigned symbol);
/* Returns the address at which the function begins; 0 if it is not known. */
uint64_t dat_symbol_start(const struct dat *dat, unsigned symbol);
unsigned dat_symbols(const struct dat *dat);
/* Returns the task's name; "<idle>" for PID 0 and "<...>" for an unknown task, as Linux does. */
const char *dat_comm(const struct dat *dat, int pid);
/* Enough for the text of any event of the kernel, which has at most a page. */
#define DAT_PRINT_MAX 8192
/*
 * Writes the text of a PRINT, BPRINT or BPUTS event to buf, without its newline. An OTHER event has all that the `trace` file
 * has behind the time: the event's name, too, in most cases.
 */
void dat_print(struct dat *dat, const struct event *event, char *buf, size_t size);
