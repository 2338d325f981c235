/*
 * Events at any instruction of a file, in all programs (Documentation/trace/uprobetracer.rst):
 *
 *	p[:[GROUP/][NAME]] PATH:OFFSET[(COUNTER)] [ARGUMENT…]
 *	r[:[GROUP/][NAME]] PATH:OFFSET[(COUNTER)] [ARGUMENT…]
 *	p[:[GROUP/][NAME]] PATH:OFFSET%return[(COUNTER)] [ARGUMENT…]
 *
 * A record is made in the task's own buffer, because reading user memory may sleep, and then copied
 * into the ring buffers. uprobe_files.c has the files.
 */
#include "trace/probe_events/uprobe_events.h"

#include "fs/vfs/fs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/mm/slab.h"
#include "kernel/printk/printk.h"
#include "kernel/rcu/rculist.h"
#include "trace/core/output.h"
#include "trace/probe_events/trace_probe.h"
#include "trace/uprobes/uprobes.h"

struct trace_uprobe {
	struct trace_probe probe;        /* own legend */
	struct uprobe_consumer consumer; /* own legend */
	struct path path;                /* of the file, with references */
	char *filename;                  /* as the user wrote it */
	unsigned long offset, ref_ctr_offset;
	bool is_return;
	bool reads_memory; /* an argument is more than a register */
	bool registered;   /* [E] */
	atomic64_t hits;   /* [A] */
};                         /* no letter: constant once created */

static struct trace_uprobe *to_trace_uprobe(const struct trace_probe *probe)
{
	return container_of(probe, struct trace_uprobe, probe);
}

/* ---- hits; task context, may sleep ---- */

/* In uprobe_task_buffer(). */
struct hit_buffer {
	unsigned long file_start; /* where the byte 0 of the file would be in the program */
	unsigned long reserved;
	u8 record[PAGE_SIZE - 2 * sizeof(unsigned long)];
};
BUILD_BUG_ON(sizeof(struct hit_buffer) != PAGE_SIZE);

/* An argument @+OFFSET: the address at which the program has that byte of the file. */
static u64 fetch_file_address(const struct probe_source *source, const void *context __unused)
{
	const struct hit_buffer *buffer = uprobe_task_buffer();

	return buffer->file_start + source->value;
}

static const struct probe_arg_sources entry_sources = {
	.flags = PROBE_FL_REGS | PROBE_FL_USER,
	.fetch = fetch_file_address,
};
static const struct probe_arg_sources return_sources = {
	.flags = PROBE_FL_REGS | PROBE_FL_USER | PROBE_FL_RETURN,
	.fetch = fetch_file_address,
};

/* Copies a record into the buffer of each trace_array in which the event is enabled. */
static void write_records(const struct trace_probe *probe, const u8 *record, size_t size,
			  struct pt_regs *regs)
{
	const struct trace_probe_file *link;

	preempt_disable();
	list_for_each_entry_rcu (link, &probe->event->files, list) {
		struct trace_event_buffer buffer;
		u8 *entry;

		if (!trace_probe_passes(link->file, regs))
			continue;
		entry = trace_event_buffer_reserve(&buffer, link->file, size);
		if (!entry)
			continue;
		memcpy(entry + sizeof(struct trace_entry), record + sizeof(struct trace_entry),
		       size - sizeof(struct trace_entry));
		trace_event_buffer_commit(&buffer);
	}
	preempt_enable();
}

static void record_hit(const struct trace_uprobe *tu, const unsigned long *head, unsigned nr_head,
		       unsigned long address, struct pt_regs *regs)
{
	const struct trace_probe *probe = &tu->probe;
	struct hit_buffer *buffer;
	size_t size;

	if (!tu->reads_memory) {
		preempt_disable();
		trace_probe_hit(probe, head, nr_head, regs);
		preempt_enable();
		return;
	}
	buffer = uprobe_task_buffer();
	if (!buffer)
		return;
	buffer->file_start = address - tu->offset;
	size = probe->static_size;
	if (probe->has_strings)
		size += probe_args_data_size(probe->args, probe->nr_args, probe->sources, regs);
	size = min(size, sizeof(buffer->record)); /* what does not fit is cut */
	memcpy(buffer->record + sizeof(struct trace_entry), head, nr_head * sizeof(*head));
	probe_args_store(probe->args, probe->nr_args, probe->sources, regs, buffer->record,
			 probe->static_size, size);
	write_records(probe, buffer->record, size, regs);
}

static void uprobe_hit(struct uprobe_consumer *consumer, struct pt_regs *regs)
{
	struct trace_uprobe *tu = container_of(consumer, struct trace_uprobe, consumer);
	unsigned long ip = regs->ip;

	atomic64_inc(&tu->hits);
	record_hit(tu, &ip, 1, ip, regs);
}

/* uprobe_profile counts the calls of a function, as Linux does, and not its returns. */
static void count_call(struct uprobe_consumer *consumer, struct pt_regs *regs __unused)
{
	atomic64_inc(&container_of(consumer, struct trace_uprobe, consumer)->hits);
}

static void uretprobe_hit(struct uprobe_consumer *consumer, unsigned long func,
			  struct pt_regs *regs)
{
	struct trace_uprobe *tu = container_of(consumer, struct trace_uprobe, consumer);
	const unsigned long head[] = { func, regs->ip };

	record_hit(tu, head, 2, func, regs);
}

/* ---- the text of entries ---- */

static void print_place(struct trace_iterator *iter, const struct trace_probe *probe)
{
	const struct probe_entry *entry = (const struct probe_entry *)iter->ent;
	const struct probe_return_entry *ret = (const struct probe_return_entry *)iter->ent;

	if (to_trace_uprobe(probe)->is_return)
		trace_seq_printf(&iter->seq, "(0x%lx <- 0x%lx)", ret->ret_ip, ret->func);
	else
		trace_seq_printf(&iter->seq, "(0x%lx)", entry->ip);
}

/* ---- the probe ---- */

static int enable(struct trace_probe *probe)
{
	struct trace_uprobe *tu = to_trace_uprobe(probe);
	int error = uprobe_register_refctr(tu->path.dentry->d_inode, (loff_t)tu->offset,
					   (loff_t)tu->ref_ctr_offset, &tu->consumer);

	tu->registered = !error;
	return error;
}

static void disable(struct trace_probe *probe)
{
	struct trace_uprobe *tu = to_trace_uprobe(probe);

	if (tu->registered)
		uprobe_unregister(tu->path.dentry->d_inode, (loff_t)tu->offset, &tu->consumer);
	tu->registered = false;
}

/* The context of a hit is always all registers. */
static int keep_registers(struct trace_probe *probe __unused)
{
	return 0;
}

static void free_uprobe(struct trace_probe *probe)
{
	struct trace_uprobe *tu = to_trace_uprobe(probe);

	trace_probe_free_args(probe);
	if (tu->path.dentry)
		path_put(&tu->path);
	kfree(tu->filename);
	kfree(tu);
}

static bool match_place(const struct trace_probe *probe, const char *word)
{
	const struct trace_uprobe *tu = to_trace_uprobe(probe);
	size_t length = strlen(tu->filename);
	char place[64];

	if (strncmp(word, tu->filename, length) != 0 || word[length] != ':')
		return false;
	scnprintf(place, sizeof(place), "0x%016lx", tu->offset);
	if (tu->ref_ctr_offset)
		scnprintf(place + 18, sizeof(place) - 18, "(0x%lx)", tu->ref_ctr_offset);
	return strcmp(word + length + 1, place) == 0;
}

static bool is_same_inode(const struct trace_uprobe *a, const struct trace_uprobe *b)
{
	return a->path.dentry->d_inode == b->path.dentry->d_inode;
}

static bool is_same_place(const struct trace_probe *a, const struct trace_probe *b)
{
	const struct trace_uprobe *x = to_trace_uprobe(a), *y = to_trace_uprobe(b);

	return x->offset == y->offset && is_same_inode(x, y);
}

/* Whether an argument is more than a register. */
static bool reads_memory(const struct trace_probe *probe)
{
	for (unsigned i = 0; i < probe->nr_args; i++)
		if (!probe->args[i].plain_size)
			return true;
	return false;
}

/*
 * All probes of one instruction have the same counter, or none: a uprobe has room for one. E held.
 */
static int begin(struct trace_probe *probe)
{
	struct trace_uprobe *tu = to_trace_uprobe(probe);
	const struct dyn_event *dyn;

	tu->reads_memory = reads_memory(probe);
	list_for_each_entry (dyn, &dyn_event_list, list) {
		const struct trace_uprobe *other;

		if (dyn->ops != uprobe_event_file.ops)
			continue;
		other = to_trace_uprobe(to_trace_probe(dyn));
		if (other->offset == tu->offset && is_same_inode(other, tu) &&
		    other->ref_ctr_offset != tu->ref_ctr_offset) {
			pr_warn("Reference counter offset mismatch.\n");
			return -EINVAL;
		}
	}
	return 0;
}

static const struct trace_probe_ops uprobe_ops = {
	.location = "trace_uprobe",
	.begin = begin,
	.enable = enable,
	.disable = disable,
	.keep_registers = keep_registers,
	.unregister = disable,
	.free = free_uprobe,
	.match_place = match_place,
	.is_same_place = is_same_place,
	.print_place = print_place,
};

/* ---- commands ---- */

/* What the first two words of a command say. */
struct definition {
	bool is_return;
	char *event;    /* behind the colon, in the first word; or NULL */
	char *filename; /* allocated; the rest of the place is cut off */
	struct path path;
	unsigned long offset, ref_ctr_offset;
};

/* Logs an error at a place of def->filename, which begins as the second word does. */
static int place_error(const struct probe_command *command, const struct definition *def,
		       enum probe_error error, const char *at)
{
	return probe_error(command, error, 1, command->argv[1] + (at - def->filename));
}

/* "(COUNTER)" at the end of place. Cuts it off. */
static int parse_counter(const struct probe_command *command, struct definition *def, char *place)
{
	char *open = strchr(place, '('), *close;

	if (!open)
		return 0;
	close = strchr(open, ')');
	if (!close)
		return place_error(command, def, PROBE_ERR_REFCNT_OPEN_BRACE, open + strlen(open));
	if (close[1])
		return place_error(command, def, PROBE_ERR_BAD_REFCNT_SUFFIX, close + 1);
	*open = *close = '\0';
	if (kstrtoul(open + 1, 0, &def->ref_ctr_offset))
		return place_error(command, def, PROBE_ERR_BAD_REFCNT, open + 1);
	return 0;
}

/* "%return" at the end of place. Cuts it off. */
static int parse_suffix(const struct probe_command *command, struct definition *def, char *place)
{
	char *suffix = strchr(place, '%');

	if (!suffix)
		return 0;
	if (strcmp(suffix, "%return") != 0)
		return place_error(command, def, PROBE_ERR_BAD_ADDR_SUFFIX, suffix);
	*suffix = '\0';
	def->is_return = true;
	return 0;
}

static int find_file(const struct probe_command *command, struct definition *def)
{
	int error = kern_path(def->filename, LOOKUP_FOLLOW, &def->path);

	if (error) {
		def->path.dentry = NULL;
		(void)probe_error(command, PROBE_ERR_FILE_NOT_FOUND, 1, NULL);
		return error;
	}
	if (!S_ISREG(def->path.dentry->d_inode->i_mode))
		return probe_error(command, PROBE_ERR_NO_REGULAR_FILE, 1, NULL);
	return 0;
}

/* 0, -ECANCELED: the command defines something else, or another errno. */
static int parse_definition(const struct probe_command *command, struct definition *def)
{
	char *word = command->argv[0], *place;
	int error;

	def->is_return = *word == 'r';
	if (word[1] == ':')
		def->event = word + 2;
	if (!strchr(command->argv[1], '/'))
		return -ECANCELED;
	def->filename = kstrdup(command->argv[1], GFP_KERNEL);
	if (!def->filename)
		return -ENOMEM;
	place = strrchr(def->filename, ':');
	if (!place || !isdigit(place[1]))
		return -ECANCELED;
	*place++ = '\0';
	error = find_file(command, def);
	if (!error)
		error = parse_counter(command, def, place);
	if (!error)
		error = parse_suffix(command, def, place);
	if (error)
		return error;
	error = kstrtoul(place, 0, &def->offset);
	if (error)
		(void)place_error(command, def, PROBE_ERR_BAD_UPROBE_OFFS, place);
	return error;
}

/* The name of an event without one: "p_sh_0x42c0". */
static void make_name(const struct definition *def, char name[PROBE_EVENT_MAX])
{
	const char *slash = strrchr(def->filename, '/');
	const char *base = slash ? slash + 1 : def->filename;

	snprintf(name, PROBE_EVENT_MAX, "p_%.*s_0x%lx", (int)strcspn(base, ".-_"), base,
		 def->offset);
}

/* Takes the file and its name over. */
static struct trace_uprobe *alloc_uprobe(struct definition *def)
{
	struct trace_uprobe *tu = kzalloc(sizeof(*tu), GFP_KERNEL);

	if (!tu)
		return NULL;
	tu->probe.ops = &uprobe_ops;
	tu->probe.sources = def->is_return ? &return_sources : &entry_sources;
	tu->consumer.handler = def->is_return ? count_call : uprobe_hit;
	if (def->is_return)
		tu->consumer.ret_handler = uretprobe_hit;
	tu->is_return = def->is_return;
	tu->offset = def->offset;
	tu->ref_ctr_offset = def->ref_ctr_offset;
	tu->filename = def->filename;
	tu->path = def->path;
	def->filename = NULL;
	def->path.dentry = NULL;
	return tu;
}

/* Runs a command that has two words at least. */
static int run(struct probe_command *command, struct definition *def)
{
	int error = parse_definition(command, def);
	struct trace_uprobe *tu;
	char made[PROBE_EVENT_MAX];

	if (error)
		return error;
	make_name(def, made);
	tu = alloc_uprobe(def);
	if (!tu)
		return -ENOMEM;
	return trace_probe_create(&tu->probe, command, def->event, "uprobes", made,
				  uprobe_event_file.ops);
}

static int create(const char *line)
{
	struct definition def = { .filename = NULL };
	struct probe_command command;
	int error;

	line = skip_spaces(line);
	if (*line != 'p' && *line != 'r')
		return -ECANCELED;
	error = probe_command_init(&command, uprobe_ops.location, line);
	if (!error)
		error = command.argc < 2 ? -ECANCELED : run(&command, &def);
	probe_command_free(&command);
	if (def.path.dentry)
		path_put(&def.path);
	kfree(def.filename);
	return error;
}

static void show(struct seq_file *m, struct dyn_event *dyn)
{
	const struct trace_uprobe *tu = to_trace_uprobe(to_trace_probe(dyn));

	seq_printf(m, "%c:%s/%s %s:0x%016lx", tu->is_return ? 'r' : 'p', tu->probe.event->group,
		   tu->probe.event->name, tu->filename, tu->offset);
	if (tu->ref_ctr_offset)
		seq_printf(m, "(0x%lx)", tu->ref_ctr_offset);
	trace_probe_show_args(m, &tu->probe);
}

/* Prints the file, the name of the event, and hits. E held. */
static void show_profile(struct seq_file *m, struct dyn_event *dyn)
{
	const struct trace_uprobe *tu = to_trace_uprobe(to_trace_probe(dyn));

	seq_printf(m, "  %s %-44s %15lu\n", tu->filename, tu->probe.event->name,
		   (unsigned long)atomic64_read(&tu->hits));
}

DYN_EVENT_OPERATIONS(uprobe) = {
	.create = create,
	.show = show,
	.is_busy = trace_probe_is_busy,
	.free = trace_probe_release,
	.match = trace_probe_match,
};
const struct dyn_event_file uprobe_event_file = { .ops = &uprobe_dyn_event_ops };
const struct dyn_event_file uprobe_profile_file = { .ops = &uprobe_dyn_event_ops,
						    .show = show_profile };
