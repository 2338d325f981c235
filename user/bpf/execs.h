/* execs: what its part in the kernel tells its part in ring 3. */
#define ARGS_MAX 256

struct event {
	int pid, ppid;
	unsigned args;          /* bytes of the arguments. 0: the process has ended */
	int exit_code;          /* as waitpid(2) gives it */
	unsigned long long ran; /* nanoseconds from fork to the end */
	char comm[16];
};
