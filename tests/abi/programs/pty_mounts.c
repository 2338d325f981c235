/* devpts: options, independent instances, ptmx in the file system itself. */
#include "pty.h"
#include <dirent.h>
#include <sys/mount.h>

static void show_node(const char *name)
{
	struct stat st;

	if (stat(name, &st))
		show("%s: %s", name, error_name(errno));
	else
		show("%s: mode %o, device %d:%d, uid %d, gid %d, ino %d", name, st.st_mode,
		     (int)(st.st_rdev >> 8 & 0xfff), (int)(st.st_rdev & 0xff), (int)st.st_uid,
		     (int)st.st_gid, (int)st.st_ino);
}

static void list(const char *name)
{
	DIR *dir = opendir(name);
	struct dirent *entry;
	int nodes = 0, others = 0;

	while (dir && (entry = readdir(dir)))
		if (entry->d_type == DT_CHR)
			nodes++;
		else if (entry->d_name[0] != '.')
			others++;
	show("%s: %d devices, %d others", name, nodes, others);
	if (dir)
		closedir(dir);
}

int main(void)
{
	int first, second, other;

	mkdir("a", 0755);
	mkdir("b", 0755);
	CALL(mount("x", "a", "devpts", 0, "mode=640,gid=5,uid=7,ptmxmode=666"));
	CALL(mount("x", "b", "devpts", 0, "newinstance,max=1"));
	show_node("a/ptmx");
	show_node("b/ptmx");
	first = OK(open("a/ptmx", O_RDWR | O_NOCTTY));
	second = OK(open("a/ptmx", O_RDWR | O_NOCTTY));
	show_node("a/0");
	show_node("a/1");
	show_node("b/0");
	list("a");
	list("b");
	other = OK(open("b/ptmx", O_RDWR | O_NOCTTY));
	show_node("b/0");
	CALL(open("b/ptmx", O_RDWR | O_NOCTTY));
	CALL(close(first));
	show_node("a/0");
	first = OK(open("a/ptmx", O_RDWR | O_NOCTTY));
	show_node("a/0");
	CALL(chmod("a/0", 0622));
	CALL(chown("a/0", 3, 4));
	show_node("a/0");
	CALL(unlink("a/0"));
	CALL(mkdir("a/d", 0755));
	CALL(open("a/f", O_CREAT | O_RDWR, 0644));
	CALL(rename("a/0", "a/9"));
	CALL(mount("x", "a", "devpts", MS_REMOUNT, "mode=600,ptmxmode=0"));
	show_node("a/ptmx");
	CALL(umount("a"));
	close(first);
	close(second);
	CALL(umount("a"));
	CALL(umount2("b", MNT_DETACH));
	close(other);
	return 0;
}
