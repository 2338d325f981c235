/* #! scripts: the argument, long first lines, scripts that name scripts, and missing interpreters. */
#include "abi.h"

static void script(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0755);

	write(fd, text, strlen(text));
	close(fd);
}

static void run(const char *name)
{
	char *argv[] = { "zero", "one", NULL }, *env[] = { "A=b", NULL };
	int status;

	if (!fork()) {
		execve(name, argv, env);
		show("%s: %s", name, error_name(errno));
		_exit(1);
	}
	wait(&status);
	show_status(name, status);
}

int main(void)
{
	char line[400];

	script("plain", "#!/bin/sh\necho plain $0 $# $1 $A\n");
	run("./plain");
	script("arg", "#! /bin/sh   -e  \nfalse\necho no\n");
	run("./arg");
	script("words", "#!/bin/echo a b\tc\n");
	run("./words");
	script("nested", "#!./plain nested\n");
	run("./nested");
	script("loop", "#!./loop\n");
	run("./loop");
	script("missing", "#!/missing/sh\n");
	run("./missing");
	script("empty", "#!\n");
	run("./empty");
	script("spaces", "#!   \t\n");
	run("./spaces");
	script("nothing", "");
	run("./nothing");
	script("text", "echo text\n");
	run("./text");
	script("no_newline", "#!/bin/echo end");
	run("./no_newline");
	strcpy(line, "#!/bin/echo ");
	memset(line + 12, 'x', 300);
	strcpy(line + 312, "\n");
	script("long", line);
	run("./long");
	memset(line, 'y', 300);
	memcpy(line, "#!/", 3);
	strcpy(line + 300, "\n");
	script("long_name", line);
	run("./long_name");
	script("directory", "#!/tmp\n");
	run("./directory");
	chmod("plain", 0644);
	run("./plain");
	return 0;
}
