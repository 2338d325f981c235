/* Watches: masks, IN_MASK_ADD, IN_MASK_CREATE, IN_ONESHOT, IN_ONLYDIR, removal, errors. */
#include "inotify.h"

int main(void)
{
	int in = inotify_init1(IN_NONBLOCK), wd;

	CALL(inotify_init1(0x123));
	mkdir("d", 0755);
	close(open("f", O_CREAT | O_RDWR, 0644));
	symlink("f", "link");
	CALL(inotify_add_watch(in, "f", IN_OPEN));
	CALL(inotify_add_watch(in, "f", IN_CLOSE_NOWRITE | IN_MASK_ADD));
	close(open("f", O_RDONLY));
	events("both", in);
	CALL(inotify_add_watch(in, "f", IN_ATTRIB));
	close(open("f", O_RDONLY));
	chmod("f", 0600);
	events("replaced", in);
	CALL(inotify_add_watch(in, "f", IN_ATTRIB | IN_MASK_CREATE));
	CALL(inotify_add_watch(in, "f", IN_MASK_CREATE | IN_MASK_ADD | IN_OPEN));
	CALL(inotify_add_watch(in, "link", IN_OPEN));
	CALL(inotify_add_watch(in, "link", IN_OPEN | IN_DONT_FOLLOW));
	CALL(inotify_add_watch(in, "f", IN_OPEN | IN_ONLYDIR));
	CALL(inotify_add_watch(in, "none", IN_OPEN));
	CALL(inotify_add_watch(in, "f", 0));
	CALL(inotify_add_watch(0, "f", IN_OPEN));
	CALL(inotify_add_watch(99, "f", IN_OPEN));
	CALL(inotify_add_watch(in, (char *)8, IN_OPEN));
	wd = CALL(inotify_add_watch(in, "d", IN_CREATE | IN_ONESHOT));
	close(open("d/x", O_CREAT | O_RDWR, 0644));
	close(open("d/y", O_CREAT | O_RDWR, 0644));
	events("one shot", in);
	CALL(inotify_rm_watch(in, wd));
	wd = CALL(inotify_add_watch(in, "d", IN_CREATE));
	CALL(inotify_rm_watch(in, wd));
	CALL(inotify_rm_watch(in, wd));
	events("removed", in);
	CALL(inotify_rm_watch(0, 1));
	CALL(inotify_rm_watch(99, 1));
	unlink("f");
	events("unlinked", in);
	return 0;
}
