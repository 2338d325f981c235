/* Files of /proc/sys with an unsigned long. */
#include "fs/proc/internal.h"
#include "kernel/lib/kstrtox.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"

int proc_doulongvec(const struct ctl_table *table, bool write, char *buf, size_t size)
{
	unsigned long value, *data = table->data;

	if (!write) {
		scnprintf(buf, size, "%lu\n", READ_ONCE(*data));
		return 0;
	}
	buf = skip_spaces(buf);
	buf[strcspn(buf, " \t\n\v\f\r")] = '\0';
	if (kstrtoul(buf, 0, &value))
		return -EINVAL;
	WRITE_ONCE(*data, value);
	return 0;
}
