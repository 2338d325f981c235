/*
 * Attributes that a user changes while root takes the file away: who owns it is asked under the lock under which the answer is used. In each round a
 * third process holds the file's lock for long, by a write, so that both others wait for it.
 */
#include "abi.h"

#include <sched.h>

#define ROUNDS rounds(30)
#define USER   1000

struct task {
	int go, done;
};

static int fd;
static char data[1 << 23]; /* the first byte: the number of the round */

/* Does fn each time that a byte comes, and answers with its result. */
static struct task start(int (*fn)(void), uid_t uid)
{
	int go[2], done[2];

	pipe(go);
	pipe(done);
	if (!fork()) {
		char c;

		close(go[1]);
		setgid(uid);
		setuid(uid);
		while (read(go[0], &c, 1) == 1) {
			c = (char)fn();
			write(done[1], &c, 1);
		}
		_exit(0);
	}
	close(go[0]);
	close(done[1]);
	return (struct task){ go[1], done[0] };
}

static int answer(struct task t)
{
	char c = 0;

	read(t.done, &c, 1);
	return c;
}

static struct stat look(void)
{
	struct stat st;

	fstat(fd, &st);
	return st;
}

static int set_user_id(void)
{
	return fchmod(fd, 04755);
}

static int set_times(void)
{
	struct timespec old[2] = { { 1, 0 }, { 1, 0 } };

	return futimens(fd, old);
}

/* A user who may write sets the times to now, and may no longer when the file is root's. */
static int set_now(void)
{
	return utimensat(AT_FDCWD, "f", NULL, 0);
}

static int hold(void)
{
	(*data)++;
	return pwrite(fd, data, sizeof(data), 0) != sizeof(data);
}

static int take(void)
{
	return fchown(fd, 0, 0);
}

/* The result: the times have changed after the file had become root's. */
static int take_and_watch(void)
{
	struct stat before, after;

	fchown(fd, 0, 0);
	before = look();
	for (int i = 0; i < 20; i++)
		sched_yield();
	after = look();
	return memcmp(&before.st_mtim, &after.st_mtim, sizeof(after.st_mtim)) != 0;
}

static void race(const char *what, int (*user)(void), int (*root)(void))
{
	struct task h = start(hold, 0), u = start(user, USER), r = start(root, 0);
	int wrong = 0;
	char first;

	for (int i = 1; i <= ROUNDS; i++) {
		struct timespec times[2] = { { 1000, 0 }, { 1000, 0 } };

		fchown(fd, USER, USER);
		fchmod(fd, 0600);
		futimens(fd, times);
		write(h.go, "", 1);
		while (pread(fd, &first, 1, 0) != 1 || first != (char)i)
			sched_yield(); /* until the write has begun */
		write(i & 1 ? u.go : r.go, "", 1);
		write(i & 1 ? r.go : u.go, "", 1);
		answer(h);
		answer(u);
		wrong += answer(r);
		wrong += look().st_uid == 0 && (look().st_mode & S_ISUID);
	}
	close(h.go);
	close(u.go);
	close(r.go);
	while (wait(NULL) > 0)
		;
	show("%s: %d", what, wrong);
}

int main(void)
{
	fd = open("f", O_RDWR | O_CREAT, 0644);
	chmod(".", 0755);
	write(fd, data, sizeof(data));
	race("programs of root that a user made set-user-id", set_user_id, take);
	race("files of root whose times a user set", set_times, take_and_watch);
	race("files of root whose times a user set to now", set_now, take_and_watch);
	return 0;
}
