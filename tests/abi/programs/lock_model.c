/*
 * fcntl(2) locks of three processes and two open files, at random: each answer of F_SETLK and F_GETLK is that of a model which keeps, for each byte,
 * who holds it and how. The sum over all answers, and over the owners that F_GETLK names, is that of Linux, too.
 */
#include "abi.h"

#define OWNERS 5 /* three processes, then two open files */
#define BYTES  24
#define ROUNDS 5000

struct order {
	int cmd, type, start, len;
};

static char held[OWNERS][BYTES]; /* 0, or 1 + F_RDLCK or F_WRLCK */
static int to[3], from[3], files[2], fd;
static pid_t pids[3];

static unsigned random_number(unsigned below)
{
	static unsigned long state = 12345;

	state = state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)(state >> 33) % below;
}

struct answer {
	int err;
	struct flock lock;
};

static struct answer obey(int file, bool of_file, struct order order)
{
	struct answer a = { .lock = { .l_type = (short)order.type, .l_start = order.start, .l_len = order.len } };
	int cmd = order.cmd;

	if (of_file)
		cmd = cmd == F_GETLK ? F_OFD_GETLK : F_OFD_SETLK;
	a.err = fcntl(file, cmd, &a.lock) ? errno : 0;
	return a;
}

static void start_process(int i)
{
	int in[2], out[2];

	pipe(in);
	pipe(out);
	pids[i] = fork();
	if (!pids[i]) {
		struct order order;

		close(in[1]);
		while (read(in[0], &order, sizeof(order)) == sizeof(order)) {
			struct answer a = obey(fd, false, order);

			write(out[1], &a, sizeof(a));
		}
		_exit(0);
	}
	close(in[0]);
	close(out[1]);
	to[i] = in[1];
	from[i] = out[0];
}

static struct answer ask(int owner, struct order order)
{
	struct answer a = { .err = -1 };

	if (owner >= 3)
		return obey(files[owner - 3], true, order);
	write(to[owner], &order, sizeof(order));
	read(from[owner], &a, sizeof(a));
	return a;
}

static bool in_the_way(int owner, int type, int by, int byte)
{
	return by != owner && held[by][byte] && (type == F_WRLCK || held[by][byte] == 1 + F_WRLCK);
}

static bool free_for(int owner, struct order order)
{
	for (int by = 0; by < OWNERS; by++)
		for (int at = order.start; at < order.start + order.len; at++)
			if (in_the_way(owner, order.type, by, at))
				return false;
	return true;
}

/* Is what F_GETLK tells a whole lock of somebody, in the way of the order? */
static bool is_lock(int owner, struct order order, const struct flock *l)
{
	int first = (int)l->l_start, last = first + (int)l->l_len - 1;

	for (int by = 0; by < OWNERS; by++) {
		bool all = by != owner && (by < 3 ? l->l_pid == pids[by] : l->l_pid == -1);

		for (int at = first; all && at <= last; at++)
			all = at >= 0 && at < BYTES && held[by][at] == 1 + l->l_type;
		all = all && (first == 0 || held[by][first - 1] != 1 + l->l_type);
		all = all && (last == BYTES - 1 || held[by][last + 1] != 1 + l->l_type);
		if (all && first < order.start + order.len && last >= order.start && in_the_way(owner, order.type, by, first))
			return true;
	}
	return false;
}

static int number_of(pid_t pid)
{
	for (int i = 0; i < 3; i++)
		if (pids[i] == pid)
			return i;
	return pid == -1 ? 3 : 4;
}

int main(void)
{
	unsigned long sum = 0, refused = 0, wrong = 0;

	fd = open("f", O_RDWR | O_CREAT, 0644);
	for (int i = 0; i < 2; i++)
		files[i] = open("f", O_RDWR | O_CLOEXEC);
	for (int i = 0; i < 3; i++)
		start_process(i);
	for (int round = 0; round < ROUNDS; round++) {
		int owner = (int)random_number(OWNERS);
		struct order order = { F_SETLK, (int)random_number(3), (int)random_number(BYTES), 0 };
		bool is_free;
		struct answer a;

		order.len = 1 + (int)random_number((unsigned)(BYTES - order.start < 8 ? BYTES - order.start : 8));
		if (order.type != F_UNLCK && random_number(3) == 0)
			order.cmd = F_GETLK;
		is_free = order.type == F_UNLCK || free_for(owner, order);
		a = ask(owner, order);
		if (order.cmd == F_GETLK) {
			wrong += a.err || (a.lock.l_type == F_UNLCK) != is_free;
			wrong += !is_free && !is_lock(owner, order, &a.lock);
			sum = sum * 31 + (unsigned long)(a.lock.l_type + 3 * a.lock.l_start + 100 * a.lock.l_len);
			sum += is_free ? 0 : 10000UL * (unsigned)number_of(a.lock.l_pid);
			continue;
		}
		refused += a.err != 0;
		wrong += a.err != (is_free ? 0 : EAGAIN);
		if (!a.err)
			memset(&held[owner][order.start], order.type == F_UNLCK ? 0 : 1 + order.type, (size_t)order.len);
	}
	show("refused: %lu, wrong: %lu, sum: %lx", refused, wrong, sum);
	return 0;
}
