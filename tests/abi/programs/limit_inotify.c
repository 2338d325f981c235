/* fs.inotify.*: instances and watches of a user, not of all users; events in a queue (inotify(7)). */
#include "user_limits.h"

#include <sys/inotify.h>

static int group[8], count;

static long instance(void)
{
	int fd = inotify_init1(IN_NONBLOCK);

	if (fd < 0)
		return -1;
	group[count++] = fd;
	return 0;
}

static long watch(int fd, const char *name)
{
	return inotify_add_watch(fd, name, IN_MODIFY);
}

static void instances(void)
{
	for (int i = 0; i < 4; i++)
		CALL(instance());
	close(group[--count]);
	CALL(instance());
	CALL(instance());
}

static void watches(void)
{
	instance();
	instance();
	CALL(watch(group[0], "a"));
	CALL(watch(group[0], "b"));
	CALL(watch(group[1], "a"));
	CALL(watch(group[1], "b"));
	CALL(watch(group[1], "a"));
	CALL(inotify_rm_watch(group[0], 1));
	CALL(watch(group[1], "b"));
	CALL(watch(group[1], "c"));
	close(group[0]);
	CALL(watch(group[1], "c"));
	CALL(watch(group[1], "d"));
	unlink("c");
	CALL(watch(group[1], "d"));
}

static void one(void)
{
	CALL(instance());
	CALL(watch(group[0], "a"));
}

/* An instance belongs to the effective user who has made it. Its watches do, too. */
static void as_another(void)
{
	CALL(instance());
	CALL(instance());
	CALL(instance());
	CALL(instance());
	CALL(setresuid(-1, 1001, -1));
	CALL(instance());
	CALL(watch(group[0], "a"));
	CALL(watch(group[0], "b"));
	CALL(watch(group[0], "d"));
	CALL(watch(group[0], "e"));
	CALL(watch(group[3], "e"));
}

static void queue(void)
{
	struct {
		struct inotify_event event;
		char name[64];
	} e;
	int fd, n = 0;

	instance();
	CALL(inotify_add_watch(group[0], "a", IN_OPEN | IN_CLOSE));
	for (int i = 0; i < 4; i++) {
		fd = open("a", O_RDONLY);
		close(fd);
	}
	while (read(group[0], &e, sizeof(e.event)) > 0) {
		show("%d: wd %d, mask %x", n, e.event.wd, e.event.mask);
		n++;
	}
}

static void keeps_users(void)
{
	if (setresuid(1000, 1000, 1001))
		_exit(98);
	as_another();
}

int main(void)
{
	chmod(".", 0777);
	for (const char *name = "abcde"; *name; name++)
		close(open((char[]){ *name, 0 }, O_CREAT | O_RDWR, 0666));
	chmod("c", 0666);
	show("%ld %ld %ld", sysctl_get("fs/inotify/max_user_instances"), sysctl_get("fs/inotify/max_user_watches"),
	     sysctl_get("fs/inotify/max_queued_events"));
	sysctl_set("fs/inotify/max_user_instances", 3);
	sysctl_set("fs/inotify/max_user_watches", 3);
	as_user(1000, instances);
	as_user(1000, watches);
	show("two users");
	instance();
	instance();
	instance();
	for (int i = 0; i < 3; i++)
		watch(group[0], (char[]){ "abd"[i], 0 });
	as_user(1000, one);
	CALL(instance());
	CALL(watch(group[0], "e"));
	while (count)
		close(group[--count]);
	CHILD(keeps_users);

	show("a queue");
	sysctl_set("fs/inotify/max_queued_events", 3);
	as_user(1000, queue);
	CALL(sysctl_set("fs/inotify/max_queued_events", -1));
	CALL(sysctl_set("fs/inotify/max_user_watches", -1));
	CALL(sysctl_set("fs/inotify/max_user_instances", -1));
	CALL(sysctl_set("fs/inotify/max_user_instances", 0));
	as_user(1000, one);
	sysctl_set("fs/inotify/max_queued_events", 16384);
	sysctl_set("fs/inotify/max_user_watches", 8192);
	sysctl_set("fs/inotify/max_user_instances", 128);
	return 0;
}
