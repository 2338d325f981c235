/*
 * Reads trace.dat, versions 6 and 7 (trace-cmd.dat.v6(5), trace-cmd.dat.v7(5)): events of all CPUs in the order of time, with a
 * page of each CPU in memory at a time.
 *
 * A file that is damaged gives what can be read of it: each damage is told on standard error and
 * counted, and reading goes on behind it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind { EVENT_OTHER, EVENT_FUNCTION, EVENT_ENTRY, EVENT_EXIT, EVENT_STACK, EVENT_PRINT, EVENT_BPRINT, EVENT_BPUTS };

struct event {
	enum event_kind kind;
	const char *name; /* of the event, for EVENT_OTHER */
	unsigned cpu;
	int pid;
	uint64_t ts;		  /* ns */
	uint64_t lost;		  /* events lost before this one; UINT64_MAX: some */
	uint8_t flags, preempt;	  /* common_flags, common_preempt_count */
	uint64_t ip, parent;	  /* FUNCTION; ENTRY and EXIT: ip is the function */
	int depth;		  /* ENTRY, EXIT */
	uint64_t calltime, rettime; /* EXIT */
	const uint8_t *data;	  /* the rest: of STACK callers, of PRINT the text */
	size_t size;
};

struct dat;

/* A file that cannot be read at all: NULL, and the reason is told. The descriptor is the caller's. */
struct dat *dat_open(int fd, const char *name);
void dat_close(struct dat *dat);
/* The next event, or NULL at the end. It stays until the next call. */
const struct event *dat_next(struct dat *dat);
/* The event of this CPU that dat_next() will give after the last one it gave of it, or NULL. */
const struct event *dat_peek(struct dat *dat, unsigned cpu);
unsigned dat_cpus(const struct dat *dat);
/* How many damages were told. */
unsigned dat_damage(const struct dat *dat);
/* The function at an address: its number, below dat_symbols(), and its name. */
unsigned dat_symbol(struct dat *dat, uint64_t ip);
const char *dat_symbol_name(const struct dat *dat, unsigned symbol);
unsigned dat_symbols(const struct dat *dat);
/* The task's name, "<idle>" and "<...>" as Linux says. */
const char *dat_comm(const struct dat *dat, int pid);
/* The text of a PRINT, BPRINT or BPUTS event without its newline, in buf. */
void dat_print(const struct dat *dat, const struct event *event, char *buf, size_t size);
