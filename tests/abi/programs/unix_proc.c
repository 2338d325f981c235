/* /proc/net/unix. */
#include "unix.h"

static void lines(const char *with)
{
	FILE *f = fopen("/proc/net/unix", "r");
	char line[300], path[120];
	unsigned refs, proto, flags, type, state;
	unsigned long inode;
	int n;

	if (!f) {
		show("no /proc/net/unix");
		return;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "Num", 3)) {
			show("%s", line);
			continue;
		}
		if (!strstr(line, with))
			continue;
		n = sscanf(line, "%*[0-9a-f]: %x %x %x %x %x %lu %119s", &refs, &proto, &flags, &type,
			   &state, &inode, path);
		show("%d fields: refs %u proto %u flags %x type %u state %u, inode %d, %s", n, refs, proto,
		     flags, type, state, inode > 0, path);
	}
	fclose(f);
}

int main(void)
{
	int l = socket(AF_UNIX, SOCK_STREAM, 0), d = socket(AF_UNIX, SOCK_DGRAM, 0);
	int c = socket(AF_UNIX, SOCK_STREAM, 0);
	struct sockaddr_un name;
	socklen_t len = abstract_name(&name, "abi-proc");

	bind_path(l, "abi-listener");
	listen(l, 5);
	bind(d, (struct sockaddr *)&name, len);
	lines("abi-l");
	lines("abi-p");
	connect_path(c, "abi-listener");
	lines("abi-l");
	accept(l, NULL, NULL);
	lines("abi-l");
	return 0;
}
