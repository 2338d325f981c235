/*
 * What QEMU hides: the order of writes and of synchronization in text_patch_apply(), on a model of the other CPUs.
 *
 *	lab03_patch order|final|rounds|found|emulate|readers
 *
 * The model: between two serializing instructions a CPU may fetch each byte of a site as it was at any time since the first of
 * them. So the instruction that the CPU executes may be made of the first byte of one moment and the tail of another. A handler
 * on another CPU may begin, or search, at any moment; so live_batch is checked at each store in it. The program prints one line
 * and ends with status 1 at the first rule that is broken.
 *
 * text_patch.c is included here, not linked, so that the model sees its static variables.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/types.h"
#include "arch/cpu/processor.h"
#include "kernel/atomic.h"
#include "kernel/sections.h"

/* text_patch.c tells the model about its atomic loads and stores, and about its barriers. */
static void loading(const volatile void *p);
static void stored(const volatile void *p, int order);
static void fence(int order);
#define __atomic_load_n(p, order) ({ loading(p); __atomic_load_n(p, order); })
#define __atomic_store_n(p, v, order) ({ __atomic_store_n(p, v, order); stored(p, order); })
#define __atomic_exchange_n(p, v, order) ({ __auto_type __was = __atomic_exchange_n(p, v, order); stored(p, order); __was; })
#define __atomic_thread_fence(order) ({ __atomic_thread_fence(order); fence(order); })
#undef READ_ONCE
#undef WRITE_ONCE
#define READ_ONCE(x) ({ loading(&(x)); *(const volatile __typeof__(x) *)&(x); })
#define WRITE_ONCE(x, v) ({ *(volatile __typeof__(x) *)&(x) = (v); stored(&(x), __ATOMIC_RELAXED); })

static void wait_a_moment(void);
#undef cpu_relax
#define cpu_relax() wait_a_moment()
static bool cpu_is_tcg;
static char image[64];
#define _stext (image)
#define _etext (image + sizeof(image))

#include "arch/x86_64/patch/text_patch.c"

#define SITES	 3
#define VERSIONS 8
#define MOMENTS	 5 /* that a handler on another CPU still takes */

u32 __preempt_count;
bool host_irqs_off;

static const char *mode;
static u8 *site_at[SITES] = { (u8 *)image + 3, (u8 *)image + 20, (u8 *)image + 43 };
static struct text_patch patches[SITES];

/* The values that each byte has had since the last synchronization; the last one is in memory. */
static u8 seen[SITES][TEXT_PATCH_SIZE][VERSIONS];
static unsigned versions[SITES][TEXT_PATCH_SIZE];
static bool trapped; /* a CPU may still stand at an int3 */
static unsigned writes, syncs, waits;
static bool one_reader; /* a handler on another CPU is reading the batch */
static const char *reader_began; /* when */

/* What text_patch.c has stored in live_batch. */
static struct text_patch_batch *published, *last_published;
static struct text_patch_batch published_fields; /* those of *published at the time of the store */
static bool fields_ordered; /* a release fence has been executed since the last store in live_batch */
static bool null_delayed;   /* the CPU may still execute a load before the store of NULL in live_batch */

static void __attribute__((noreturn, format(printf, 1, 2))) broken(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	exit(1);
}

static bool is_mode(const char *name)
{
	return !strcmp(mode, name);
}

/* ---- the other CPUs ---- */

static bool same(const u8 *a, const u8 *b, size_t size)
{
	return !memcmp(a, b, size);
}

/* A CPU fetches `first`, then a tail of any mixture: each byte must belong to the same instruction as `first`. */
static void check_fetch(unsigned n, u8 first)
{
	const struct text_patch *patch = &patches[n];

	if (first == INT3)
		return;
	for (unsigned i = 1; i < TEXT_PATCH_SIZE; i++)
		for (unsigned v = 0; v < versions[n][i]; v++) {
			u8 byte = seen[n][i][v];

			if (first == patch->old[0] && byte == patch->old[i])
				continue;
			if (first == patch->new[0] && byte == patch->new[i])
				continue;
			broken("a CPU that fetches the first byte %02x together with the byte %02x at +%u, which belongs to another instruction (writes so far: %u, synchronizations: %u)",
			       first, byte, i, writes, syncs);
		}
}

static void fetch_everything(void)
{
	for (unsigned n = 0; n < SITES; n++)
		for (unsigned v = 0; v < versions[n][0]; v++)
			check_fetch(n, seen[n][0][v]);
}

/* A CPU has executed the int3 of a site: the handler must know it. */
static void trap(unsigned n)
{
	struct pt_regs regs = { .ip = (unsigned long)site_at[n] + 1 };

	if (!text_patch_int3(&regs))
		broken("a CPU that executes the int3 of a site, whose handler does not find the site: live_batch is %s (writes so far: %u, synchronizations: %u)",
		       live_batch ? "set" : "NULL", writes, syncs);
}

static void trap_at_breakpoints(void)
{
	for (unsigned n = 0; n < SITES; n++)
		for (unsigned v = 0; v < versions[n][0]; v++)
			if (seen[n][0][v] == INT3) {
				trapped = true;
				trap(n);
			}
}

static void a_reader_begins(const char *when)
{
	one_reader = true;
	reader_began = when;
	__atomic_fetch_add(&handlers, 1, __ATOMIC_SEQ_CST);
}

static void loading(const volatile void *p)
{
	if (is_mode("readers") && p == &handlers && null_delayed)
		broken("a load of handlers that the CPU may execute before its store of NULL in live_batch: a handler that begins between the two is missed");
}

static void __unused fence(int order)
{
	if (order != __ATOMIC_RELAXED && order != __ATOMIC_ACQUIRE)
		fields_ordered = true;
	if (order == __ATOMIC_SEQ_CST)
		null_delayed = false;
}

static void stored(const volatile void *p, int order)
{
	if (order == __ATOMIC_SEQ_CST)
		null_delayed = false;
	if (p != &live_batch)
		return;
	published = live_batch;
	if (live_batch) {
		published_fields = *live_batch;
		if (is_mode("found") && order == __ATOMIC_RELAXED && !fields_ordered)
			broken("a store in live_batch that another CPU may see before the fields of the batch: it is no release store");
	} else {
		null_delayed = order != __ATOMIC_SEQ_CST;
		if (is_mode("readers") && !one_reader)
			a_reader_begins("just before live_batch became NULL");
	}
	fields_ordered = false;
}

/* Before the first int3 is written. */
static void check_publication(void)
{
	if (!live_batch)
		return;
	if (live_batch != published)
		broken("a plain assignment to live_batch, which the compiler may move: it is no release store");
	if (live_batch->patches != published_fields.patches || live_batch->count != published_fields.count)
		broken("a batch that is filled after live_batch points at it: a handler on another CPU may read the fields between");
	if (live_batch == last_published)
		broken("a batch in the same place as the last one: a handler that still searches the last one reads half of each");
	last_published = live_batch;
}

static void look(void)
{
	if (is_mode("order"))
		fetch_everything();
	if (is_mode("found"))
		trap_at_breakpoints();
}

static void note_memory(unsigned n)
{
	for (unsigned i = 0; i < TEXT_PATCH_SIZE; i++) {
		unsigned *count = &versions[n][i];

		if (*count && seen[n][i][*count - 1] == site_at[n][i])
			continue;
		if (*count == VERSIONS)
			broken("a byte that is written more than %u times without a synchronization", VERSIONS);
		seen[n][i][(*count)++] = site_at[n][i];
	}
}

/* ---- what text_patch.c calls ---- */

int text_alias_init(void)
{
	return 0;
}

void text_alias_write(const struct text_patch *patch, size_t count, enum text_step step)
{
	if (is_mode("found") && step == TEXT_STEP_INT3)
		check_publication();
	writes++;
	for (size_t n = 0; n < count; n++, patch++) {
		u8 *site = (u8 *)patch->addr;

		if (step == TEXT_STEP_INT3)
			site[0] = INT3;
		else if (step == TEXT_STEP_TAIL)
			memcpy(site + 1, patch->new + 1, TEXT_PATCH_SIZE - 1);
		else if (step == TEXT_STEP_FIRST_BYTE)
			site[0] = patch->new[0];
		else
			memcpy(site, patch->new, TEXT_PATCH_SIZE);
	}
	for (unsigned n = 0; n < SITES; n++)
		note_memory(n);
	look();
}

void text_alias_end(void)
{
}

void text_alias_copy(unsigned long addr, const void *bytes, size_t size)
{
	memcpy((void *)addr, bytes, size);
}

bool is_text_address(unsigned long addr)
{
	return addr >= (unsigned long)_stext && addr < (unsigned long)_etext;
}

/* All CPUs forget what they have fetched. A CPU that has trapped before still reads the batch if one_reader is set. */
void text_sync_all(void)
{
	look();
	syncs++;
	null_delayed = false;
	memset(versions, 0, sizeof(versions));
	for (unsigned n = 0; n < SITES; n++)
		note_memory(n);
	if (is_mode("readers") && !one_reader && !waits && site_at[0][0] == patches[0].new[0])
		a_reader_begins("in the last synchronization");
}

static void wait_a_moment(void)
{
	if (++waits < MOMENTS || !one_reader)
		return;
	__atomic_fetch_sub(&handlers, 1, __ATOMIC_SEQ_CST);
	one_reader = false;
}

int3_handler_t set_int3_handler(int3_handler_t handler)
{
	(void)handler;
	return NULL;
}

static unsigned long pushed, called;

void int3_emulate_call(struct pt_regs *regs, unsigned long ret, unsigned long target)
{
	pushed = ret;
	called = target;
	regs->ip = target;
}

void mutex_lock(struct mutex *m)
{
	(void)m;
}

void mutex_unlock(struct mutex *m)
{
	(void)m;
}

/* ---- the modes ---- */

static const u8 other_insn[TEXT_PATCH_SIZE] = { 0x48, 0x8b, 0x44, 0x24, 0x18 }; /* mov rax, [rsp + 0x18] */

static void make_patch(unsigned n, const u8 *old, const u8 *new)
{
	patches[n].addr = (unsigned long)site_at[n];
	memcpy(patches[n].old, old, TEXT_PATCH_SIZE);
	memcpy(patches[n].new, new, TEXT_PATCH_SIZE);
	memcpy(site_at[n], old, TEXT_PATCH_SIZE);
}

/* Changes the first count sites. */
static void apply(unsigned count)
{
	size_t bad;
	int error;

	syncs = 0;
	memset(versions, 0, sizeof(versions));
	for (unsigned n = 0; n < SITES; n++)
		note_memory(n);
	error = text_patch_apply(patches, count, &bad);
	if (error)
		broken("the error %d of text_patch_apply()", error);
	for (unsigned n = 0; n < count; n++)
		if (!same(site_at[n], patches[n].new, TEXT_PATCH_SIZE))
			broken("a site that is not changed when text_patch_apply() returns");
}

static void make_calls(void)
{
	u8 call[TEXT_PATCH_SIZE], jmp[TEXT_PATCH_SIZE];

	text_encode_call(call, (unsigned long)site_at[0], (unsigned long)site_at[0] + 0x11223344);
	text_encode_jmp(jmp, (unsigned long)site_at[2], (unsigned long)site_at[2] - 0x1234567);
	make_patch(0, text_nop5, call);
	make_patch(1, call, text_nop5);
	make_patch(2, text_nop5, jmp);
}

/* After the return no CPU may see anything but the new instruction. */
static void check_return(unsigned count)
{
	for (unsigned n = 0; n < count; n++)
		for (unsigned i = 0; i < TEXT_PATCH_SIZE; i++)
			for (unsigned v = 0; v < versions[n][i]; v++)
				if (seen[n][i][v] != patches[n].new[i])
					broken("a CPU that may still fetch the byte %02x after text_patch_apply() has returned: nothing synchronizes the CPUs after the last write",
					       seen[n][i][v]);
}

/* What a CPU does at an int3 that stands for insn. */
static void check_emulation(const char *what, const u8 *old, const u8 *new, unsigned long ip, unsigned long ret)
{
	struct pt_regs regs = { .ip = (unsigned long)site_at[1] + 1 };
	struct text_patch_batch batch = { patches, SITES };
	s64 counted;

	make_patch(1, old, new);
	pushed = called = 0;
	counted = atomic64_read(&breakpoints);
	live_batch = &batch;
	if (!text_patch_int3(&regs))
		broken("an int3 of the batch that text_patch_int3() does not find (%s)", what);
	live_batch = NULL;
	if (regs.ip != ip)
		broken("%s: execution goes on at site%+ld instead of at site%+ld", what, (long)(regs.ip - patches[1].addr),
		       (long)(ip - patches[1].addr));
	if (pushed != ret)
		broken("%s: the return address is %s", what, pushed ? "wrong" : "not pushed");
	counted = atomic64_read(&breakpoints) - counted;
	if (counted != 1)
		broken("%s: one int3, which `breakpoints` counts as %ld", what, (long)counted);
}

/* The handler finds that the int3 has gone: insn is there now. */
static void check_int3_gone(const char *what, const u8 *insn, unsigned long ip)
{
	struct pt_regs regs = { .ip = (unsigned long)site_at[1] + 1 };

	memcpy(site_at[1], insn, TEXT_PATCH_SIZE);
	if (!text_patch_int3_gone(&regs) || regs.ip != ip)
		broken("%s instead of an int3 that has gone: execution goes on at site%+ld instead of at site%+ld", what,
		       (long)(regs.ip - patches[1].addr), (long)(ip - patches[1].addr));
}

/* The batch that the handler has found ends while the handler searches it, and the next one begins. */
static struct text_patch *searched; /* a page that cannot be read before */
static struct text_patch_batch next_batch = { patches, SITES };

static void search_begins(int signal)
{
	(void)signal;
	mprotect(searched, PAGE_SIZE, PROT_READ | PROT_WRITE);
	live_batch = &next_batch;
}

static void next_batch_begins_during_the_search(void)
{
	struct sigaction action = { .sa_handler = search_begins, .sa_flags = SA_RESETHAND };
	struct text_patch_batch batch = { .count = 1 };

	make_calls();
	searched = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	searched[0] = patches[0];
	mprotect(searched, PAGE_SIZE, PROT_NONE);
	sigaction(SIGSEGV, &action, NULL);
	batch.patches = searched;
	live_batch = &batch;
	struct pt_regs regs = { .ip = (unsigned long)site_at[1] + 1 };
	if (!text_patch_int3(&regs))
		broken("a CPU that executes the int3 of a site, whose handler does not find the site: while it searched one batch, that one ended and the next one, which has the site, began");
	live_batch = NULL;
}

static void emulate_all(void)
{
	unsigned long site = (unsigned long)site_at[1];
	struct pt_regs regs = { .ip = site + 1 };
	u8 call[TEXT_PATCH_SIZE], jmp[TEXT_PATCH_SIZE], other_call[TEXT_PATCH_SIZE];
	s64 counted;

	text_encode_call(call, site, site - 0x40);
	text_encode_call(other_call, site, site + 0x7000);
	text_encode_jmp(jmp, site, site + 0x100);
	make_calls();
	check_emulation("a nop that becomes a call", text_nop5, call, site - 0x40, site + 5);
	check_emulation("a call that becomes a nop", call, text_nop5, site + 5, 0);
	check_emulation("a nop that becomes a jmp", text_nop5, jmp, site + 0x100, 0);
	check_emulation("a call that becomes another call", other_call, call, site - 0x40, site + 5);
	check_emulation("a jmp that becomes an instruction that cannot be emulated", jmp, other_insn, site + 0x100, 0);
	check_int3_gone("a nop", text_nop5, site + 5);
	check_int3_gone("an instruction that cannot be emulated", other_insn, site);
	counted = atomic64_read(&breakpoints);
	if (text_patch_int3(&regs))
		broken("text_patch_int3() takes an int3 for its own while there is no batch");
	if (atomic64_read(&breakpoints) != counted)
		broken("`breakpoints` counts an int3 that is not of a batch");
}

int main(int argc, char **argv)
{
	static const unsigned counts[] = { SITES, 1 };

	mode = argc > 1 ? argv[1] : "";
	make_calls();
	if (is_mode("emulate")) {
		emulate_all();
		return 0;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(counts); i++) {
		make_calls();
		apply(counts[i]);
		if (is_mode("final"))
			check_return(counts[i]);
		if (is_mode("rounds") && syncs != 3)
			broken("%u synchronizations of all CPUs for a batch of %u", syncs, counts[i]);
		if (is_mode("found") || is_mode("readers"))
			break;
	}
	if (is_mode("found")) {
		if (!trapped)
			broken("no int3 at any site at any time");
		make_calls();
		apply(1);
		next_batch_begins_during_the_search();
	}
	if (is_mode("readers")) {
		if (!reader_began)
			broken("no batch that a handler could read: live_batch has not been set and made NULL again");
		if (live_batch)
			broken("a return of text_patch_apply() while live_batch still points at the batch: the next handler reads patches that have been freed");
		if (published)
			broken("a plain assignment of NULL to live_batch, which the CPU may delay: a handler that begins before that is missed");
		if (one_reader)
			broken("a return of text_patch_apply() while a handler on another CPU, which began %s, still reads the patches",
			       reader_began);
	}
	return 0;
}
