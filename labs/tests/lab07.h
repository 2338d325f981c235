/* Shared by the files of lab07_ring: events that are written and read back, and an interrupt at each instruction. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/ring_buffer/write.h"

#define EVENTS 4096U

/* What became of each try to write an event. */
struct written {
	enum { REFUSED, WRITTEN, READ } state;
	u64 begin, end; /* the clock before and after the reservation */
};

/* ---- lab07_ring.c ---- */

extern const char *mode, *what;

void broken(const char *format, ...);
bool is_mode(const char *name);

/* ---- lab07_events.c ---- */

extern struct written events[EVENTS];
extern unsigned tries;
extern struct trace_buffer *buffer;
extern struct ring_buffer_per_cpu *cb;
extern u64 now, clock_step, last_stamp;
extern u64 uncounted; /* tries that no counter of the buffer has to know */

void begin(const char *case_name, size_t pages, u32 flags);
u64 ticks(void);
unsigned new_try(void);
void fill(struct ring_buffer_event *event, unsigned id, u32 words);
void write_as(unsigned id, u32 words);
void write_one(u32 words);
bool read_one(void);
void settle(void);

/* ---- lab07_interrupt.c ---- */

extern unsigned long stop_at;          /* the instruction of the case at which the interrupt comes */
extern void (*inner_interrupt)(void); /* inside the interrupt, */
extern unsigned long inner_at;         /* at this instruction of it */

void handle_traps(void);
bool interrupted(void (*func)(unsigned id, u32 words), unsigned id, u32 words, void (*what_happens)(void));
