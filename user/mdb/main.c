/*
 * mdb: a small debugger, for a reader. It stops a program, and shows and changes it with ptrace(2).
 *
 *	mdb [-e COMMANDS] PROGRAM [ARGUMENT]...    starts a program
 *	mdb [-e COMMANDS] -p PID                   takes a program that runs
 *
 * It reads commands from its input, or from -e with `;` between them. Without more commands, a program that it has
 * started ends, and one that it has taken runs on. It knows programs of one thread, and names of programs that are linked statically.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mdb.h"

void print_place(uint64_t address, uint64_t inside)
{
	const struct symbol *symbol = symbol_of(inside);

	printf("0x%lx", (unsigned long)address);
	if (symbol)
		printf(" <%s+0x%lx>", symbol->name, (unsigned long)(address - symbol->address));
}

/* ---- what it shows ---- */

void show_end(int status)
{
	if (WIFEXITED(status))
		printf("exited with status %d\n", WEXITSTATUS(status));
	else
		printf("killed by signal %d\n", WTERMSIG(status));
}

static void show_stop(enum stop stop)
{
	uint64_t rip;

	if (stop == FAILED)
		printf("error: %s\n", strerror(errno));
	if (stop == FAILED || stop == ENDED)
		return;
	for (unsigned n = 0; n < WATCHES_MAX; n++) {
		uint64_t value = 0;

		if (watches[n].size && read_memory(watches[n].address, &value, watches[n].size)) {
			if (stop == WATCHED && (watches_hit & (1U << n))) {
				printf("watch ");
				print_place(watches[n].address, watches[n].address);
				printf(": %ld -> %ld\n", (long)watches[n].value, (long)value);
			}
			watches[n].value = value;
		}
	}
	if (stop == SIGNALLED)
		printf("signal %d ", signal_to_give);
	rip = registers().rip;
	printf(stop == BREAKPOINT ? "breakpoint " : stop == PAUSED ? "paused " : "");
	printf("at ");
	print_place(rip, rip);
	putchar('\n');
}

static void show_registers(void)
{
	struct user_regs_struct r = registers();
	const struct {
		const char *name;
		unsigned long long value;
	} all[] = { { "rax", r.rax }, { "rbx", r.rbx }, { "rcx", r.rcx }, { "rdx", r.rdx }, { "rsi", r.rsi }, { "rdi", r.rdi },
		    { "rbp", r.rbp }, { "rsp", r.rsp }, { "r8", r.r8 },	  { "r9", r.r9 },   { "r10", r.r10 }, { "r11", r.r11 },
		    { "r12", r.r12 }, { "r13", r.r13 }, { "r14", r.r14 }, { "r15", r.r15 }, { "rip", r.rip }, { "eflags", r.eflags } };

	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		printf("%-6s 0x%016llx%s", all[i].name, all[i].value, i % 3 == 2 ? "\n" : "  ");
}

static void show_memory(uint64_t address, size_t size)
{
	uint8_t bytes[256];

	if (size > sizeof(bytes))
		size = sizeof(bytes);
	if (!read_memory(address, bytes, size)) {
		printf("error: %s\n", strerror(errno));
		return;
	}
	print_place(address, address);
	putchar(':');
	for (size_t i = 0; i < size; i++)
		printf(" %02x", bytes[i]);
	putchar('\n');
}

/* ---- commands ---- */

static void take_away(uint64_t address)
{
	struct breakpoint *b = find_breakpoint(address);

	if (b)
		remove_breakpoint(b);
	for (unsigned n = 0; n < WATCHES_MAX; n++)
		if (watches[n].size && watches[n].address == address)
			remove_watch(n);
}

static void help(void)
{
	printf("break WHERE         stop there, before the instruction\n"
	       "watch WHERE [SIZE]  stop after each write to 1, 2, 4 or 8 bytes\n"
	       "delete WHERE        no breakpoint and no watch there any more\n"
	       "continue            until the next stop\n"
	       "step, next          one instruction; next: or a call with all that it does\n"
	       "registers, backtrace\n"
	       "print WHERE [SIZE]  memory\n"
	       "detach              the program runs on alone\n"
	       "!COMMAND            of the shell\n"
	       "WHERE is NAME, 0xADDRESS, $rip, $rsp or $rbp; each with +OFFSET\n");
}

/* NAME, 0xADDRESS or $REGISTER; each with + and an offset. */
static bool parse_address(char *word, uint64_t *address)
{
	struct user_regs_struct regs = registers();
	char *offset = strchr(word, '+');

	if (offset)
		*offset++ = 0;
	if (!strcmp(word, "$rip"))
		*address = regs.rip;
	else if (!strcmp(word, "$rsp"))
		*address = regs.rsp;
	else if (!strcmp(word, "$rbp"))
		*address = regs.rbp;
	else if (word[0] >= '0' && word[0] <= '9')
		*address = strtoull(word, NULL, 0);
	else if (!find_name(word, address))
		return false;
	*address += offset ? strtoull(offset, NULL, 0) : 0;
	return true;
}

/* A command with an address. */
static void run_at(const char *command, uint64_t address, uint64_t size)
{
	bool done = true;

	if (!strcmp(command, "break"))
		done = add_breakpoint(address);
	else if (!strcmp(command, "delete"))
		take_away(address);
	else if (!strcmp(command, "print"))
		show_memory(address, size);
	else if (!strcmp(command, "watch") && (size == 1 || size == 2 || size == 4 || size == 8))
		done = add_watch(address, size);
	else
		help();
	if (!done)
		printf("error: %s\n", strerror(errno));
}

static void run(char *line)
{
	char *command = strsep(&line, " "), *where = strsep(&line, " ");
	uint64_t address;

	if (!*command) {
		return;
	} else if (!pid) {
		printf("no program\n");
	} else if (!strcmp(command, "continue")) {
		show_stop(resume(PTRACE_CONT));
	} else if (!strcmp(command, "step")) {
		show_stop(resume(PTRACE_SINGLESTEP));
	} else if (!strcmp(command, "next")) {
		show_stop(next());
	} else if (!strcmp(command, "registers")) {
		show_registers();
	} else if (!strcmp(command, "backtrace")) {
		backtrace();
	} else if (!strcmp(command, "detach")) {
		detach();
	} else if (where && parse_address(where, &address)) {
		run_at(command, address, line ? strtoull(line, NULL, 0) : 8);
	} else if (where) {
		printf("no symbol %s\n", where);
	} else {
		help();
	}
}

static void interrupted(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	FILE *input = stdin;
	char *line = NULL;
	size_t room = 0;
	int option, end = '\n';

	while ((option = getopt(argc, argv, "+e:p:")) != -1) {
		if (option == 'e') {
			input = fmemopen(optarg, strlen(optarg), "r");
			end = ';';
		} else if (option == 'p') {
			pid = atoi(optarg);
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0); /* in order with what the program prints */
	if (!input || (!pid && optind == argc)) {
		fprintf(stderr, "usage: mdb [-e COMMANDS] PROGRAM [ARGUMENT]..., or mdb [-e COMMANDS] -p PID\n");
		return 2;
	}
	if (pid ? !attach() : !start(argv + optind)) {
		fprintf(stderr, "mdb: %s: %s\n", attached ? "attach" : argv[optind], strerror(errno));
		return 1;
	}
	sigaction(SIGINT, &(struct sigaction){ .sa_handler = interrupted }, NULL);
	read_symbols();
	while (!(isatty(fileno(input)) && printf("mdb> ") && fflush(stdout)) && getdelim(&line, &room, end, input) > 0) {
		char *text = line + strspn(line, " ");

		text[strcspn(text, "\n;")] = 0;
		if (*text != '!')
			run(text);
		else if (system(text + 1) < 0)
			perror("mdb");
	}
	if (pid && attached) {
		detach();
	} else if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	return 0;
}
