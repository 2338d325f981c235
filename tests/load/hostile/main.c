/*
 * A hostile user: uid 1000 tries all attacks at once, while root measures and works.
 *
 *     hostile ROUNDS [ATTACK ...]
 *     hostile SECONDSs [ATTACK ...]
 *
 * Rounds are short, and make each attack try at least once, however fast the machine is.
 * Prints a line for each attack, one for root's calls and one for each CPU: how late a real-time task
 * woke at most. A line that begins with DEFECT names what must not happen. The status is 1 then.
 * The flood of the terminal goes to standard error.
 * The directory /tmp/hostile must not exist. Some limits of the kernel stay smaller than they were.
 */
#define _GNU_SOURCE
#include "hostile.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DIRECTORY  "/tmp/hostile"
#define ROUND_TIME 2000 /* ms: of a round in a run that has a time, at least */
#define PAUSE	   50000 /* us: of an attack that takes much, twice as long after each whole try */
#define LONGEST_PAUSE 5 /* PAUSE << 5: 1.6 s */
/*
 * The random calls may stop the other processes of the user or lower their limits, so that an attack never has its try. So in
 * a long round all begin again after this many polls, and after twice, four times, … as many.
 */
#define FIRST_RESTART 2048

struct shared *shared;

static const struct attack *attacks[MAX_ATTACKS];
static pid_t pids[MAX_ATTACKS], partners[MAX_ATTACKS];
static int n_attacks, current; /* current: the attack that this process is part of */
static bool whole;	       /* nothing was missing in this try */

static long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void won(long detail)
{
	if (!__atomic_fetch_add(&shared->tallies[current].wins, 1, __ATOMIC_RELAXED))
		shared->tallies[current].detail = detail;
}

void incomplete(void)
{
	whole = false;
}

pid_t fork_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		incomplete();
	return pid;
}

int status_of(pid_t pid)
{
	int status;

	if (pid <= 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

void copy_self(const char *path, uid_t owner, mode_t mode)
{
	static char part[1 << 16];
	int from = open("/proc/self/exe", O_RDONLY), to = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ssize_t n;

	while ((n = read(from, part, sizeof(part))) > 0)
		write(to, part, (size_t)n);
	close(from);
	fchown(to, owner, owner);
	fchmod(to, mode);
	close(to);
}

static void choose(const struct attack *part, int argc, char **argv)
{
	for (; part->name; part++) {
		bool wanted = argc <= 2;

		for (int i = 2; i < argc; i++)
			wanted |= !strcmp(argv[i], part->name);
		if (wanted && n_attacks < MAX_ATTACKS)
			attacks[n_attacks++] = part;
	}
}

static void limit(int what, rlim_t value)
{
	setrlimit(what, &(struct rlimit){ value, value });
}

/* What a login does. */
static void become_user(void)
{
	limit(RLIMIT_NPROC, 200);
	limit(RLIMIT_NOFILE, DESCRIPTORS);
	limit(RLIMIT_FSIZE, 1 << 20);
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_MEMLOCK, 1 << 16);
	limit(RLIMIT_SIGPENDING, 200);
	if (setgroups(0, NULL) || setresgid(HOSTILE, HOSTILE, HOSTILE) || setresuid(HOSTILE, HOSTILE, HOSTILE))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 1); /* as after exec: the user may look into its own processes */
}

static pid_t start(int i, void (*step)(void), bool user)
{
	pid_t pid = fork();
	int done = 0; /* whole tries */

	if (pid)
		return pid;
	current = i;
	setsid();
	if (chdir(attacks[i]->name))
		_exit(1);
	setpriority(PRIO_PROCESS, 0, 0);
	if (user)
		become_user();
	for (;;) {
		whole = true;
		step();
		if (user && whole) {
			__atomic_fetch_add(&shared->tallies[i].tries, 1, __ATOMIC_RELAXED);
			done++;
		}
		/* The round waits for those that have not had a try, and want time and processes, too. */
		if (done && !attacks[i]->takes)
			setpriority(PRIO_PROCESS, 0, 19);
		usleep(!done || !attacks[i]->takes ? 500 : PAUSE << (done < LONGEST_PAUSE ? done : LONGEST_PAUSE));
	}
}

static void prepare_all(void)
{
	if (mkdir(DIRECTORY, 0755) || chdir(DIRECTORY)) {
		perror(DIRECTORY);
		exit(1);
	}
	for (int i = 0; i < n_attacks; i++) {
		mkdir(attacks[i]->name, 0755);
		if (attacks[i]->prepare) {
			chdir(attacks[i]->name);
			attacks[i]->prepare();
			chdir("..");
		}
		chown(attacks[i]->name, HOSTILE, HOSTILE);
	}
}

/* Reaps all children that have ended, also those that this process has inherited. An attack that has ended begins again. */
static void reap(bool again)
{
	pid_t pid;

	while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
		for (int i = 0; i < n_attacks; i++)
			if (pids[i] == pid)
				pids[i] = again ? start(i, attacks[i]->user, true) : 0;
	}
}

/* Sends a signal to each process of the user. */
static void signal_all(int signal)
{
	pid_t pid = fork();

	if (!pid) {
		become_user();
		kill(-1, signal);
		_exit(0);
	}
	status_of(pid);
}

static bool any_left(void)
{
	errno = 0;
	return getpriority(PRIO_USER, HOSTILE) != -1 || errno != ESRCH;
}

/*
 * Until all processes of the user have ended. A process that does not end hangs the run. They get the CPU time that their
 * end needs: an attack at nice 19 may have thousands of signals to send when its files are closed.
 */
static void end_round(void)
{
	for (; any_left(); reap(false)) {
		setpriority(PRIO_USER, HOSTILE, 0);
		signal_all(SIGKILL);
		usleep(5000);
	}
}

static bool has_tried(int i, const unsigned long *before)
{
	return __atomic_load_n(&shared->tallies[i].tries, __ATOMIC_RELAXED) != before[i];
}

static bool all_have_tried(const unsigned long *before)
{
	for (int i = 0; i < n_attacks; i++)
		if (!has_tried(i, before))
			return false;
	return true;
}

/* For the reader of a run that does not end. */
static void name_late(const unsigned long *before)
{
	for (int i = 0; i < n_attacks; i++)
		if (!has_tried(i, before))
			fprintf(stderr, "no try yet: %s\n", attacks[i]->name);
}

static void play_round(void)
{
	long begin = now_ms();
	unsigned long before[MAX_ATTACKS];

	for (int i = 0; i < n_attacks; i++) {
		before[i] = shared->tallies[i].tries;
		pids[i] = start(i, attacks[i]->user, true);
	}
	for (unsigned polls = 1; !all_have_tried(before) || (shared->soak && now_ms() < begin + ROUND_TIME); polls++) {
		usleep(5000);
		reap(true);
		if (polls >= FIRST_RESTART && !(polls & (polls - 1))) {
			name_late(before);
			signal_all(SIGKILL);
		}
	}
	end_round();
}

/* Rounds until there were enough, or until the time is over. */
static void play(const char *amount)
{
	long n = atol(amount), end = now_ms() + n * 1000;

	shared->soak = strchr(amount, 's') != NULL;
	for (long i = 0; shared->soak ? now_ms() < end : i < n; i++)
		play_round();
}

static int report(int cpus)
{
	int defects = 0;

	printf("\n");
	for (int i = 0; i < n_attacks; i++) {
		const struct tally *tally = &shared->tallies[i];

		printf("%s: %lu tries\n", attacks[i]->name, tally->tries);
		if (!tally->tries && ++defects)
			printf("DEFECT %s: has not made one try\n", attacks[i]->name);
		if (tally->wins && ++defects)
			printf("DEFECT %s: %s: %lu times (%ld)\n", attacks[i]->name, attacks[i]->never, tally->wins, tally->detail);
	}
	printf("root: %lu rounds of calls, %lu failed\n", shared->guard_rounds, shared->n_faults);
	for (unsigned long i = 0; i < shared->n_faults && i < MAX_FAULTS && ++defects; i++)
		printf("DEFECT root: %s: %s\n", shared->faults[i].call, strerror(shared->faults[i].error));
	for (int cpu = 0; cpu < cpus; cpu++)
		printf("cpu %d: %ld wake-ups, late by %ld us at most\n", cpu, shared->wakeups[cpu], shared->late_us[cpu]);
	return defects != 0;
}

int main(int argc, char **argv)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);

	if (!strcmp(argv[0], "victim"))
		return victim(argc > 1 ? argv[1] : "");
	cpus = cpus > MAX_CPUS ? MAX_CPUS : cpus;
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	choose(program_attacks, argc, argv);
	choose(file_attacks, argc, argv);
	choose(process_attacks, argc, argv);
	choose(resource_attacks, argc, argv);
	choose(flood_attacks, argc, argv);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setpriority(PRIO_PROCESS, 0, -10);
	umask(022);
	prepare_all();
	start_guards(cpus);
	for (int i = 0; i < n_attacks; i++)
		partners[i] = attacks[i]->partner ? start(i, attacks[i]->partner, false) : 0;
	play(argc > 1 ? argv[1] : "1");
	shared->stop = true;
	for (int i = 0; i < n_attacks; i++)
		if (partners[i])
			kill(partners[i], SIGKILL);
	end_round(); /* a partner may have made a process of the user */
	while (waitpid(-1, NULL, 0) > 0)
		;
	return report(cpus);
}
