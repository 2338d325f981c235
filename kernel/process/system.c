/* System calls about the whole machine: uname(2), sysinfo(2), membarrier(2) and others. */
#include "arch/mm/uaccess.h"
#include "kernel/boot/version.h"
#include "kernel/lib/string.h"
#include "kernel/lib/vsprintf.h"
#include "kernel/mm/page_alloc.h"
#include "kernel/task/cred.h"
#include "kernel/process/fork.h"
#include "kernel/task/signal_struct.h"
#include "kernel/process/uts.h"
#include "kernel/rcu/rcu.h"
#include "kernel/smp.h"
#include "kernel/syscalls/syscalls.h"
#include "kernel/time/ktime.h"

/* What uname(2) tells. The two names that programs can change: uts_lock. */
static DEFINE_SPINLOCK(uts_lock); /* a leaf */
static struct new_utsname uts = {
	.sysname = "Linux",
	.nodename = "nop5",
	.release = UTS_LINUX_RELEASE,
	.version = "#1 SMP PREEMPT " UTS_SYSNAME " " UTS_RELEASE,
	.machine = "x86_64",
	.domainname = "(none)",
};

void get_utsname(struct new_utsname *name)
{
	spin_lock(&uts_lock);
	*name = uts;
	spin_unlock(&uts_lock);
}

void set_utsname(const struct new_utsname *name)
{
	spin_lock(&uts_lock);
	memcpy(uts.nodename, name->nodename, sizeof(uts.nodename));
	memcpy(uts.domainname, name->domainname, sizeof(uts.domainname));
	spin_unlock(&uts_lock);
}

SYSCALL_DEFINE1(newuname, struct new_utsname __user *, name)
{
	struct new_utsname copy;

	get_utsname(&copy);
	return copy_to_user(name, &copy, sizeof(copy)) ? -EFAULT : 0;
}

static long set_uts_name(char *field, const char __user *name, int len)
{
	char copy[UTS_NAME_LEN] = "";

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (len < 0 || len >= UTS_NAME_LEN)
		return -EINVAL;
	if (copy_from_user(copy, name, (size_t)len))
		return -EFAULT;
	spin_lock(&uts_lock);
	memcpy(field, copy, sizeof(copy));
	spin_unlock(&uts_lock);
	return 0;
}

SYSCALL_DEFINE2(sethostname, char __user *, name, int, len)
{
	return set_uts_name(uts.nodename, name, len);
}

SYSCALL_DEFINE2(setdomainname, char __user *, name, int, len)
{
	return set_uts_name(uts.domainname, name, len);
}

/* struct sysinfo of sysinfo(2); sizes in units of mem_unit bytes. */
struct sysinfo {
	long uptime; /* seconds */
	unsigned long loads[3];
	unsigned long totalram, freeram, sharedram, bufferram;
	unsigned long totalswap, freeswap;
	u16 procs, pad;
	unsigned long totalhigh, freehigh;
	u32 mem_unit;
};

SYSCALL_DEFINE1(sysinfo, struct sysinfo __user *, info)
{
	struct sysinfo out = { .mem_unit = 1 };
	struct meminfo memory;

	si_meminfo(&memory);
	get_avenrun(out.loads);
	for (unsigned i = 0; i < 3; i++)
		out.loads[i] <<= 5; /* 16 bits of fraction */
	out.uptime = (long)(ktime_get() / NSEC_PER_SEC);
	out.totalram = memory.total;
	out.freeram = memory.free;
	out.sharedram = memory.shmem;
	out.procs = (u16)nr_threads();
	return copy_to_user(info, &out, sizeof(out)) ? -EFAULT : 0;
}

struct getcpu_cache;

SYSCALL_DEFINE3(getcpu, unsigned __user *, cpup, unsigned __user *, nodep,
		struct getcpu_cache __user *, unused)
{
	/*
	 * LAB 12: Each of the two pointers may be NULL, or bad.
	 * Starts as: (void)cpup, (void)nodep, (void)unused;
	 * return -ENOSYS;
	 */
	unsigned cpu = READ_ONCE(current->cpu);

	(void)unused; /* since Linux 2.6.24 */
	if ((cpup && put_user(cpu, cpup)) || (nodep && put_user(0u, nodep)))
		return -EFAULT;
	return 0;
	/* END LAB 12 */
}

/* membarrier(2). */
#define MEMBARRIER_CMD_QUERY                      0
#define MEMBARRIER_CMD_GLOBAL                     (1 << 0)
#define MEMBARRIER_CMD_GLOBAL_EXPEDITED           (1 << 1)
#define MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED  (1 << 2)
#define MEMBARRIER_CMD_PRIVATE_EXPEDITED          (1 << 3)
#define MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED (1 << 4)
#define MEMBARRIER_COMMANDS                                                                        \
	(MEMBARRIER_CMD_GLOBAL | MEMBARRIER_CMD_GLOBAL_EXPEDITED |                                 \
	 MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED | MEMBARRIER_CMD_PRIVATE_EXPEDITED |             \
	 MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED)

static void barrier_ipi(void *unused __unused)
{
	smp_mb();
}

/* Restricted: a command goes to all CPUs, whether the process is registered or not. */
SYSCALL_DEFINE3(membarrier, int, cmd, unsigned int, flags, int, cpu_id)
{
	(void)cpu_id;
	if (flags)
		return -EINVAL;
	switch (cmd) {
	case MEMBARRIER_CMD_QUERY:
		return MEMBARRIER_COMMANDS;
	case MEMBARRIER_CMD_GLOBAL:
		synchronize_rcu();
		return 0;
	case MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED:
		return 0; /* the interrupt goes to all CPUs, registered or not */
	case MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED:
		WRITE_ONCE(current->signal->membarrier_registered, true);
		return 0;
	case MEMBARRIER_CMD_PRIVATE_EXPEDITED:
		if (!READ_ONCE(current->signal->membarrier_registered))
			return -EPERM;
		fallthrough;
	case MEMBARRIER_CMD_GLOBAL_EXPEDITED:
		smp_mb();
		on_each_cpu(barrier_ipi, NULL, true);
		return 0;
	}
	return -EINVAL;
}
