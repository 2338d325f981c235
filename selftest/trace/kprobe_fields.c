/* Self-test of the fields of a kprobe event that has several probes. */
#include "fs/vfs/fs.h"
#include "kernel/lib/string.h"
#include "kernel/rcu/rcu.h"
#include "selftest/selftest.h"
#include "selftest/trace/tracefs.h"

SELFTEST(kprobe_events, fields_keep_their_names_without_the_first_probe)
{
	static const char second[] = "p:g/two vfs_write argument=%di",
			  remove[] = "-:g/two vfs_read";

	EXPECT_EQ(put("kprobe_events", "p:g/two vfs_read argument=%di"), 0);
	EXPECT_EQ(put_mode("kprobe_events", second, strlen(second), O_APPEND), 0);
	EXPECT_EQ(put_mode("kprobe_events", remove, strlen(remove), O_APPEND), 0);
	rcu_barrier_tasks(); /* the first probe has been freed */
	EXPECT(strstr(get("events/g/two/format"), " argument;\t"));
	EXPECT_EQ(put("kprobe_events", "\n"), 0);
}
