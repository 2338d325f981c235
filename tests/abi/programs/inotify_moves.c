/* Renames: cookies, two directories, a target that is replaced, MOVE_SELF. */
#include "inotify.h"

int main(void)
{
	int in = inotify_init1(IN_NONBLOCK);

	mkdir("a", 0755);
	mkdir("b", 0755);
	close(open("a/f", O_CREAT | O_RDWR, 0644));
	close(open("a/g", O_CREAT | O_RDWR, 0644));
	CALL(inotify_add_watch(in, "a", IN_ALL_EVENTS));
	CALL(inotify_add_watch(in, "b", IN_ALL_EVENTS));
	CALL(inotify_add_watch(in, "a/f", IN_ALL_EVENTS));
	CALL(inotify_add_watch(in, "a/g", IN_ALL_EVENTS));
	rename("a/f", "a/f2");
	events("in one directory", in);
	rename("a/f2", "b/f3");
	events("to another", in);
	rename("b/f3", "a/g");
	events("over a file", in);
	mkdir("a/dir", 0755);
	rename("a/dir", "b/dir");
	events("a directory", in);
	rename("a/g", "a/g");
	events("to itself", in);
	rename("b", "c");
	close(open("c/new", O_CREAT | O_RDWR, 0644));
	events("the watch follows", in);
	return 0;
}
