/*
 * /sys/kernel/debug/hist_feed: each line "A B TEXT" that is written makes the synthetic event
 * "feed", with the fields u64 a, s32 b and char[] c. tests/boot/test_hist.py compares the
 * histograms of these events with those that Linux made of the same values.
 */
#include "fs/debug/debugfs.h"
#include "fs/vfs/fs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/mm/slab.h"
#include "trace/synth/synth.h"

static int feed(struct synth_event *event, char *line)
{
	char *a = strsep(&line, " "), *b = strsep(&line, " ");
	unsigned long long number;
	u64 values[3];
	int error = -EINVAL;
	long sign;

	if (line)
		error = kstrtoull(a, 10, &number);
	if (!error)
		error = kstrtol(b, 10, &sign);
	if (error)
		return error;
	values[0] = number;
	values[1] = (u64)sign;
	values[2] = (u64)(unsigned long)line;
	trace_synth(event, values);
	return 0;
}

static ssize_t hist_feed_write(struct file *file __unused, const char *buf, size_t count,
			       loff_t *pos __unused)
{
	char *text = kstrndup(buf, count, GFP_KERNEL), *rest = text;
	struct synth_event *event;
	int error = 0;

	if (!text)
		return -ENOMEM;
	mutex_lock(&event_mutex);
	event = synth_event_get("feed");
	mutex_unlock(&event_mutex);
	while (event && !error && rest && *rest)
		error = feed(event, strsep(&rest, "\n"));
	mutex_lock(&event_mutex);
	if (event)
		synth_event_put(event);
	mutex_unlock(&event_mutex);
	kfree(text);
	if (!event)
		return -ENOENT;
	return error ? error : (ssize_t)count;
}

static const struct file_operations hist_feed_fops = {
	.write = hist_feed_write,
};

static int __init hist_feed_init(void)
{
	return IS_ERR_OR_NULL(debugfs_create_file("hist_feed", 0200, NULL, NULL, &hist_feed_fops))
		       ? -ENOMEM
		       : 0;
}
fs_initcall(hist_feed_init);
