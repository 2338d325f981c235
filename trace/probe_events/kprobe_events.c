/*
 * Events at any instruction of the kernel (Documentation/trace/kprobetrace.rst):
 *
 *	p[:[GROUP/][NAME]] [MODULE:]SYMBOL[+OFFSET]|ADDRESS [ARGUMENT…]
 *	r[MAXACTIVE][:[GROUP/][NAME]] [MODULE:]SYMBOL[+0] [ARGUMENT…]
 *	p[:[GROUP/][NAME]] [MODULE:]SYMBOL[+0]%return [ARGUMENT…]
 *
 * kprobe_files.c has the files.
 */
#include "trace/probe_events/kprobe_events.h"

#include "arch/unwind/regs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/cpumask.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/kallsyms.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/slab.h"
#include "kernel/module_list.h"
#include "trace/core/output.h"
#include "trace/probe_events/probe_place.h"

static struct trace_kprobe *to_trace_kprobe(const struct trace_probe *probe)
{
	return container_of(probe, struct trace_kprobe, probe);
}

/* ---- hits; any context, preemption off ---- */

static __always_inline struct trace_kprobe *count_hit(struct kprobe *p)
{
	struct trace_kprobe *tk = container_of(p, struct trace_kprobe, rp.kp);

	tk->hits[smp_processor_id_stable()].count++;
	return tk;
}

static __hit int kprobe_hit(struct kprobe *p, struct pt_regs *regs)
{
	struct trace_kprobe *tk = count_hit(p);

	trace_probe_hit(&tk->probe, &tk->addr, 1, regs);
	return 0;
}

/* The same for an event without arguments, which keeps fewer registers. */
static __hit int kprobe_hit_without_args(struct kprobe *p, struct pt_regs *regs __unused)
{
	struct trace_kprobe *tk = count_hit(p);

	trace_probe_hit_without_args(&tk->probe, &tk->addr, 1);
	return 0;
}

/* Keeps the arguments of the call for its return. */
static int kretprobe_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (rp)
		probe_entry_args_store(&container_of(rp, struct trace_kprobe, rp)->probe.entry_args,
				       regs, ri->data);
	return !rp;
}

static __hit int kretprobe_hit(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct trace_kprobe *tk;
	unsigned long head[2];

	if (!rp)
		return 0;
	tk = count_hit(&rp->kp);
	head[0] = tk->addr;
	head[1] = get_kretprobe_retaddr(ri);
	regs->orig_ax = (unsigned long)ri->data; /* struct probe_entry_args */
	trace_probe_hit(&tk->probe, head, 2, regs);
	return 0;
}

static __hit int kretprobe_hit_without_args(struct kretprobe_instance *ri,
					    struct pt_regs *regs __unused)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct trace_kprobe *tk;

	if (rp) {
		tk = count_hit(&rp->kp);
		trace_probe_hit_without_args(
			&tk->probe, (unsigned long[]){ tk->addr, get_kretprobe_retaddr(ri) }, 2);
	}
	return 0;
}

/* ---- the probe ---- */

/* Its module has gone. When the module comes again, the probe is registered again. */
static bool has_gone(const struct trace_kprobe *tk)
{
	return tk->rp.kp.flags & KPROBE_FLAG_GONE;
}

static int enable(struct trace_probe *probe)
{
	struct trace_kprobe *tk = to_trace_kprobe(probe);

	if (!tk->registered || has_gone(tk))
		return 0;
	return tk->is_return ? enable_kretprobe(&tk->rp) : enable_kprobe(&tk->rp.kp);
}

static void disable(struct trace_probe *probe)
{
	struct trace_kprobe *tk = to_trace_kprobe(probe);

	if (!tk->registered || has_gone(tk))
		return;
	if (tk->is_return)
		disable_kretprobe(&tk->rp);
	else
		disable_kprobe(&tk->rp.kp);
}

static void unregister(struct trace_probe *probe)
{
	struct trace_kprobe *tk = to_trace_kprobe(probe);

	if (!tk->registered)
		return;
	if (tk->is_return)
		unregister_kretprobe(&tk->rp);
	else
		unregister_kprobe(&tk->rp.kp);
	tk->registered = false;
}

/*
 * Whether the values need no other registers than those that a kprobe at an entry, or a return
 * probe, has with args_only.
 */
static bool needs_few_registers(const struct trace_kprobe *tk)
{
	for (unsigned i = 0; i < tk->probe.nr_args; i++) {
		const struct probe_source *source = &tk->probe.args[i].source;

		if (source->kind != PROBE_SOURCE_REGISTER)
			continue;
		if (tk->is_return ? source->value != REGS_RESULT_OFFSET
				  : !regs_is_argument((int)source->value))
			return false;
	}
	return true;
}

/* Whether a symbol covers the address. */
static bool is_known(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return kallsyms_lookup(addr, NULL, NULL, name) != NULL;
}

static int begin(struct trace_probe *probe)
{
	struct trace_kprobe *tk = to_trace_kprobe(probe);
	int error = probe_args_resolve(probe->args, probe->nr_args);
	bool needs_regs = probe->nr_args || tk->keeps_registers;
	bool there = tk->symbol &&
		     probe_module_is_there(tk->symbol); /* if not, module_coming() will be called */

	if (error)
		return error;
	if (tk->symbol)
		tk->addr = kallsyms_lookup_name(tk->symbol);
	if (there && !tk->addr)
		return -ENOENT;
	/* As on Linux, the address need not be in a symbol's code yet. */
	if (tk->symbol ? !there : !is_known(tk->addr)) {
		probe_warn_of_waiting(probe->ops);
		return 0;
	}
	tk->addr += tk->offset;
	if (!is_known(tk->addr))
		return -ENOENT;
	tk->rp.kp.addr = tk->addr;
	tk->rp.data_size = probe->entry_args.count * sizeof(u64);
	tk->rp.entry_handler = probe->entry_args.count ? kretprobe_entry : NULL;
	if (tk->is_return)
		tk->rp.handler = needs_regs ? kretprobe_hit : kretprobe_hit_without_args;
	else
		tk->rp.kp.pre_handler = needs_regs ? kprobe_hit : kprobe_hit_without_args;
	tk->rp.kp.flags = trace_probe_is_enabled(probe) ? 0 : KPROBE_FLAG_DISABLED;
	tk->rp.args_only = tk->rp.kp.args_only = !tk->keeps_registers && needs_few_registers(tk);
	error = tk->is_return ? register_kretprobe(&tk->rp) : register_kprobe(&tk->rp.kp);
	tk->registered = !error;
	return error;
}

/* Begins again, for a program. Hits in between are missed, as before the program came. */
static int keep_registers(struct trace_probe *probe)
{
	struct trace_kprobe *tk = to_trace_kprobe(probe);

	if (tk->keeps_registers)
		return 0;
	tk->keeps_registers = true;
	if (!tk->registered || has_gone(tk))
		return 0;
	unregister(probe);
	return begin(probe);
}

static void free_kprobe(struct trace_probe *probe)
{
	struct trace_kprobe *tk = to_trace_kprobe(probe);

	trace_probe_free_args(probe);
	kfree(tk->hits);
	kfree(tk->symbol);
	kfree(tk);
}

/* Prints the place as commands name it: "vfs_read+5" or "0xffffffff80138070". */
static void place_text(const struct trace_kprobe *tk, char *text, size_t size)
{
	if (!tk->symbol)
		snprintf(text, size, "0x%016lx", tk->addr);
	else if (tk->offset)
		snprintf(text, size, "%s+%u", tk->symbol, tk->offset);
	else
		snprintf(text, size, "%s", tk->symbol);
}

static bool match_place(const struct trace_probe *probe, const char *word)
{
	char text[KSYM_NAME_LEN + KSYM_MODULE_LEN + 16];

	place_text(to_trace_kprobe(probe), text, sizeof(text));
	return strcmp(text, word) == 0;
}

static bool is_same_place(const struct trace_probe *a, const struct trace_probe *b)
{
	char text[KSYM_NAME_LEN + KSYM_MODULE_LEN + 16];

	place_text(to_trace_kprobe(a), text, sizeof(text));
	return match_place(b, text);
}

static const struct trace_probe_ops kprobe_ops = {
	.location = "trace_kprobe",
	.begin = begin,
	.log_error = probe_log_begin_error,
	.enable = enable,
	.disable = disable,
	.keep_registers = keep_registers,
	.unregister = unregister,
	.free = free_kprobe,
	.match_place = match_place,
	.is_same_place = is_same_place,
	.print_place = probe_print_place,
};

static const struct probe_arg_sources entry_sources = { .flags = PROBE_FL_REGS | PROBE_FL_ENTRY };
static const struct probe_arg_sources inner_sources = { .flags = PROBE_FL_REGS };
static const struct probe_arg_sources return_sources = { .flags = PROBE_FL_REGS | PROBE_FL_RETURN };

/* ---- commands ---- */

/* What the first two words of a command say. */
struct definition {
	bool is_return;
	int maxactive;
	char *event;  /* behind the colon, in the first word; or NULL */
	char *symbol; /* allocated; or NULL, and */
	unsigned long addr;
	unsigned offset;
	bool at_entry; /* of a function */
};

/* Returns 0 if the probe is at the entry of a function, or if its module is not there yet. */
static int check_entry(const struct definition *def)
{
	unsigned long addr = kallsyms_lookup_name(def->symbol), offset;
	char name[KSYM_NAME_LEN];

	if (!addr)
		return 0;
	return kallsyms_lookup(addr + def->offset, NULL, &offset, name) && !offset ? 0 : -EINVAL;
}

/* Parses "SYMBOL[+OFFSET][%return]". */
static int parse_symbol(const struct probe_command *command, struct definition *def)
{
	const char *word = command->argv[1];
	char *suffix, *sign;
	long offset = 0;
	int error;

	def->symbol = kstrdup(word, GFP_KERNEL);
	if (!def->symbol)
		return -ENOMEM;
	suffix = strchr(def->symbol, '%');
	if (suffix) {
		if (strcmp(suffix, "%return") != 0)
			return probe_error(command, PROBE_ERR_BAD_ADDR_SUFFIX, 1,
					   word + (suffix - def->symbol));
		*suffix = '\0';
		def->is_return = true;
	}
	sign = def->symbol + strcspn(def->symbol, "+-");
	if (*sign) {
		if (sign[1] == '-' || kstrtol(sign + (*sign == '+'), 0, &offset) || offset < 0 ||
		    offset > (long)(u32)-1)
			return probe_error(command, PROBE_ERR_BAD_PROBE_ADDR, 1, NULL);
		*sign = '\0';
		def->offset = (unsigned)offset;
	}
	error = probe_check_symbol(command, def->symbol);
	if (error)
		return error;
	def->at_entry = check_entry(def) == 0;
	if (def->is_return && !def->at_entry)
		return probe_error(command, PROBE_ERR_BAD_RETPROBE, 1, NULL);
	return 0;
}

/* 0, -ECANCELED: the command defines something else, or another errno. */
static int parse_definition(const struct probe_command *command, struct definition *def)
{
	const char *word = command->argv[1];
	int error;

	def->is_return = *command->argv[0] == 'r';
	def->event = strchr(command->argv[0] + 1, ':');
	if (def->event)
		def->event++;
	error = probe_parse_maxactive(command, def->is_return, &def->maxactive);
	if (error)
		return error;
	if (kstrtoul(word, 0, &def->addr) == 0)
		return 0;
	if (strchr(word, '/') && strchr(word, ':'))
		return -ECANCELED; /* a place in a file: an event of a uprobe */
	return parse_symbol(command, def);
}

/* The name of an event without one: "p_vfs_read_0". */
static void make_name(const struct definition *def, char name[PROBE_EVENT_MAX])
{
	char kind = def->is_return ? 'r' : 'p';

	if (def->symbol)
		snprintf(name, PROBE_EVENT_MAX, "%c_%s_%u", kind, def->symbol, def->offset);
	else
		snprintf(name, PROBE_EVENT_MAX, "%c_0x%016lx", kind, def->addr);
	probe_clean_name(name);
}

static const struct probe_arg_sources *sources_of(const struct definition *def)
{
	if (def->is_return)
		return &return_sources;
	return def->at_entry ? &entry_sources : &inner_sources;
}

static struct trace_kprobe *alloc_kprobe(struct definition *def)
{
	struct trace_kprobe *tk = kzalloc(sizeof(*tk), GFP_KERNEL);

	if (!tk)
		return NULL;
	tk->hits = kcalloc(nr_cpu_ids, sizeof(*tk->hits), GFP_KERNEL);
	if (!tk->hits) {
		kfree(tk);
		return NULL;
	}
	tk->probe.ops = &kprobe_ops;
	tk->probe.sources = sources_of(def);
	tk->symbol = def->symbol;
	def->symbol = NULL;
	tk->addr = def->addr;
	tk->offset = def->offset;
	tk->is_return = def->is_return;
	tk->rp.maxactive = def->maxactive;
	return tk;
}

/* Runs a command that has two words at least. */
static int run(struct probe_command *command, struct definition *def)
{
	int error = parse_definition(command, def);
	struct trace_kprobe *tk;
	char made[PROBE_EVENT_MAX];

	if (!error && def->at_entry)
		command->func = kallsyms_lookup_name(def->symbol);
	if (error)
		return error;
	make_name(def, made);
	tk = alloc_kprobe(def);
	if (!tk)
		return -ENOMEM;
	return trace_probe_create(&tk->probe, command, def->event, "kprobes", made,
				  kprobe_event_file.ops);
}

static int create(const char *line)
{
	struct definition def = { .symbol = NULL };
	struct probe_command command;
	int error;

	line = skip_spaces(line);
	if (*line != 'p' && *line != 'r')
		return -ECANCELED;
	error = probe_command_init(&command, kprobe_ops.location, line);
	if (!error)
		error = command.argc < 2 ? -ECANCELED : run(&command, &def);
	probe_command_free(&command);
	kfree(def.symbol);
	return error;
}

/* ---- dynamic_events ---- */

/* Prints the event as a command that creates it. E held. */
static void show(struct seq_file *m, struct dyn_event *dyn)
{
	const struct trace_kprobe *tk = to_trace_kprobe(to_trace_probe(dyn));
	char text[KSYM_NAME_LEN + KSYM_MODULE_LEN + 16];

	place_text(tk, text, sizeof(text));
	if (tk->is_return)
		seq_printf(m, "r%d", tk->rp.maxactive ?: max(10, 2 * (int)nr_cpu_ids));
	else
		seq_putc(m, 'p');
	seq_printf(m, ":%s/%s %s", tk->probe.event->group, tk->probe.event->name, text);
	trace_probe_show_args(m, &tk->probe);
}

/* Prints the name, the hits, and the hits without a record. E held. */
static void show_profile(struct seq_file *m, struct dyn_event *dyn)
{
	const struct trace_kprobe *tk = to_trace_kprobe(to_trace_probe(dyn));
	u64 hits = 0, missed = (u64)atomic64_read(&tk->rp.kp.nmissed);

	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++)
		hits += READ_ONCE(tk->hits[cpu].count);
	if (tk->is_return)
		missed += (u64)atomic64_read(&tk->rp.nmissed);
	seq_printf(m, "  %-44s %15lu %15lu\n", tk->probe.event->name, hits, missed);
}

DYN_EVENT_OPERATIONS(kprobe) = {
	.create = create,
	.show = show,
	.is_busy = trace_probe_is_busy,
	.free = trace_probe_release,
	.match = trace_probe_match,
};
const struct dyn_event_file kprobe_event_file = { .ops = &kprobe_dyn_event_ops };
const struct dyn_event_file kprobe_profile_file = { .ops = &kprobe_dyn_event_ops,
						    .show = show_profile };

/* ---- modules that come ---- */

/* Registers the probes of the module. Those of a module of this name that has gone are GONE. */
static int module_coming(struct module *module)
{
	struct dyn_event *dyn;

	mutex_lock(&event_mutex);
	list_for_each_entry (dyn, &dyn_event_list, list) {
		struct trace_probe *probe = to_trace_probe(dyn);
		int error;

		if (dyn->ops != &kprobe_dyn_event_ops || !to_trace_kprobe(probe)->symbol ||
		    !probe_names_module(to_trace_kprobe(probe)->symbol, module))
			continue;
		unregister(probe);
		error = begin(probe);
		if (error)
			probe_warn_of_module(probe, module, error);
	}
	mutex_unlock(&event_mutex);
	return 0;
}

MODULE_NOTIFIER(MODULE_CHAIN_PROBE_EVENTS) = { .coming = module_coming };
