/*
 * Programs of eBPF attached in each way: `checks` prints what bpf(2) and perf's descriptors answer,
 * the same on Linux 6.1, and `checks nop5` more, which Linux has not; `storm ROUNDS SEED` attaches and
 * detaches at random, so often in each of four threads.
 */
#define _GNU_SOURCE
#include <asm/ptrace.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../../abi/btf.h"
#include "bpf_attach.h"

#define HITS 1000

/* ---- the place of a uprobe ---- */

__attribute__((noinline, noclone, aligned(16))) int probed(int n)
{
	__asm__ __volatile__("nop");
	return n + 1;
}

/* The offset of probed() in the file of this program, which is static and without PIE. */
static uint64_t offset_of_probed(void)
{
	FILE *file = fopen("/proc/self/maps", "r");
	unsigned long start, end, offset, address = (unsigned long)&probed, found = 0;
	char line[512];

	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && address >= start && address < end)
			found = address - start + offset;
	fclose(file);
	return found;
}

static void call_all(int n)
{
	for (int i = 0; i < n; i++) {
		syscall(SYS_getsid, 0);
		probed(i);
	}
}

/* ---- checks ---- */

static void say(const char *what, long result)
{
	printf("%s: %ld\n", what, result > 0 && result < 1024 && !strchr(what, '#') ? 0 : result);
}

static long count_read(long event)
{
	uint64_t count = ~0ULL;

	return read((int)event, &count, sizeof(count)) == sizeof(count) ? (long)count : -errno;
}

static void check_refusals(int map)
{
	int kprobe = load_plain(BPF_PROG_TYPE_KPROBE, map), tp = load_plain(BPF_PROG_TYPE_TRACEPOINT, map);
	int sample = load_plain(BPF_PROG_TYPE_PERF_EVENT, map), raw = load_plain(BPF_PROG_TYPE_RAW_TRACEPOINT, map);
	long at_kprobe = open_probe("kprobe", "vfs_read", 0, 0), at_tp = open_tracepoint("sched/sched_switch", -1, 0);
	long clock = open_clock(0), file = open("/proc/self/stat", O_RDONLY);
	union bpf_attr attr = { 0 };
	int link;

	printf("programs: %d %d %d %d\n", kprobe > 0, tp > 0, sample > 0, raw > 0);
	say("link to no descriptor", link_event(kprobe, -1, 0));
	say("link to a file", link_event(kprobe, (int)file, 0));
	say("link with flags", link_event(kprobe, (int)at_kprobe, 1));
	say("link of a raw tracepoint program to an event", link_event(raw, (int)at_kprobe, 0));
	say("raw tracepoint without a name", open_raw(NULL, raw));
	say("raw tracepoint that is not there", open_raw("no_such_tracepoint", raw));
	say("raw tracepoint of a kprobe program", open_raw("sched_switch", kprobe));
	say("no descriptor as program", set_program(at_kprobe, -1));
	say("a file as program", set_program(at_kprobe, (int)file));
	say("tracepoint program on a kprobe", set_program(at_kprobe, tp));
	say("kprobe program on a tracepoint", set_program(at_tp, kprobe));
	say("kprobe program on a clock", set_program(clock, kprobe));
	say("sample program on a kprobe", set_program(at_kprobe, sample));
	say("program that reads behind the record", set_program(at_tp, load(BPF_PROG_TYPE_TRACEPOINT, 0, map, 512, 0, 0)));
	say("raw program that reads behind the arguments", open_raw("sched_switch", load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, map, 64, 0, 0)));
	say("kprobe program on a kprobe", set_program(at_kprobe, kprobe));
	say("a second one", set_program(at_kprobe, kprobe));
	say("a link beside it", link_event(kprobe, (int)at_kprobe, 0));
	link = link_event(tp, (int)at_tp, 0);
	say("link to a tracepoint", link);
	say("a program beside it", set_program(at_tp, tp));
	attr.link_update.link_fd = (uint32_t)link;
	attr.link_update.new_prog_fd = (uint32_t)tp;
	say("update of the link", bpf(BPF_LINK_UPDATE, &attr));
	memset(&attr, 0, sizeof(attr));
	attr.link_detach.link_fd = (uint32_t)link;
	say("detach of the link", bpf(BPF_LINK_DETACH, &attr));
	close(link);
	say("a program after it", set_program(at_tp, tp));
	say("sample program on a clock", set_program(clock, sample));
	say("update of a program's descriptor", (attr.link_detach.link_fd = (uint32_t)tp, bpf(BPF_LINK_DETACH, &attr)));
	close((int)at_kprobe);
	close((int)at_tp);
	close((int)clock);
}

static void check_counts(int map)
{
	int raw = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, map, 8, SYS_getsid, 0);
	int tp = load(BPF_PROG_TYPE_TRACEPOINT, 0, map, 8, SYS_getsid, 0), all = load_plain(BPF_PROG_TYPE_TRACEPOINT, map);
	int kprobe = load_plain(BPF_PROG_TYPE_KPROBE, map), passes = load(BPF_PROG_TYPE_TRACEPOINT, 0, map, -1, 0, 1);
	uint64_t offset = offset_of_probed();
	long event, uprobe;
	int link;

	clear(map);
	link = open_raw("sys_enter", raw);
	call_all(HITS);
	close(link);
	say("# raw tracepoint", (long)count_of(map));
	clear(map);
	event = open_tracepoint("raw_syscalls/sys_enter", 0, -1);
	set_program(event, tp);
	call_all(HITS);
	say("# tracepoint", (long)count_of(map));
	say("# and the count of its event, whose program drops all", count_read(event));
	close((int)event);
	clear(map);
	event = open_tracepoint("syscalls/sys_enter_getsid", 0, -1);
	set_program(event, passes);
	call_all(HITS);
	say("# tracepoint of one system call", (long)count_of(map));
	say("# and the count of its event, whose program drops none", count_read(event));
	link = link_event(all, (int)open_tracepoint("syscalls/sys_enter_getsid", -1, 0), 0);
	call_all(HITS);
	say("# two programs of one tracepoint", (long)count_of(map));
	say("# and the count, of which the second one drops all", count_read(event));
	close((int)event);
	close(link);
	clear(map);
	uprobe = open_probe("uprobe", "/proc/self/exe", offset, 0);
	set_program(uprobe, kprobe);
	event = open_probe("uprobe", "/proc/self/exe", offset, 1);
	link = link_event(kprobe, (int)event, 0);
	close((int)event); /* the link keeps it */
	call_all(HITS);
	say("# uprobe and uretprobe", (long)count_of(map));
	close((int)uprobe);
	call_all(HITS);
	say("# and the uretprobe alone", (long)count_of(map));
	close(link);
	call_all(HITS);
	say("# and none", (long)count_of(map));
	clear(map);
}

/* Writes a command to a file of tracefs. */
static long command(const char *file, const char *text)
{
	char path[64];
	long result;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/%s", file);
	fd = open(path, O_WRONLY | O_APPEND);
	result = word(write(fd, text, strlen(text)));
	close(fd);
	return result > 0 ? 0 : result;
}

/* The program, on an event of tracefs that is hit by call_all(). Prints what it counts, and what the event does. */
static void check_event(const char *name, int program, int map)
{
	long event = open_tracepoint(name, 0, -1);

	say(name, set_program(event, program));
	clear(map);
	call_all(HITS);
	say("# its program", (long)count_of(map));
	say("# its count", count_read(event));
	close((int)event);
}

/* Events that were made by kprobe_events and uprobe_events, to which libbpf attaches on old kernels. */
static void check_files(int map)
{
	int kprobe = load_plain(BPF_PROG_TYPE_KPROBE, map), tp = load_plain(BPF_PROG_TYPE_TRACEPOINT, map);
	int passes = load(BPF_PROG_TYPE_KPROBE, 0, map, -1, 0, 1);
	int at_5 = load(BPF_PROG_TYPE_KPROBE, 0, map, offsetof(struct pt_regs, rdi), 5, 1);
	int gives_6 = load(BPF_PROG_TYPE_KPROBE, 0, map, offsetof(struct pt_regs, rax), 6, 1);
	char text[128];
	long event;

	say("kprobe_events", command("kprobe_events", "p:bpf_attach/enter __x64_sys_getsid"));
	say("with a value", command("kprobe_events", "p:bpf_attach/value __x64_sys_getsid di=%di"));
	say("at the return", command("kprobe_events", "r:bpf_attach/leave __x64_sys_getsid"));
	snprintf(text, sizeof(text), "p:bpf_attach/probed /proc/self/exe:0x%lx", (long)offset_of_probed());
	say("uprobe_events", command("uprobe_events", text));
	snprintf(text, sizeof(text), "r:bpf_attach/probed_ret /proc/self/exe:0x%lx name=+0(%%sp):string", (long)offset_of_probed());
	say("at the return, with a value", command("uprobe_events", text));
	check_event("bpf_attach/enter", tp, map);
	check_event("bpf_attach/enter", kprobe, map);
	check_event("bpf_attach/enter", passes, map);
	check_event("bpf_attach/value", passes, map);
	check_event("bpf_attach/leave", passes, map);
	check_event("bpf_attach/probed", kprobe, map);
	check_event("bpf_attach/probed", at_5, map);
	check_event("bpf_attach/probed_ret", gives_6, map);
	event = open_tracepoint("bpf_attach/enter", 0, -1);
	set_program(event, passes);
	say("one more probe of an event that has a program", command("kprobe_events", "p:bpf_attach/enter __x64_sys_getpgid"));
	clear(map);
	for (int i = 0; i < HITS; i++)
		syscall(SYS_getpgid, 0);
	say("# the program, at its hits", (long)count_of(map));
	say("removal of one of two probes", command("kprobe_events", "-:bpf_attach/enter __x64_sys_getpgid"));
	say("removal of an event that has a program", command("kprobe_events", "-:bpf_attach/enter"));
	close((int)event);
	say("and without", command("kprobe_events", "-:bpf_attach/enter"));
	command("kprobe_events", "-:bpf_attach/value");
	command("kprobe_events", "-:bpf_attach/leave");
	command("uprobe_events", "-:bpf_attach/probed");
	command("uprobe_events", "-:bpf_attach/probed_ret");
}

static void query(const char *what, long fd)
{
	char name[64] = "";
	union bpf_attr attr = { .task_fd_query = { .pid = (uint32_t)getpid(),
						   .fd = (uint32_t)fd,
						   .buf = (uintptr_t)name,
						   .buf_len = sizeof(name) } };
	int result = bpf(BPF_TASK_FD_QUERY, &attr);

	printf("query of %s: %d, type %u, \"%s\" %u, program %d, offset %llu\n", what, result, attr.task_fd_query.fd_type, name,
	       attr.task_fd_query.buf_len, attr.task_fd_query.prog_id > 0, attr.task_fd_query.probe_offset);
}

static void show_fdinfo(int fd)
{
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "r");
	while (fgets(line, sizeof(line), file))
		if (strstr(line, "link_type") || strstr(line, "tp_name"))
			printf("fdinfo: %s", line);
	fclose(file);
}

static void check_reports(int map)
{
	int raw = load_plain(BPF_PROG_TYPE_RAW_TRACEPOINT, map), kprobe = load_plain(BPF_PROG_TYPE_KPROBE, map);
	int link = open_raw("sched_switch", raw), tp = load_plain(BPF_PROG_TYPE_TRACEPOINT, map), other;
	struct bpf_link_info info = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = (uint32_t)link, .info_len = sizeof(info), .info = (uintptr_t)&info } };
	long event = open_probe("kprobe", "vfs_read", 0, 0), ret = open_probe("kprobe", "vfs_read", 0, 1), tpe = open_tracepoint("sched/sched_switch", -1, 0);
	char name[8];
	uint32_t id;

	set_program(event, kprobe);
	set_program(ret, kprobe);
	query("a raw tracepoint", link);
	query("an event without a program", tpe);
	set_program(tpe, tp);
	query("a kprobe", event);
	query("a kretprobe", ret);
	query("a tracepoint", tpe);
	query("a program", kprobe);
	query("nothing", 1000);
	say("info", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr));
	printf("info: type %u, length of the name %u\n", info.type, info.raw_tracepoint.tp_name_len);
	id = info.id;
	memset(&info, 0, sizeof(info));
	info.raw_tracepoint.tp_name = (uintptr_t)name;
	info.raw_tracepoint.tp_name_len = sizeof(name);
	say("info with a short buffer", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr));
	printf("name: %s\n", name);
	show_fdinfo(link);
	memset(&attr, 0, sizeof(attr));
	attr.link_id = id;
	other = bpf(BPF_LINK_GET_FD_BY_ID, &attr);
	say("descriptor by id", other);
	close(link);
	close(other);
	say("descriptor by the id of a link that is gone", bpf(BPF_LINK_GET_FD_BY_ID, &attr));
	close((int)event);
	close((int)ret);
	close((int)tpe);
}

static void check_clock(int map)
{
	long event = open_clock(0);

	set_program(event, load_plain(BPF_PROG_TYPE_PERF_EVENT, map));
	clear(map);
	ioctl((int)event, PERF_EVENT_IOC_ENABLE, 0);
	while (!count_of(map)) /* the test has a limit */
		sched_yield();
	printf("clock runs its program: %d\n", count_of(map) > 0);
	close((int)event);
}

/* Debian's Linux has no fprobe: this is for nop5 alone. */
static void check_multi(int map)
{
	static const char *const names[] = { "vfs_read", "vfs_write" }, *const bad[] = { "no_such_function" };
	int plain = load_plain(BPF_PROG_TYPE_KPROBE, map), program = load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, map, -1, 0, 0);
	int link, back, fd = open("/dev/zero", O_RDWR);
	char byte = 0;

	say("multi: program of another kind", link_multi(plain, 0, names, 2));
	say("multi: flags", link_multi(program, 2, names, 2));
	say("multi: no function", link_multi(program, 0, names, 0));
	say("multi: a function that is not there", link_multi(program, 0, bad, 1));
	link = link_multi(program, 0, names, 2);
	say("multi", link);
	say("multi: on one event", link_event(program, link, 0));
	back = link_multi(program, 1, names, 2);
	say("multi return", back);
	clear(map);
	for (int i = 0; i < HITS; i++)
		if (read(fd, &byte, 1) != 1 || write(fd, &byte, 1) != 1)
			puts("read or write failed");
	printf("multi: at least 4 hits for each round: %d\n", count_of(map) >= 4 * HITS);
	close(link);
	close(back);
	clear(map);
	if (read(fd, &byte, 1) != 1)
		puts("read failed");
	say("# multi, detached", (long)count_of(map));
}

/* ---- fmod_ret: Linux has other functions that allow it ---- */

/* Returns result for this process, else 0, so that the function runs. A descriptor or an error. */
static long load_modify(const char *function, int result, char *log, unsigned size)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_current_pid_tgid },
		{ .code = BPF_ALU64 | BPF_RSH | BPF_K, .dst_reg = 0, .imm = 32 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = 1, .src_reg = 0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = 0 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = 1, .off = 1, .imm = getpid() },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .imm = result },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_MODIFY_RETURN, .insns = (uint64_t)insns,
				.insn_cnt = sizeof(insns) / sizeof(*insns), .license = (uint64_t)"GPL", .attach_btf_id = kernel_function_id(function),
				.log_level = !!log, .log_buf = (uint64_t)log, .log_size = size };
	long fd = syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

static long attach_modify(long program)
{
	union bpf_attr attr = { .raw_tracepoint = { .prog_fd = (uint32_t)program } };
	long fd = syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));

	return fd < 0 ? -errno : fd;
}

static void say_truncate(const char *what)
{
	printf("modify: truncate %s: %d\n", what, truncate("/tmp/modify", 7) ? -errno : 0);
}

static void check_modify(void)
{
	static const char *const refused[] = { "vfs_read", "vmalloc" };
	long errors = load_modify("vfs_truncate", -EDQUOT, NULL, 0), numbers = load_modify("vfs_truncate", 4711, NULL, 0), link, second;

	for (unsigned i = 0; i < 2; i++) {
		char log[4096] = "";
		long error = load_modify(refused[i], -1, log, sizeof(log));

		printf("modify: %ld %s", error, log);
	}
	close(open("/tmp/modify", O_CREAT | O_RDWR, 0600));
	say("modify: load", errors);
	say_truncate("before");
	link = attach_modify(errors);
	say("modify: attach", link);
	say_truncate("with a program");
	printf("modify: truncate of another process: %d\n", system("truncate -s 9 /tmp/modify"));
	second = attach_modify(numbers);
	say("modify: a second one", second);
	close((int)link);
	say_truncate("with a number");
	close((int)second);
	say_truncate("after");
	unlink("/tmp/modify");
}

/* The function of a system call has the types of the call; all system calls are functions that may fail. */
static void check_modify_syscall(void)
{
	long link;

	mkdir("/tmp/modify", 0700);
	link = attach_modify(load_modify("__x64_sys_rmdir", -EDQUOT, NULL, 0));
	say("modify: attach to rmdir", link);
	printf("modify: rmdir with a program: %d\n", rmdir("/tmp/modify") ? -errno : 0);
	close((int)link);
	printf("modify: rmdir after: %d\n", rmdir("/tmp/modify") ? -errno : 0);
}

/* ---- iterators: Linux compares the size of the elements only when a link is made ---- */

/* A program for each element of a map, which reads a byte of the value; off < 0: reads none. */
static int load_iter(int off)
{
	struct bpf_insn insns[] = {
		INSN(BPF_LDX | BPF_DW | BPF_MEM, 1, 1, 24, 0), /* the value */
		INSN(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1, 0),
		INSN(BPF_LDX | BPF_B | BPF_MEM, 0, 1, (short)off, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = { .prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_ITER, .insns = (uintptr_t)insns,
				.insn_cnt = sizeof(insns) / sizeof(*insns), .license = (uintptr_t) "GPL",
				.attach_btf_id = kernel_function_id("bpf_iter_bpf_map_elem") };

	if (off < 0)
		insns[2] = insns[3];
	return bpf(BPF_PROG_LOAD, &attr);
}

static int link_iter(int program, int map)
{
	union bpf_iter_link_info info = { .map.map_fd = (uint32_t)map };
	union bpf_attr attr = { .link_create = { .prog_fd = (uint32_t)program, .attach_type = BPF_TRACE_ITER,
						 .iter_info = (uintptr_t)&info, .iter_info_len = sizeof(info) } };

	return bpf(BPF_LINK_CREATE, &attr);
}

static int update_link(int link, int program)
{
	union bpf_attr attr = { .link_update = { .link_fd = (uint32_t)link, .new_prog_fd = (uint32_t)program } };

	return bpf(BPF_LINK_UPDATE, &attr);
}

static int put_program(int array, int program)
{
	uint32_t key = 0;
	union bpf_attr attr = { .map_fd = (uint32_t)array, .key = (uintptr_t)&key, .value = (uintptr_t)&program };

	return bpf(BPF_MAP_UPDATE_ELEM, &attr);
}

static void check_iter(int map)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_PROG_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1 };
	int array = bpf(BPF_MAP_CREATE, &attr), none = load_iter(-1), last = load_iter(7), behind = load_iter(8), link;

	printf("iter: programs: %d %d %d\n", none > 0, last > 0, behind > 0);
	say("iter: link of a program that reads behind the value", link_iter(behind, map));
	say("iter: link to a prog array", link_iter(none, array));
	link = link_iter(none, map);
	say("iter: link", link);
	say("iter: update to a program that reads the last byte", update_link(link, last));
	say("iter: update to one that reads behind it", update_link(link, behind));
	say("iter: target of tail calls that reads values", put_program(array, last));
	say("iter: target of tail calls that reads none", put_program(array, none));
	close(link);
	close(array);
}

/* ---- storm ---- */

#define NR_THREADS 4
static int storm_map, programs[6];
static unsigned storm_rounds;

static int attach_at_random(unsigned *seed)
{
	static const char *const names[] = { "vfs_read", "vfs_write", "ksys_read" };
	static const char *const raws[] = { "sys_enter", "sys_exit", "sched_switch", "sched_wakeup" };
	static const char *const tps[] = { "raw_syscalls/sys_exit", "syscalls/sys_enter_getsid", "sched/sched_switch", "sched/sched_waking" };
	unsigned kind = (unsigned)rand_r(seed) % 8, n = (unsigned)rand_r(seed);
	int link = -1;
	long event;

	switch (kind) {
	case 0:
		return open_raw(raws[n % 4], programs[0]);
	case 1:
		event = open_tracepoint(tps[n % 4], -1, 0);
		set_program(event, programs[1]);
		return (int)event;
	case 2:
	case 3:
		event = kind == 2 ? open_probe("kprobe", names[n % 3], 0, n / 3 % 2)
				  : open_probe("uprobe", "/proc/self/exe", offset_of_probed(), n % 2);
		break;
	case 4:
		event = open_clock((int)(n % (unsigned)sysconf(_SC_NPROCESSORS_ONLN)));
		link = link_event(programs[3], (int)event, 0);
		close((int)event);
		return link;
	case 7:
		event = open_tracepoint(n / 5 % 2 ? "bpf_attach/kernel" : "bpf_attach/user", -1, 0);
		break;
	case 5:
		return link_multi(programs[4], n % 2, names, 1 + n / 2 % 3);
	default:
		event = open_tracepoint(tps[n % 4], -1, 0);
		link = link_event(programs[1], (int)event, 0);
		close((int)event);
		return link;
	}
	if (n % 5) {
		link = link_event(programs[2], (int)event, 0);
		close((int)event);
		return link;
	}
	set_program(event, programs[2]);
	return (int)event;
}

static void *storm_thread(void *seed_start)
{
	unsigned seed = (unsigned)(uintptr_t)seed_start;
	int fds[8] = { -1, -1, -1, -1, -1, -1, -1, -1 };

	for (unsigned round = 0; round < storm_rounds; round++) {
		unsigned n = (unsigned)rand_r(&seed) % 8;

		close(fds[n]);
		fds[n] = attach_at_random(&seed);
		call_all(20);
	}
	for (int i = 0; i < 8; i++)
		close(fds[i]);
	return NULL;
}

static void storm(unsigned rounds, unsigned seed)
{
	pthread_t threads[NR_THREADS];
	char text[128];

	storm_map = new_map();
	programs[0] = load_plain(BPF_PROG_TYPE_RAW_TRACEPOINT, storm_map);
	programs[1] = load_plain(BPF_PROG_TYPE_TRACEPOINT, storm_map);
	programs[2] = load_plain(BPF_PROG_TYPE_KPROBE, storm_map);
	programs[3] = load_plain(BPF_PROG_TYPE_PERF_EVENT, storm_map);
	programs[4] = load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, storm_map, -1, 0, 0);
	snprintf(text, sizeof(text), "p:bpf_attach/user /proc/self/exe:0x%lx", (long)offset_of_probed());
	if (command("kprobe_events", "p:bpf_attach/kernel vfs_read") || command("uprobe_events", text))
		puts("no events of kprobe_events or uprobe_events");
	storm_rounds = rounds;
	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, storm_thread, (void *)(uintptr_t)(seed + (unsigned)i));
	for (int i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	if (command("kprobe_events", "-:bpf_attach/kernel") || command("uprobe_events", "-:bpf_attach/user"))
		puts("an event is still in use");
	printf("counted: %d\n", count_of(storm_map) > 0);
}

int main(int argc, char **argv)
{
	int map = new_map();

	setvbuf(stdout, NULL, _IONBF, 0);
	if (argc == 4 && !strcmp(argv[1], "storm")) {
		storm(atoi(argv[2]), (unsigned)atoi(argv[3]));
		return 0;
	}
	check_refusals(map);
	check_counts(map);
	check_files(map);
	check_reports(map);
	check_clock(map);
	if (argc > 2) {
		check_multi(map);
		check_modify();
		check_modify_syscall();
		check_iter(map);
	}
	return 0;
}
