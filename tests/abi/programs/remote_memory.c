/* process_vm_readv(2) and process_vm_writev(2): another process's memory, short transfers, rights. */
#include "abi.h"

#include <sys/uio.h>

static char *page;
static int go[2], done[2];

static void target(void)
{
	char b;

	strcpy(page, "memory of the child");
	mprotect(page + 4096, 4096, PROT_NONE);
	write(done[1], "x", 1);
	read(go[0], &b, 1);
	show("the child has: %s", page);
}

static void nobody_reads(pid_t pid)
{
	char b[10];
	struct iovec local = { b, 10 }, remote = { page, 10 };

	setuid(65534);
	CALL(process_vm_readv(pid, &local, 1, &remote, 1, 0));
}

int main(void)
{
	char a[100] = { 0 }, b[100] = { 0 };
	struct iovec local[2] = { { a, 6 }, { b, 50 } }, remote[2];
	int status;
	pid_t pid;

	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	strcpy(page, "parent");
	pipe(go);
	pipe(done);
	pid = fork();
	if (!pid) {
		target();
		_exit(0);
	}
	read(done[0], a, 1);
	remote[0] = (struct iovec){ page, 10 };
	remote[1] = (struct iovec){ page + 10, 10 };
	CALL(process_vm_readv(pid, local, 2, remote, 2, 0));
	show("%.6s|%s", a, b);
	remote[0] = (struct iovec){ page + 4090, 20 };
	CALL(process_vm_readv(pid, local, 2, remote, 1, 0));
	remote[0] = (struct iovec){ page + 4096, 20 };
	CALL(process_vm_readv(pid, local, 2, remote, 1, 0));
	remote[0] = (struct iovec){ page, 4 };
	remote[1] = (struct iovec){ (void *)8, 4 };
	CALL(process_vm_readv(pid, local, 2, remote, 2, 0));
	CALL(process_vm_readv(pid, local, 2, remote, 2, 1));
	CALL(process_vm_readv(pid, local, 0, remote, 2, 0));
	CALL(process_vm_readv(pid, local, 2, remote, 0, 0));
	CALL(process_vm_readv(pid, local, -1, remote, 1, 0));
	CALL(process_vm_readv(pid, local, 1, remote, 1025, 0));
	CALL(process_vm_readv(pid, (void *)8, 1, remote, 1, 0));
	CALL(process_vm_readv(pid, local, 1, (void *)8, 1, 0));
	CALL(process_vm_readv(0x3fffffff, local, 1, remote, 1, 0));
	strcpy(a, "MEMORY");
	CALL(process_vm_writev(pid, local, 1, remote, 1, 0));
	local[0] = (struct iovec){ (void *)8, 4 };
	CALL(process_vm_writev(pid, local, 1, remote, 1, 0));
	CALL(process_vm_readv(pid, local, 1, remote, 1, 0));
	if (!fork()) {
		nobody_reads(pid);
		_exit(0);
	}
	wait(&status);
	write(go[1], "x", 1);
	waitpid(pid, &status, 0);
	show("the parent has: %s", page);
	return 0;
}
