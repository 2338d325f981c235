/* What the files of mdb share. main.c says what mdb is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#define BREAKPOINTS_MAX 64
#define WATCHES_MAX     4 /* debug registers of the CPU */

/* Why the program does not run. */
enum stop {
	ENDED,
	BREAKPOINT, /* it is at a breakpoint, whose instruction it has not executed */
	STEPPED,    /* it has executed one instruction */
	WATCHED,    /* it has written to a watched address */
	SIGNALLED,  /* it would get signal_to_give now */
	PAUSED,     /* it has been interrupted, or it has executed another program */
	FAILED,     /* ptrace() has failed: errno */
};

struct breakpoint {
	uint64_t address;
	uint8_t byte; /* what the program has there */
};

struct watch {
	uint64_t address, size; /* size: 1, 2, 4 or 8; 0: this debug register is free */
	uint64_t value;         /* as it was at the last stop */
};

struct symbol {
	uint64_t address, size;
	const char *name;
};

/* ---- debug.c: the program, by ptrace(2) ---- */

extern pid_t pid; /* of the program; 0: there is none any more */
extern bool attached;
extern int signal_to_give; /* when the program goes on; 0: none */
extern struct watch watches[WATCHES_MAX];
extern unsigned watches_hit; /* bit n: by the last instruction */

/* Starts a program, which has executed nothing yet. False: errno. */
bool start(char **argv);
/* Takes the program `pid`, and stops it. It must not notice: a signal that comes meanwhile is still for it. False: errno. */
bool attach(void);
/* The program runs on, as if there had never been a debugger. */
void detach(void);
/*
 * Lets the program go on until the next stop, or (PTRACE_SINGLESTEP) for one instruction. It gets signal_to_give; if it stands
 * at a breakpoint, after the instruction there. FAILED only if ptrace() fails for a program that has not ended.
 */
enum stop resume(int request);
/* One instruction. A call is executed until it has returned, or something else stops the program. */
enum stop next(void);
struct user_regs_struct registers(void);
/* Reads memory as the program has it: without the bytes of breakpoints. False: it has no memory there; errno. */
bool read_memory(uint64_t address, void *to, size_t size);
/* False: there is no room, or no memory; errno. */
bool add_breakpoint(uint64_t address);
struct breakpoint *find_breakpoint(uint64_t address);
void remove_breakpoint(struct breakpoint *b);
/* The program shall stop when it has written there. False: no register is free, or the kernel refuses; errno. */
bool add_watch(uint64_t address, uint64_t size);
void remove_watch(unsigned n);
/*
 * Prints where the program is, and its callers up to main(), each as "#1 " and print_place(). The functions have frame pointers:
 * they begin with `push %rbp; mov %rsp, %rbp`. Ends where a frame is no frame of a caller.
 */
void backtrace(void);

/* ---- symbols.c: names ---- */

void read_symbols(void);
const struct symbol *symbol_of(uint64_t address);
/* The address of a name. False: there is none. */
bool find_name(const char *name, uint64_t *address);

/* ---- main.c: what the user sees ---- */

/* Prints address, and the symbol that `inside` belongs to. */
void print_place(uint64_t address, uint64_t inside);
/* The program has ended, with this status of waitpid(2). */
void show_end(int status);
