/* ETXTBSY: a program that runs cannot be written; a file open for writing cannot be run. */
#include "abi.h"

static void copy_program(const char *to)
{
	int in = open("/proc/self/exe", O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	static char b[65536];
	ssize_t n;

	while ((n = read(in, b, sizeof(b))) > 0)
		write(out, b, (size_t)n);
	close(in);
	close(out);
}

static void run(void)
{
	execl("./copy", "copy", "short", NULL);
	show("exec: %s", error_name(errno));
}

int main(int argc, char **argv)
{
	int p[2], q[2], fd, status;
	pid_t pid;
	char b;

	if (argc == 2)
		return 0;
	if (argc > 2) {
		write(atoi(argv[1]), "x", 1);
		read(atoi(argv[2]), &b, 1);
		return 0;
	}
	pipe(p);
	pipe(q);
	copy_program("copy");
	fd = open("copy", O_RDWR);
	CHILD(run);
	close(fd);
	CHILD(run);
	pid = fork();
	if (!pid) {
		char to[10], from[10];

		snprintf(to, sizeof(to), "%d", p[1]);
		snprintf(from, sizeof(from), "%d", q[0]);
		execl("./copy", "copy", to, from, NULL);
		_exit(1);
	}
	read(p[0], &b, 1);
	CALL(open("copy", O_WRONLY));
	CALL(open("copy", O_RDWR));
	CALL(open("copy", O_RDONLY | O_TRUNC));
	CALL(truncate("copy", 10));
	CALL(open("copy", O_RDONLY) >= 0);
	CALL(chmod("copy", 0700));
	CALL(rename("copy", "moved"));
	CALL(open("moved", O_WRONLY));
	CALL(unlink("moved"));
	write(q[1], "x", 1);
	waitpid(pid, &status, 0);
	show_status("copy", status);
	return 0;
}
