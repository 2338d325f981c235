/* Objects in the file system bpf: who may pin and get, names, links, removal. */
#include "bpf.h"

#include <sys/mount.h>
#include <sys/statfs.h>

static long pin(const char *path, int fd)
{
	return BPF(BPF_OBJ_PIN, .pathname = (uintptr_t)path, .bpf_fd = (unsigned)fd);
}
static long get(const char *path, unsigned flags)
{
	return BPF(BPF_OBJ_GET, .pathname = (uintptr_t)path, .file_flags = flags);
}

static void pins(int map, int prog)
{
	int key = 0, fd;
	uint64_t value = 5;

	said("pin a map", pin("m/map", map));
	said("pin it again", pin("m/map", map));
	said("pin it under another name", pin("m/second", map));
	said("pin a program", pin("m/prog", prog));
	said("pin a file", pin("m/file", 1));
	said("pin no descriptor", pin("m/none", 99));
	said("pin elsewhere", pin("elsewhere", map));
	said("pin in no directory", pin("m/no/map", map));
	said("pin with a dot", pin("m/a.b", map));
	said("pin with a slash", pin("m/slash/", map));
	said("pin at a bad address", pin((const char *)8, map));
	said("pin with flags", BPF(BPF_OBJ_PIN, .pathname = (uintptr_t) "m/x", .bpf_fd = (unsigned)map, .file_flags = BPF_F_RDONLY));
	update(map, &key, &value, 0);
	fd = (int)said("get the map", get("m/map", 0));
	value = 0;
	said("lookup", lookup(fd, &key, &value));
	show("value %d, close on exec %d", (int)value, fcntl(fd, F_GETFD));
	close(fd);
	fd = (int)said("get it to read", get("m/map", BPF_F_RDONLY));
	said("update", update(fd, &key, &value, 0));
	close(fd);
	tried("get it with both flags", get("m/map", BPF_F_RDONLY | BPF_F_WRONLY));
	tried("get it with another flag", get("m/map", 1));
	tried("get the program", get("m/prog", 0));
	tried("get nothing", get("m/nothing", 0));
	tried("get a directory", get("m", 0));
	tried("get another file", get("/proc/self/exe", BPF_F_RDONLY));
	tried("get with a descriptor", BPF(BPF_OBJ_GET, .pathname = (uintptr_t) "m/map", .bpf_fd = 1));
}

static void names(void)
{
	struct statfs fs;
	struct stat st;

	statfs("m", &fs);
	show("magic %lx", (unsigned long)fs.f_type);
	stat("m", &st);
	show("directory %o", st.st_mode);
	stat("m/map", &st);
	show("map %o, %d links, size %d", st.st_mode, (int)st.st_nlink, (int)st.st_size);
	said("open a map", open("m/map", O_RDONLY));
	said("create a file", open("m/new", O_RDWR | O_CREAT, 0600));
	said("mkdir", mkdir("m/d", 0755));
	said("mkdir with a dot", mkdir("m/d.d", 0755));
	said("mkfifo", mkfifo("m/fifo", 0600));
	said("symlink", symlink("map", "m/link"));
	tried("get by the link", get("m/link", 0));
	said("hard link", link("m/map", "m/d/hard"));
	tried("get by the hard link", get("m/d/hard", 0));
	said("rename", rename("m/second", "m/d/moved"));
	tried("get the moved one", get("m/d/moved", 0));
	said("rmdir of a full one", rmdir("m/d"));
	said("unlink", unlink("m/d/moved") + unlink("m/d/hard") + unlink("m/link"));
	said("rmdir", rmdir("m/d"));
	chmod("m/map", 0);
}

static void as_user(void)
{
	int map = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);

	setuid(65534);
	tried("a user gets a map that it may not", get("m/map", 0));
	tried("a user gets one that it may read, to read", get("m/prog", BPF_F_RDONLY));
	tried("the same, to write", get("m/prog", 0));
	said("a user pins", pin("m/mine", map));
	said("a user unlinks another's", unlink("m/prog"));
	said("a user unlinks its own", unlink("m/mine"));
}

int main(void)
{
	int map = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), prog = LOAD(BPF_PROG_TYPE_SOCKET_FILTER, MOV64_IMM(0, 0), EXIT());
	int key = 0;
	uint64_t value = 6;

	umask(022);
	mkdir("m", 0755);
	said("mount", mount("bpf", "m", "bpf", 0, NULL));
	pins(map, prog);
	names();
	chmod("m/prog", 0444);
	CHILD(as_user);
	chmod("m/map", 0600);
	update(map, &key, &value, 0);
	close(map);
	close(prog);
	map = (int)said("get the map that only its file has kept", get("m/map", 0));
	lookup(map, &key, &value);
	show("value %d", (int)value);
	said("umount", umount("m"));
	said("mount with a mode", mount("bpf", "m", "bpf", 0, "mode=0700,unknown=1"));
	said("get", get("m/map", 0));
	said("umount", umount("m"));
	return 0;
}
