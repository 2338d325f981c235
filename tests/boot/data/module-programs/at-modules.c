/*
 * Attaches the programs of at-modules.bpf.c. Without arguments: prints what they have counted when its standard input ends. With one:
 * waits for a line before it attaches them, and prints for each an errno or 0.
 */
#include <errno.h>
#include <stdio.h>
#include "at-modules.skel.h"

static void attach_each(struct at_modules *skel)
{
	struct bpf_program *prog;

	while (getchar() != '\n')
		;
	bpf_object__for_each_program (prog, skel->obj)
		printf("%s %d\n", bpf_program__name(prog), bpf_program__attach(prog) ? 0 : errno);
}

static void count(struct at_modules *skel)
{
	while (getchar() != EOF)
		;
	printf("entries %lu files %lu returns %lu raw %lu typed %lu sum %lu\n", skel->bss->entries, skel->bss->good_files,
	       skel->bss->returns, skel->bss->raw, skel->bss->typed, skel->bss->sum);
}

int main(int argc, char **argv)
{
	struct at_modules *skel = at_modules__open_and_load();

	(void)argv;
	if (!skel || (argc == 1 && at_modules__attach(skel)))
		return 1;
	puts("ready");
	fflush(stdout);
	if (argc == 1)
		count(skel);
	else
		attach_each(skel);
	at_modules__destroy(skel);
	return 0;
}
