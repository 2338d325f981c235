/* Looks up symbols in the table that scripts/kallsyms.c makes. That file describes the layout. */
#include "kernel/kallsyms.h"
#include "kernel/export.h"
#include "kernel/lib/sort.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/locking/spinlock.h"
#include "kernel/rcu/rculist.h"
#include "kernel/sections.h"
#include "kernel/text_events.h"

#define KERNEL_BASE 0xffffffff80000000UL
#define MAGIC       0x6d79736bU /* "ksym" */
#define MARKER_STEP 64

struct kallsyms_header {
	u32 magic, size;
	u32 num_symbols;
	u32 offsets, by_name, markers, token_index, tokens,
		names; /* offsets from the start of the header */
};

extern const u8 __start_kallsyms[], __stop_kallsyms[];

static bool init_text_freed; /* set once, at the end of the boot */

/* NULL: the build has not filled in a table. */
static const struct kallsyms_header *kallsyms_table(void)
{
	const struct kallsyms_header *header = (const void *)__start_kallsyms;

	if ((size_t)(__stop_kallsyms - __start_kallsyms) < sizeof(*header) ||
	    header->magic != MAGIC)
		return NULL;
	return header;
}

static const u32 *u32_array(const struct kallsyms_header *header, u32 offset)
{
	return (const u32 *)((const u8 *)header + offset);
}

static unsigned long symbol_address(const struct kallsyms_header *header, unsigned index)
{
	return KERNEL_BASE + u32_array(header, header->offsets)[index];
}

/*
 * Writes the name of a symbol to name, and returns its type letter.
 *
 * A stored name is a byte with its length and that many bytes. Each of these stands for a token: a
 * piece of text that many names contain. The first character of the text is the type letter. Names
 * have different lengths, so `markers` has the place of every 64th one.
 */
static char expand_symbol(const struct kallsyms_header *header, unsigned index,
			  char name[KSYM_NAME_LEN])
{
	const u8 *base = (const u8 *)header;
	const u16 *token_index = (const u16 *)(base + header->token_index);
	const char *tokens = (const char *)base + header->tokens;
	const u8 *at =
		base + header->names + u32_array(header, header->markers)[index / MARKER_STEP];
	char type = 0;
	size_t n = 0;

	for (unsigned skip = index % MARKER_STEP; skip; skip--)
		at += 1 + *at;
	for (const u8 *value = at + 1; value <= at + *at; value++) {
		const char *text = tokens + token_index[*value];

		if (!type)
			type = *text++;
		while (*text && n + 1 < KSYM_NAME_LEN)
			name[n++] = *text++;
	}
	name[n] = '\0';
	return type;
}

unsigned kallsyms_num_symbols(void)
{
	const struct kallsyms_header *header = kallsyms_table();

	return header ? header->num_symbols : 0;
}

bool kallsyms_get(unsigned index, unsigned long *address, char *type, char name[KSYM_NAME_LEN])
{
	const struct kallsyms_header *header = kallsyms_table();
	char expanded[KSYM_NAME_LEN], letter;

	if (!header || index >= header->num_symbols)
		return false;
	if (address)
		*address = symbol_address(header, index);
	if (type || name) {
		letter = expand_symbol(header, index, name ? name : expanded);
		if (type)
			*type = letter;
	}
	return true;
}

/* Finds the highest symbol address that is not above address, and returns its first symbol. The
 * first symbol of the table must not be above address. */
static unsigned covering_symbol(const struct kallsyms_header *header, unsigned long address)
{
	unsigned symbol = (unsigned)partition_point(header->num_symbols, i,
						    symbol_address(header, (unsigned)i) <= address);

	symbol--;
	while (symbol && symbol_address(header, symbol - 1) == symbol_address(header, symbol))
		symbol--;
	return symbol;
}

static unsigned long end_of_symbol(const struct kallsyms_header *header, unsigned index)
{
	unsigned long start = symbol_address(header, index);

	while (++index < header->num_symbols)
		if (symbol_address(header, index) != start)
			return symbol_address(header, index);
	return (unsigned long)_end;
}

/* ---- code that is made at run time ---- */

static DEFINE_SPINLOCK(dynamic_lock);
static LIST_HEAD(dynamic_symbols); /* [dynamic_lock] to write; RCU */

void kallsyms_add(struct kallsyms_dynamic *symbol)
{
	spin_lock(&dynamic_lock);
	list_add_tail_rcu(&symbol->list, &dynamic_symbols);
	spin_unlock(&dynamic_lock);
	trace_ksymbol(symbol, true);
}

void kallsyms_del(struct kallsyms_dynamic *symbol)
{
	spin_lock(&dynamic_lock);
	list_del_rcu(&symbol->list);
	spin_unlock(&dynamic_lock);
	trace_ksymbol(symbol, false);
}

static void copy_dynamic(struct kallsyms_dynamic *to, const struct kallsyms_dynamic *from)
{
	*to = (struct kallsyms_dynamic){ .address = from->address,
					 .size = from->size,
					 .name = from->name,
					 .module = from->module };
}

bool kallsyms_get_dynamic(unsigned index, struct kallsyms_dynamic *symbol)
{
	struct kallsyms_dynamic *pos;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu (pos, &dynamic_symbols, list) {
		if (index-- == 0) {
			copy_dynamic(symbol, pos);
			found = true;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static bool find_dynamic(unsigned long address, struct kallsyms_dynamic *symbol)
{
	struct kallsyms_dynamic *pos;
	bool found = false;

	rcu_read_lock();
	list_for_each_entry_rcu (pos, &dynamic_symbols, list) {
		if (address - pos->address < pos->size) {
			copy_dynamic(symbol, pos);
			found = true;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static const char *lookup_dynamic(unsigned long address, unsigned long *size, unsigned long *offset,
				  char namebuf[KSYM_NAME_LEN])
{
	struct kallsyms_dynamic symbol;

	if (!find_dynamic(address, &symbol))
		return kallsyms_lookup_module(address, size, offset, namebuf, NULL);
	strscpy(namebuf, symbol.name, KSYM_NAME_LEN);
	if (size)
		*size = symbol.size;
	if (offset)
		*offset = address - symbol.address;
	return namebuf;
}

/* ---- from an address to a name and back ---- */

const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char namebuf[KSYM_NAME_LEN])
{
	const struct kallsyms_header *header = kallsyms_table();
	unsigned index;

	if (address >= (unsigned long)_end)
		return lookup_dynamic(address, size, offset, namebuf);
	if (!header || !header->num_symbols || address < symbol_address(header, 0))
		return NULL;
	index = covering_symbol(header, address);
	expand_symbol(header, index, namebuf);
	if (size)
		*size = end_of_symbol(header, index) - symbol_address(header, index);
	if (offset)
		*offset = address - symbol_address(header, index);
	return namebuf;
}

/* Compares name with the name of the i-th symbol in the order of names, as strcmp(). */
static int compare_name(const struct kallsyms_header *header, const char *name, unsigned i)
{
	char candidate[KSYM_NAME_LEN];

	expand_symbol(header, u32_array(header, header->by_name)[i], candidate);
	return strcmp(name, candidate);
}

int kallsyms_on_each_match_symbol(int (*fn)(void *data, unsigned long address), const char *name,
				  void *data)
{
	const struct kallsyms_header *header = kallsyms_table();
	unsigned count = header ? header->num_symbols : 0;
	unsigned n =
		(unsigned)partition_point(count, i, compare_name(header, name, (unsigned)i) > 0);
	int ret = 0;

	for (; n < count && !ret && !compare_name(header, name, n); n++)
		ret = fn(data, symbol_address(header, u32_array(header, header->by_name)[n]));
	return ret;
}

static int take_first(void *data, unsigned long address)
{
	*(unsigned long *)data = address;
	return 1;
}

unsigned long kallsyms_lookup_name(const char *name)
{
	const char *colon = strchr(name, ':');
	unsigned long address = 0;

	if (colon) {
		char module[KSYM_MODULE_LEN];

		if (strscpy(module, name, min(sizeof(module), (size_t)(colon - name) + 1)) < 0 &&
		    (size_t)(colon - name) >= sizeof(module))
			return 0;
		return kallsyms_find_in_module(module, colon + 1);
	}
	if (!kallsyms_on_each_match_symbol(take_first, name, &address))
		address = kallsyms_find_in_module(NULL, name);
	return address;
}

int kallsyms_on_each_symbol(int (*fn)(void *data, const char *name, unsigned long address),
			    void *data)
{
	char name[KSYM_NAME_LEN];
	unsigned long address;

	for (unsigned i = 0; kallsyms_get(i, &address, NULL, name); i++) {
		int ret = fn(data, name, address);

		if (ret)
			return ret;
	}
	return 0;
}

static int print_symbol(char *buffer, unsigned long address, unsigned long back, bool with_offset)
{
	char name[KSYM_NAME_LEN], of[KSYM_MODULE_LEN], module[KSYM_MODULE_LEN] = "";
	struct kallsyms_dynamic symbol;
	unsigned long size, offset;

	if (address >= (unsigned long)_end && find_dynamic(address - back, &symbol))
		snprintf(module, sizeof(module), " [%s]", symbol.module);
	if (!*module && address >= (unsigned long)_end &&
	    kallsyms_lookup_module(address - back, &size, &offset, name, of))
		snprintf(module, sizeof(module), " [%s]", of);
	else if (!kallsyms_lookup(address - back, &size, &offset, name))
		return snprintf(buffer, KSYM_SYMBOL_LEN, "0x%lx", address);
	if (!with_offset)
		return snprintf(buffer, KSYM_SYMBOL_LEN, "%s%s", name, module);
	return snprintf(buffer, KSYM_SYMBOL_LEN, "%s+0x%lx/0x%lx%s", name, offset + back, size,
			module);
}

int sprint_symbol(char *buffer, unsigned long address)
{
	return print_symbol(buffer, address, 0, true);
}
EXPORT_SYMBOL_GPL(sprint_symbol);

int sprint_symbol_no_offset(char *buffer, unsigned long address)
{
	return print_symbol(buffer, address, 0, false);
}
EXPORT_SYMBOL_GPL(sprint_symbol_no_offset);

int sprint_backtrace(char *buffer, unsigned long address)
{
	return print_symbol(buffer, address, 1, true);
}
EXPORT_SYMBOL_GPL(sprint_backtrace);

BUILD_BUG_ON(KSYM_SYMBOL_LEN > VSPRINTF_SYMBOL_MAX);

size_t vsprintf_symbol(char *buf, size_t size __unused, unsigned long address, char form)
{
	return (size_t)print_symbol(buf, address, form == 'B', form != 's');
}

__kprobes /* the breakpoint handler uses it */
bool is_kernel_text(unsigned long address)
{
	if (address >= (unsigned long)_stext && address < (unsigned long)_etext)
		return true;
	return !READ_ONCE(init_text_freed) && address >= (unsigned long)__init_begin &&
	       address < (unsigned long)__init_text_end;
}

void kallsyms_init_text_freed(void)
{
	WRITE_ONCE(init_text_freed, true);
}
