/* mmap(2) of files, private and shared: what the file, other areas and children see; SIGBUS behind the end. */
#include <setjmp.h>

#include "abi.h"

#define PAGE 4096

static sigjmp_buf back;
static volatile int code;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	code = sig * 100 + info->si_code;
	siglongjmp(back, 1);
}

static char *file_shared, *file_private;

static void writes(void)
{
	file_shared[1] = 'C';
	file_private[1] = 'c';
	show("child: %.3s %.3s", file_shared, file_private);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	char buf[8] = "", *map;
	int fd, ro;

	CALL(fd = open("f", O_RDWR | O_CREAT, 0600));
	CALL(write(fd, "abcdef", 6));
	file_shared = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	file_private = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	TRUTH(file_shared != MAP_FAILED && file_private != MAP_FAILED);
	show("%.6s %.6s %d", file_shared, file_private, file_shared[6]);
	file_shared[0] = 'A';
	show("%c", file_private[0]);
	file_private[2] = 'x';
	CALL(pread(fd, buf, 6, 0));
	show("%s %.6s %.6s", buf, file_shared, file_private);
	CALL(pwrite(fd, "12345", 5, 0));
	show("%.6s %.6s", file_shared, file_private);
	CHILD(writes);
	show("%.6s %.6s", file_shared, file_private);
	CALL(msync(file_shared, PAGE, MS_SYNC));
	CALL(msync(file_shared, PAGE, MS_SYNC | MS_ASYNC));
	CALL(msync(file_shared + 1, PAGE, MS_SYNC));
	CALL(close(fd));
	CALL(fd = open("f", O_RDWR));
	CALL(unlink("f"));
	file_shared[3] = 'D';
	CALL(pread(fd, buf, 6, 0));
	show("%s", buf);

	/* Two pages of area, one page of file. */
	map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGSEGV, &action, NULL);
	if (!sigsetjmp(back, 1))
		map[PAGE] = 1;
	show("fault %d", code);
	CALL(ftruncate(fd, 2 * PAGE));
	map[PAGE] = 1;
	CALL(ftruncate(fd, 10));
	if (!sigsetjmp(back, 1))
		map[PAGE]++;
	show("fault %d", code);
	map[11] = 'z';
	CALL(ftruncate(fd, 2 * PAGE));
	show("%d %d", map[11], map[PAGE]);
	CALL(read(fd, map + PAGE, 3));

	CALL(ro = open("/proc/self/exe", O_RDONLY));
	CALL(mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, ro, 0));
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE, ro, 0);
	TRUTH(map != MAP_FAILED && !memcmp(map, "\177ELF", 4));
	map[0] = 0;
	map = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro, 0);
	TRUTH(map[0] == 0x7f);
	CALL(mprotect(map, PAGE, PROT_READ | PROT_WRITE));
	if (!sigsetjmp(back, 1))
		map[0] = 1;
	show("fault %d", code);
	CALL(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 1));
	CALL(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, 99, 0));
	CALL(mmap(NULL, PAGE, PROT_READ, 0, fd, 0));
	CALL(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, open(".", O_RDONLY), 0));
	CALL(close(fd));
	CALL(fd = open("w", O_WRONLY | O_CREAT, 0600));
	CALL(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0));
	CALL(mmap(NULL, PAGE, PROT_WRITE, MAP_SHARED, fd, 0));
	return 0;
}
