/* Places of probes in the kernel: probe_place.h. */
#include "trace/probe_events/probe_place.h"

#include "kernel/errno.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/module_list.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rcu.h"
#include "trace/core/options.h"
#include "trace/core/output.h"
#include "trace/kprobes/kprobes.h"

const char fprobe_location[] = "trace_fprobe";

/* ---- commands ---- */

int probe_parse_maxactive(const struct probe_command *command, bool is_return, int *maxactive)
{
	char *digits = command->argv[0] + 1, number[16];
	size_t length = strcspn(digits, ":");
	unsigned value;

	if (!isdigit(*digits))
		return 0;
	if (!is_return)
		return probe_error(command, PROBE_ERR_BAD_MAXACT_TYPE, 0, digits);
	if (length >= sizeof(number))
		return probe_error(command, PROBE_ERR_BAD_MAXACT, 0, digits);
	strscpy(number, digits, length + 1);
	if (kstrtouint(number, 0, &value) || !value)
		return probe_error(command, PROBE_ERR_BAD_MAXACT, 0, digits);
	if (value > PROBE_MAXACTIVE_MAX)
		return probe_error(command, PROBE_ERR_MAXACT_TOO_BIG, 0, digits);
	*maxactive = (int)value;
	return 0;
}

static int count_symbol(void *data, unsigned long address __unused)
{
	unsigned *count = data;

	return ++*count > 1;
}

int probe_check_symbol(const struct probe_command *command, const char *symbol)
{
	unsigned count = 0;

	if (strchr(symbol, ':'))
		return 0;
	kallsyms_on_each_match_symbol(count_symbol, symbol, &count);
	if (count > 1) {
		(void)probe_error(command, PROBE_ERR_NON_UNIQ_SYMBOL, 1, NULL);
		return -EADDRNOTAVAIL;
	}
	if (!count && !kallsyms_find_in_module(NULL, symbol)) {
		(void)probe_error(command, PROBE_ERR_BAD_PROBE_ADDR, 1, NULL);
		return -ENOENT;
	}
	return 0;
}

unsigned probe_find_retval(const struct probe_command *command)
{
	for (unsigned word = 2; word < command->argc; word++) {
		const char *at = strstr(command->argv[word], "$retval");

		if (at && !isalnum(at[7]) && at[7] != '_')
			return word;
	}
	return 0;
}

void probe_clean_name(char *name)
{
	for (; *name; name++)
		if (!isalnum(*name))
			*name = '_';
}

void probe_log_begin_error(const struct probe_command *command, int error)
{
	if (error == -EILSEQ)
		(void)probe_error(command, PROBE_ERR_BAD_INSN_BNDRY, 1, NULL);
	else if (error == -ENOENT)
		(void)probe_error(command, PROBE_ERR_BAD_PROBE_ADDR, 1, NULL);
	else if (error != -ENOMEM && error != -EEXIST)
		(void)probe_error(command, PROBE_ERR_FAIL_REG_PROBE, 1, NULL);
}

/* ---- modules ---- */

bool probe_module_is_there(const char *symbol)
{
	size_t length = strcspn(symbol, ":");
	const struct module *module;
	char name[MODULE_NAME_LEN];
	bool there;

	if (!symbol[length])
		return true;
	if (length >= sizeof(name))
		return false;
	strscpy(name, symbol, length + 1);
	rcu_read_lock();
	module = find_module(name);
	there = module && kprobe_module_is_ready(module);
	rcu_read_unlock();
	return there;
}

bool probe_names_module(const char *symbol, const struct module *module)
{
	size_t length = strlen(module->name);

	return strncmp(symbol, module->name, length) == 0 && symbol[length] == ':';
}

void probe_warn_of_waiting(const struct trace_probe_ops *ops)
{
	pr_warn("%s: This probe might be able to register after target module is loaded. "
		"Continue.\n",
		ops->location);
}

void probe_warn_of_module(const struct trace_probe *probe, const struct module *module, int error)
{
	pr_warn("%s: Failed to re-register probe %s on %s: %d\n", probe->ops->location,
		probe->event->name, module->name, error);
}

/* ---- entries ---- */

static void print_ip(struct trace_iterator *iter)
{
	const struct probe_entry *entry = (const struct probe_entry *)iter->ent;

	trace_seq_putc(&iter->seq, '(');
	seq_print_ip_sym(&iter->seq, entry->ip, trace_iter_flags(iter) | TRACE_ITER_SYM_OFFSET);
	trace_seq_putc(&iter->seq, ')');
}

static void print_return(struct trace_iterator *iter)
{
	const struct probe_return_entry *entry = (const struct probe_return_entry *)iter->ent;
	u64 flags = trace_iter_flags(iter);

	trace_seq_putc(&iter->seq, '(');
	seq_print_ip_sym(&iter->seq, entry->ret_ip, flags | TRACE_ITER_SYM_OFFSET);
	trace_seq_puts(&iter->seq, " <- ");
	seq_print_ip_sym(&iter->seq, entry->func, flags & ~(u64)TRACE_ITER_SYM_OFFSET);
	trace_seq_putc(&iter->seq, ')');
}

void probe_print_place(struct trace_iterator *iter, const struct trace_probe *probe)
{
	if (probe->sources->flags & PROBE_FL_RETURN)
		print_return(iter);
	else
		print_ip(iter);
}
