/*
 * Static branches: an `if` that costs one nop while its condition stays the same.
 *
 * The condition is a static key. Code tests it with static_branch_likely() or
 * static_branch_unlikely(). The test loads nothing and compares nothing. The compiler emits one
 * instruction, a nop or a jmp, and an entry in a table that says where the instruction is. When the
 * key changes, kernel/jump_label.c rewrites the instruction at each such place (each site), while
 * all CPUs run. So a test is nearly free, and a change is expensive: three rounds of interrupts to
 * all CPUs, but not more for many keys in one batch. docs/static-branches.md shows it.
 *
 *	DEFINE_STATIC_KEY_FALSE(tracing_key);
 *
 *	if (static_branch_unlikely(&tracing_key))
 *		trace_it();
 *
 * The code of a test may run in any context, NMI included. One kind of code must not have a test:
 * what the breakpoint handler (#BP) executes. While a site changes it holds a breakpoint, and the
 * handler would hit it again.
 */
#pragma once

#include "kernel/compiler.h"
#ifndef NOP5_HOST
#include "arch/patch/jump_label.h"
#endif

/* Zero is a valid key that is false. The legend of the letters is in jump_label.c. */
struct static_key {
	int enabled;             /* [J] the number of users, 0: false; any context reads */
	u16 sites;               /* [B] entries of this key in the table */
	bool on;                 /* [J] the state of the sites */
	bool changed;            /* [J] the key is in the list of keys to apply */
	struct static_key *next; /* [J] in that list */
};

/* Two types, so that a site knows the initial state of its key when it is compiled. */
struct static_key_false {
	struct static_key key;
};
struct static_key_true {
	struct static_key key;
};

#define STATIC_KEY_FALSE_INIT                                                                      \
	{                                                                                          \
		.key = {.enabled = 0 }                                                             \
	}
#define STATIC_KEY_TRUE_INIT                                                                       \
	{                                                                                          \
		.key = {.enabled = 1, .on = true }                                                 \
	}
#define DEFINE_STATIC_KEY_FALSE(name)  struct static_key_false name = STATIC_KEY_FALSE_INIT
#define DEFINE_STATIC_KEY_TRUE(name)   struct static_key_true name = STATIC_KEY_TRUE_INIT
#define DECLARE_STATIC_KEY_FALSE(name) extern struct static_key_false name
#define DECLARE_STATIC_KEY_TRUE(name)  extern struct static_key_true name

/* x is a pointer to one of the two types. Any other type does not compile. */
#define static_key_is_true_type(x)                                                                 \
	_Generic((x), struct static_key_true * : true, struct static_key_false * : false)

#ifdef NOP5_HOST
#define static_branch_likely(x)   likely(READ_ONCE((x)->key.enabled))
#define static_branch_unlikely(x) unlikely(READ_ONCE((x)->key.enabled))
#else
/*
 * The value of the key. likely: the code for true follows the instruction, and the code for false
 * is elsewhere. unlikely: the other way round. x is a constant address. Any context.
 *
 * Sites of a likely branch jump while the key is false, and those of an unlikely one while it is
 * true.
 */
#define static_branch_likely(x)                                                                    \
	likely(static_key_is_true_type(x) ? !arch_static_branch(&(x)->key, true)                   \
					  : !arch_static_branch_jump(&(x)->key, true))
#define static_branch_unlikely(x)                                                                  \
	unlikely(static_key_is_true_type(x) ? arch_static_branch_jump(&(x)->key, false)            \
					    : arch_static_branch(&(x)->key, false))
#endif

/* The value of the key, read from memory: for slow paths. Any context. */
#define static_key_enabled(x) (READ_ONCE((x)->key.enabled) > 0)

/*
 * Changing a key. All functions return 0, or -EINVAL if a site does not hold the expected bytes:
 * the site is reported and keeps its state, all others change. When a function returns, no CPU will
 * begin to execute the old branch; one that has taken it before may still be inside. Task context,
 * may sleep. In the boot from early initcalls on, interrupts off.
 *
 * enable and disable set the count to 1 and 0: for keys with one user. inc and dec count users.
 */
#define static_branch_enable(x)  static_key_enable(&(x)->key)
#define static_branch_disable(x) static_key_disable(&(x)->key)
#define static_branch_inc(x)     static_key_inc(&(x)->key)
#define static_branch_dec(x)     static_key_dec(&(x)->key)
int static_key_enable(struct static_key *key);
int static_key_disable(struct static_key *key);
int static_key_inc(struct static_key *key);
int static_key_dec(struct static_key *key);

/*
 * A batch changes any number of keys with one text_patch_apply(). Other changes wait from begin to
 * end. The sites change at the end. Without memory for all patches, the end makes several smaller
 * changes.
 */
void static_key_batch_begin(void);
void static_key_batch_set(struct static_key *key, bool enable);
void static_key_batch_add(struct static_key *key, int users); /* 1: as inc, -1: as dec */
int static_key_batch_end(void);

/*
 * Besides branches a key has sites of a second kind, instruction sites: an instruction that does
 * work, such as CLI, and is a call of a thunk while the key is on. The thunk does that work, too.
 * So they cost nothing while they are off. Only arch/irq/preemptirq.h has such instructions.
 */
#define JUMP_ENTRY_LIKELY 1UL /* a likely branch */
#define JUMP_ENTRY_INSN   2UL /* an instruction site */
#define JUMP_ENTRY_BITS   3UL

/* One site. An entry is 16 bytes; the assembly in arch/patch/jump_label.h emits it. */
struct jump_entry {
	s32 code;   /* the instruction; from the assembler relative to this field, */
	s32 target; /* where the jmp leads, or the insn_site; after the boot's sort the address */
	unsigned long key; /* the static_key, and JUMP_ENTRY_* */
};

/* After the boot's sort. The addresses are sign-extended 32-bit numbers (-mcmodel=kernel). */
static inline unsigned long jump_entry_code(const struct jump_entry *entry)
{
	return (unsigned long)(long)entry->code;
}

static inline unsigned long jump_entry_target(const struct jump_entry *entry)
{
	return (unsigned long)(long)entry->target;
}

static inline struct static_key *jump_entry_key(const struct jump_entry *entry)
{
	return (struct static_key *)(entry->key & ~JUMP_ENTRY_BITS);
}

/* The size of the instruction at addr of the image or a module if it is a site; else 0. Task
 * context. */
unsigned static_key_site_size(unsigned long addr);

/* Whether a static branch jumps to an address in [start, end). Task context. */
bool static_key_jumps_into(unsigned long start, unsigned long end);

/* Drops the entries in [start, end), which is about to be freed. Task context. */
void jump_label_free_text(unsigned long start, unsigned long end);
