/* Reads the names in trace.dat: functions (kallsyms), tasks (saved_cmdlines), formats of trace_printk(). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dat_internal.h"

#define UNKNOWN_MAX 65536

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Makes room for one more element. The array doubles when count is a power of two. */
static void *grown(void *array, unsigned count, size_t size)
{
	if (count & (count - 1))
		return array;
	array = realloc(array, (count ? 2 * (size_t)count : 1) * size);
	if (!array) {
		perror("trace-convert");
		exit(2);
	}
	return array;
}

/* Reads lines `ADDRESS TYPE NAME [MODULE]`. */
static void read_symbols(struct dat *dat)
{
	char *rest = dat->kallsyms, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *end, *name, *module;
		uint64_t address = strtoull(line, &end, 16);

		if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tTwW", end[1]))
			continue;
		dat->symbols = grown(dat->symbols, dat->nr_symbols, sizeof(*dat->symbols));
		name = end + 3;
		module = name + strcspn(name, " \t");
		if (*module)
			*module++ = '\0';
		dat->symbols[dat->nr_symbols++] = (struct symbol){ address, name, module };
	}
	if (dat->nr_symbols)
		qsort(dat->symbols, dat->nr_symbols, sizeof(*dat->symbols), by_address);
}

static int by_pid(const void *a, const void *b)
{
	const struct comm *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Reads lines `PID COMM`. */
static void read_comms(struct dat *dat)
{
	char *rest = dat->cmdlines, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *end;
		long pid = strtol(line, &end, 10);

		if (end == line || *end != ' ')
			continue;
		dat->comms = grown(dat->comms, dat->nr_comms, sizeof(*dat->comms));
		dat->comms[dat->nr_comms].pid = (int)pid;
		snprintf(dat->comms[dat->nr_comms++].name, sizeof(dat->comms->name), "%.15s", end + 1);
	}
	if (dat->nr_comms)
		qsort(dat->comms, dat->nr_comms, sizeof(*dat->comms), by_pid);
}

/* Replaces the kernel's escapes \n, \t, \" and \\ in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (*s == '\\' && s[1])
			s++, *to++ = *s == 'n' ? '\n' : *s == 't' ? '\t' : *s;
		else
			*to++ = *s;
	}
	*to = '\0';
}

/* Reads lines `0xADDRESS : "FORMAT"`. */
static void read_print_formats(struct dat *dat)
{
	char *rest = dat->printk, *line;

	while ((line = strsep(&rest, "\n"))) {
		char *begin = strchr(line, '"'), *end = strrchr(line, '"');

		if (!begin || begin == end)
			continue;
		*end = '\0';
		unescape(begin + 1);
		dat->prints = grown(dat->prints, dat->nr_prints, sizeof(*dat->prints));
		dat->prints[dat->nr_prints++] =
			(struct print_format){ strtoull(line, NULL, 16), begin + 1 };
	}
}

void dat_read_names(struct dat *dat)
{
	read_symbols(dat);
	read_comms(dat);
	read_print_formats(dat);
	dat->unknown = malloc(UNKNOWN_MAX * sizeof(*dat->unknown));
	if (!dat->unknown) {
		perror("trace-convert");
		exit(2);
	}
}

void dat_free_names(struct dat *dat)
{
	free(dat->unknown);
	free(dat->symbols);
	free(dat->comms);
	free(dat->prints);
	free(dat->kallsyms);
	free(dat->cmdlines);
	free(dat->printk);
}

/* Names an address without a symbol by its number. After too many of them, all share the last name. */
static unsigned unknown_symbol(struct dat *dat, uint64_t ip)
{
	unsigned i;

	for (i = 0; i < dat->nr_unknown && i < 64; i++)
		if (strtoull(dat->unknown[i], NULL, 16) == ip)
			return dat->nr_symbols + i;
	i = dat->nr_unknown < UNKNOWN_MAX - 1 ? dat->nr_unknown++ : UNKNOWN_MAX - 1;
	if (i == UNKNOWN_MAX - 1) {
		dat->nr_unknown = UNKNOWN_MAX;
		strcpy(dat->unknown[i], "(unknown)");
	} else {
		snprintf(dat->unknown[i], sizeof(dat->unknown[i]), "0x%" PRIx64, ip);
	}
	return dat->nr_symbols + i;
}

/* Returns the number of the symbol at or before an address; nr_symbols: there is none near it. */
static unsigned symbol_before(const struct dat *dat, uint64_t ip)
{
	unsigned low = 0, high = dat->nr_symbols;

	while (low < high) {
		unsigned middle = (low + high) / 2;

		if (dat->symbols[middle].address <= ip)
			low = middle + 1;
		else
			high = middle;
	}
	/* An address far behind the symbol before it belongs to no function. */
	if (!low || ip - dat->symbols[low - 1].address > 1 << 20)
		return dat->nr_symbols;
	/* Chooses the first symbol with this address. */
	while (low > 1 && dat->symbols[low - 2].address == dat->symbols[low - 1].address)
		low--;
	return low - 1;
}

static unsigned find_symbol(struct dat *dat, uint64_t ip)
{
	unsigned found = symbol_before(dat, ip);

	return found < dat->nr_symbols ? found : unknown_symbol(dat, ip);
}

void dat_symbol_text(const struct dat *dat, uint64_t address, char form, char text[DAT_SYMBOL_TEXT])
{
	unsigned back = form == 'B', found = symbol_before(dat, address - back), next = found;
	bool plain = form == 's' || form == 'f';
	const struct symbol *symbol;
	const char *between;

	if (found == dat->nr_symbols) {
		snprintf(text, DAT_SYMBOL_TEXT, "0x%" PRIx64, address);
		return;
	}
	symbol = &dat->symbols[found];
	between = *symbol->module ? " " : "";
	while (next < dat->nr_symbols && dat->symbols[next].address == symbol->address)
		next++;
	if (plain)
		snprintf(text, DAT_SYMBOL_TEXT, "%s%s%s", symbol->name, between, symbol->module);
	else
		snprintf(text, DAT_SYMBOL_TEXT, "%s+0x%" PRIx64 "/0x%" PRIx64 "%s%s", symbol->name, address - symbol->address,
			 (next < dat->nr_symbols ? dat->symbols[next].address : address) - symbol->address, between,
			 symbol->module);
}

bool dat_symbol_address(const struct dat *dat, const char *name, uint64_t *address)
{
	for (unsigned i = 0; i < dat->nr_symbols; i++) {
		if (strcmp(dat->symbols[i].name, name) == 0 && !*dat->symbols[i].module) {
			*address = dat->symbols[i].address;
			return true;
		}
	}
	return false;
}

unsigned dat_symbol(struct dat *dat, uint64_t ip)
{
	unsigned slot = (unsigned)(ip * 0x9e3779b97f4a7c15ULL >> 50);

	if (dat->cache[slot].ip != ip || !ip) {
		dat->cache[slot].symbol = find_symbol(dat, ip);
		dat->cache[slot].ip = ip;
	}
	return dat->cache[slot].symbol;
}

const char *dat_symbol_name(const struct dat *dat, unsigned symbol)
{
	return symbol < dat->nr_symbols ? dat->symbols[symbol].name : dat->unknown[symbol - dat->nr_symbols];
}

const char *dat_symbol_module(const struct dat *dat, unsigned symbol)
{
	return symbol < dat->nr_symbols ? dat->symbols[symbol].module : "";
}

uint64_t dat_symbol_start(const struct dat *dat, unsigned symbol)
{
	return symbol < dat->nr_symbols ? dat->symbols[symbol].address : 0;
}

unsigned dat_symbols(const struct dat *dat)
{
	return dat->nr_symbols + dat->nr_unknown;
}

const char *dat_comm(const struct dat *dat, int pid)
{
	struct comm key = { .pid = pid };
	const struct comm *found = NULL;

	if (pid == 0)
		return "<idle>";
	if (dat->nr_comms)
		found = bsearch(&key, dat->comms, dat->nr_comms, sizeof(key), by_pid);
	return found ? found->name : "<...>";
}

/* ---- trace_printk(): arguments follow each other; numbers are aligned to four bytes, strings end with NUL ---- */

struct arguments {
	const uint8_t *data;
	size_t size, at;
};

static uint64_t take_number(struct arguments *args, unsigned size)
{
	uint64_t value = 0;

	args->at = (args->at + 3) & ~(size_t)3;
	if (args->at + size <= args->size)
		memcpy(&value, args->data + args->at, size);
	args->at += size;
	return value;
}

static const char *take_string(struct arguments *args)
{
	const char *s = (const char *)args->data + args->at;
	size_t room = args->at < args->size ? args->size - args->at : 0, length = room ? strnlen(s, room) : 0;

	if (length == room)
		return "";
	args->at += length + 1;
	return s;
}

static size_t print_one(struct arguments *args, char *spec, unsigned longs, char conversion, char *buf, size_t size)
{
	size_t n = strlen(spec);

	if (conversion == 's' || conversion == 'p') {
		strcpy(spec + n, "s");
		return (size_t)snprintf(buf, size, spec, take_string(args));
	}
	if (conversion == 'c') {
		strcpy(spec + n, "c");
		return (size_t)snprintf(buf, size, spec, (int)take_number(args, 4));
	}
	if (!strchr("diuxXo", conversion))
		return (size_t)snprintf(buf, size, "?");
	snprintf(spec + n, 4, "ll%c", conversion);
	if (longs)
		return (size_t)snprintf(buf, size, spec, (long long)take_number(args, 8));
	if (strchr("di", conversion))
		return (size_t)snprintf(buf, size, spec, (long long)(int)take_number(args, 4));
	return (size_t)snprintf(buf, size, spec, (long long)take_number(args, 4));
}

static void print_binary(const char *format, struct arguments *args, char *buf, size_t size)
{
	size_t n = 0;

	while (*format && n + 1 < size) {
		char spec[24] = "%";
		unsigned longs = 0, length = 1;

		if (*format != '%' || format[1] == '%') {
			format += *format == '%';
			buf[n++] = *format++;
			continue;
		}
		for (format++; *format && strchr("-+ #0123456789.*hlzjtL", *format); format++) {
			if (*format == '*')
				length += (unsigned)snprintf(spec + length, sizeof(spec) - length - 5, "%d",
							     (int)take_number(args, 4) % 1000);
			else if (strchr("lzjtL", *format))
				longs++;
			else if (*format != 'h' && length < sizeof(spec) - 10)
				spec[length++] = *format;
			if (length > sizeof(spec) - 6)
				length = sizeof(spec) - 6;
		}
		if (!*format)
			break;
		spec[length] = '\0';
		n += print_one(args, spec, longs, *format, buf + n, size - n);
		if (*format++ == 'p')
			while (*format && strchr("sSfFbBxK", *format))
				format++;
	}
	buf[n < size ? n : size - 1] = '\0';
}

const char *dat_string_at(const struct dat *dat, uint64_t address)
{
	for (unsigned i = 0; i < dat->nr_prints; i++)
		if (dat->prints[i].address == address)
			return dat->prints[i].text;
	return NULL;
}

void dat_print(struct dat *dat, const struct event *event, char *buf, size_t size)
{
	struct arguments args = { event->data, event->size, 0 };
	size_t n;

	if (event->kind == EVENT_OTHER) {
		dat_print_other(dat, event, buf, size);
		return;
	}
	if (event->kind == EVENT_PRINT) {
		n = strnlen((const char *)event->data, event->size);
		snprintf(buf, size, "%.*s", (int)n, (const char *)event->data);
	} else {
		const char *format = dat_string_at(dat, event->parent);

		if (format && event->kind == EVENT_BPUTS)
			snprintf(buf, size, "%s", format);
		else if (format)
			print_binary(format, &args, buf, size);
		else
			snprintf(buf, size, "(format at 0x%" PRIx64 ")", event->parent);
	}
	n = strlen(buf);
	if (n && buf[n - 1] == '\n')
		buf[n - 1] = '\0';
}
