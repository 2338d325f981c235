/* The directory hwlat_detector/. */
#include "fs/vfs/seq_file.h"
#include "fs/tracefs/tracefs.h"
#include "kernel/errno.h"
#include "kernel/init.h"
#include "kernel/lib/string.h"
#include "trace/core/files.h"
#include "trace/tracers/noise/hwlat.h"
#include "trace/tracers/noise/number_file.h"
#include "trace/core/readme.h"

static const u64 longest = 1UL << 50; /* us: as ns, and added to a time, it does not overflow */

static const struct number_file number_files[] = {
	{ "width", &hwlat_settings.width, NULL, &hwlat_settings.window },
	{ "window", &hwlat_settings.window, &hwlat_settings.width, &longest },
	{ .name = NULL },
};

static const char *const mode_names[HWLAT_MODES] = { "none", "round-robin", "per-cpu" };

static int mode_show(struct seq_file *m, void *v __unused)
{
	enum hwlat_mode mode = READ_ONCE(hwlat_settings.mode);

	for (unsigned i = 0; i < HWLAT_MODES; i++)
		seq_printf(m, i == mode ? "%s[%s]" : "%s%s", i ? " " : "", mode_names[i]);
	seq_putc(m, '\n');
	return 0;
}

static ssize_t mode_write(struct file *file __unused, const char *buf, size_t count, loff_t *pos)
{
	char word[64];
	unsigned mode = 0;
	int error = trace_get_word(word, sizeof(word), buf, count);

	if (error)
		return error;
	while (mode < HWLAT_MODES && strcmp(word, mode_names[mode]) != 0)
		mode++;
	if (mode == HWLAT_MODES)
		return -EINVAL;
	mutex_lock(&trace_types_lock);
	error = hwlat_set_mode(mode);
	mutex_unlock(&trace_types_lock);
	if (error)
		return error;
	*pos += (loff_t)count;
	return (ssize_t)count;
}
DEFINE_SHOW_STORE_ATTRIBUTE(mode);

static int __init hwlat_files_init(void)
{
	struct dentry *dir = tracefs_create_dir("hwlat_detector", NULL);

	if (IS_ERR_OR_NULL(dir) ||
	    IS_ERR_OR_NULL(tracefs_create_file("mode", 0640, dir, NULL, &mode_fops)))
		return -ENOMEM;
	return create_number_files(number_files, dir);
}
device_initcall(hwlat_files_init);

TRACE_README(hwlat, "1d", "  hwlat_detector/\t- the settings of the tracer hwlat\n");
