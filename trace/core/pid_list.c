/* Converts the text that is written to set_ftrace_pid into a set of PIDs. */
#include "trace/core/pid_list.h"
#include "kernel/errno.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"

#define PID_WORD_MAX 16

/* Applies "PID" or "!PID". */
static int apply_word(unsigned long *pids, const char *word)
{
	bool remove = *word == '!';
	unsigned long pid;
	int error = kstrtoul(word + remove, 0, &pid);

	if (error)
		return -EINVAL;
	pid = (u32)pid; /* as Linux, which then has lists of PIDs below this number */
	if (pid >= 1U << 30)
		return -EPERM;
	if (pid >= PID_NUMBERS)
		return -EINVAL;
	if (remove)
		clear_bit((unsigned)pid, pids);
	else
		set_bit((unsigned)pid, pids);
	return 0;
}

int pid_list_parse(unsigned long *pids, const char *text, size_t count)
{
	char word[PID_WORD_MAX];
	int error = 0;

	for (size_t i = 0; i < count && !error;) {
		size_t length = 0;

		while (i < count && isspace(text[i]))
			i++;
		if (i == count || !text[i])
			break;
		while (i < count && text[i] && !isspace(text[i])) {
			if (length == sizeof(word) - 1)
				return -EINVAL;
			word[length++] = text[i++];
		}
		word[length] = '\0';
		error = apply_word(pids, word);
	}
	return error;
}
