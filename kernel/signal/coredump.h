/* The seam of core dumps: fs/coredump/ fills it, and signals and exit use it. */
#pragma once

struct siginfo;
struct task_struct;

struct coredump_ops {
	/*
	 * A signal ends the current process, and its default action is a core dump. Unless other
	 * threads ended it first, stops them and writes a core file, if limits and rights allow it.
	 * Then the process ends by do_group_exit(). Task context, no lock.
	 */
	void (*dump)(const struct siginfo *info);
	/*
	 * The current task ends. If a thread of its process dumps, waits until its registers are
	 * written. A later dump leaves the task out. Task context, no lock.
	 */
	void (*wait)(void);
};

/* NULL before its initcall, and without the feature. */
extern const struct coredump_ops *coredump_ops;
