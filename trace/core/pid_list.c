/* Converts the text that is written to set_ftrace_pid into a set of PIDs. */
#include "trace/core/pid_list.h"
#include "kernel/errno.h"
#include "kernel/lib/bitops.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/kstrtox.h"

#define PID_WORD_MAX 16

static int add_absent(struct pids_absent *absent, u32 pid)
{
	unsigned at = absent->count;

	while (at && absent->pids[at - 1] >= pid)
		at--;
	if (at < absent->count && absent->pids[at] == pid)
		return 0;
	if (absent->count == PID_ABSENT_MAX)
		return -ENOMEM;
	for (unsigned i = absent->count++; i > at; i--)
		absent->pids[i] = absent->pids[i - 1];
	absent->pids[at] = pid;
	return 0;
}

static int add_word(unsigned long *pids, struct pids_absent *absent, const char *word)
{
	unsigned long pid;
	int error = kstrtoul(word, 0, &pid);

	if (error)
		return -EINVAL;
	pid = (u32)pid; /* as Linux, which then has lists of PIDs below this number */
	if (pid >= 1U << 30)
		return -EPERM;
	if (pid >= PID_NUMBERS)
		return add_absent(absent, (u32)pid);
	set_bit((unsigned)pid, pids);
	return 0;
}

int pid_list_parse(unsigned long *pids, struct pids_absent *absent, const char *text, size_t count)
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
		error = add_word(pids, absent, word);
	}
	return error;
}
