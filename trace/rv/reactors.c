/* Reactors: what is done when a monitor meets an event that its model does not allow. */
#include "fs/tracefs/tracefs.h"
#include "fs/vfs/seq_file.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/panic.h"
#include "kernel/printk/printk.h"
#include "kernel/printk/ratelimit.h"
#include "kernel/rcu/rcu.h"
#include "trace/core/files.h"
#include "trace/rv/internal.h"

#define MAX_REACTOR_NAME 32

static bool reacting_on = true; /* [V] to write, READ_ONCE() to read */

/* ---- reactions; any context, any locks held ---- */

static void react_nop(const char *text __unused)
{
}

static void react_panic(const char *text)
{
	panic("%s", text);
}

/* A user can cause errors of a monitor that root has enabled, as many as he likes. */
static void react_printk(const char *text)
{
	printk_ratelimited(KERN_WARNING "%s", text);
}

static const struct rv_reactor reactors[] = {
	{ "nop", react_nop },
	{ "panic", react_panic },
	{ "printk", react_printk },
};

void rv_react(const struct rv_monitor *mon, const char *state, const char *event)
{
	const struct rv_reactor *reactor = READ_ONCE(mon->reactor);
	char text[160];

	if (!READ_ONCE(reacting_on) || reactor == &reactors[0])
		return;
	snprintf(text, sizeof(text), "rv: monitor %s does not allow event %s on state %s\n",
		 mon->name, event, state);
	reactor->react(text);
}

/* ---- files ---- */

static int available_reactors_show(struct seq_file *m, void *v __unused)
{
	for (size_t i = 0; i < ARRAY_SIZE(reactors); i++)
		seq_printf(m, "%s\n", reactors[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(available_reactors);

static int reactors_show(struct seq_file *m, void *v __unused)
{
	const struct rv_monitor *mon = m->private;

	for (size_t i = 0; i < ARRAY_SIZE(reactors); i++)
		seq_printf(m, READ_ONCE(mon->reactor) == &reactors[i] ? "[%s]\n" : "%s\n",
			   reactors[i].name);
	return 0;
}

/* A container hands the reactor on to what is in it. */
static void set_reactor(struct rv_monitor *mon, const struct rv_reactor *reactor)
{
	mutex_lock(&rv_interface_lock);
	WRITE_ONCE(mon->reactor, reactor);
	for (struct rv_monitor *m = rv_next_monitor(NULL); m; m = rv_next_monitor(m))
		if (m->parent == mon)
			WRITE_ONCE(m->reactor, reactor);
	mutex_unlock(&rv_interface_lock);
}

static ssize_t reactors_write(struct file *file, const char *buf, size_t count, loff_t *pos)
{
	char word[MAX_REACTOR_NAME + 2];
	struct seq_file *m = file->private_data;

	if (trace_get_word(word, sizeof(word), buf, count))
		return -EINVAL;
	for (size_t i = 0; *word; i++) {
		if (i == ARRAY_SIZE(reactors))
			return -EINVAL;
		if (strcmp(word, reactors[i].name) == 0) {
			set_reactor(m->private, &reactors[i]);
			break;
		}
	}
	*pos += (loff_t)count;
	return (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(reactors);

static int reacting_on_show(struct seq_file *m, void *v __unused)
{
	seq_printf(m, "%d\n", READ_ONCE(reacting_on));
	return 0;
}

static ssize_t reacting_on_write(struct file *file __unused, const char *buf, size_t count,
				 loff_t *pos)
{
	bool on;

	if (rv_get_bool(buf, count, &on))
		return -EINVAL;
	mutex_lock(&rv_interface_lock);
	WRITE_ONCE(reacting_on, on);
	synchronize_rcu();
	mutex_unlock(&rv_interface_lock);
	*pos += (loff_t)count;
	return (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(reacting_on);

int rv_create_reactor_files(struct dentry *dir)
{
	if (IS_ERR_OR_NULL(tracefs_create_file("available_reactors", 0440, dir, NULL,
					       &available_reactors_fops)) ||
	    IS_ERR_OR_NULL(tracefs_create_file("reacting_on", 0640, dir, NULL, &reacting_on_fops)))
		return -ENOMEM;
	return 0;
}

int rv_create_monitor_reactors(struct rv_monitor *mon)
{
	mon->reactor = &reactors[0];
	if (IS_ERR_OR_NULL(tracefs_create_file("reactors", 0640, mon->dir, mon, &reactors_fops)))
		return -ENOMEM;
	return 0;
}
