/* Programs by bpf(2): what a load refuses, its log, test runs, info. */
#include "bpf.h"

static const struct bpf_insn two[] = { { .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 7 }, { .code = BPF_JMP | BPF_EXIT } };
#define LOAD_ARGS(...) BPF(BPF_PROG_LOAD, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)two, .insn_cnt = 2, .license = (uintptr_t)"GPL", __VA_ARGS__)
#pragma GCC diagnostic ignored "-Woverride-init"

static void loads(void)
{
	char log[512];

	tried("two instructions", LOAD_ARGS());
	tried("no instructions", LOAD_ARGS(.insn_cnt = 0));
	tried("1,000,001 instructions", LOAD_ARGS(.insn_cnt = 1000001));
	tried("a bad address", LOAD_ARGS(.insns = 8));
	tried("no license", LOAD_ARGS(.license = 0));
	tried("another license", LOAD_ARGS(.license = (uintptr_t)"MIT"));
	tried("all flags that are known", LOAD_ARGS(.prog_flags = 0x2f));
	tried("to sleep", LOAD_ARGS(.prog_flags = BPF_F_SLEEPABLE));
	tried("an unknown flag", LOAD_ARGS(.prog_flags = 1 << 6));
	tried("type 0", LOAD_ARGS(.prog_type = 0));
	tried("type 1000", LOAD_ARGS(.prog_type = 1000));
	tried("a name", LOAD_ARGS(.prog_name = "a_name.2"));
	tried("a bad name", LOAD_ARGS(.prog_name = "a name"));
	tried("a name without an end", LOAD_ARGS(.prog_name = "0123456789abcdef"));
	tried("a device", LOAD_ARGS(.prog_ifindex = 77));
	tried("an attach type", LOAD_ARGS(.expected_attach_type = 5));
	tried("an attach type of a syscall program", LOAD_ARGS(.prog_type = BPF_PROG_TYPE_SYSCALL, .prog_flags = BPF_F_SLEEPABLE, .expected_attach_type = 5));
	tried("a syscall program", LOAD_ARGS(.prog_type = BPF_PROG_TYPE_SYSCALL, .prog_flags = BPF_F_SLEEPABLE));
	tried("a syscall program that does not sleep", LOAD_ARGS(.prog_type = BPF_PROG_TYPE_SYSCALL));
	tried("attach_btf_id", LOAD_ARGS(.attach_btf_id = 1));
	tried("attach_prog_fd", LOAD_ARGS(.attach_prog_fd = 99));
	tried("tracing of nothing", LOAD_ARGS(.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_FENTRY));
	tried("tracing of type 1", LOAD_ARGS(.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_FENTRY, .attach_btf_id = 1));
	tried("tracing of a type that is not there", LOAD_ARGS(.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_FENTRY, .attach_btf_id = 0xffff0));
	tried("tracing of a large type", LOAD_ARGS(.prog_type = BPF_PROG_TYPE_TRACING, .expected_attach_type = BPF_TRACE_FENTRY, .attach_btf_id = 0x100000));
	tried("func_info without types", LOAD_ARGS(.func_info_cnt = 1, .func_info_rec_size = 8, .func_info = (uintptr_t)log));
	tried("line_info of another file", LOAD_ARGS(.line_info_cnt = 1, .prog_btf_fd = 1));
	tried("a type of a program that needs none", LOAD_ARGS(.prog_btf_fd = 99));
	tried("no exit", BPF(BPF_PROG_LOAD, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)two, .insn_cnt = 1, .license = (uintptr_t)"GPL"));
}

static void logs(void)
{
	char log[4096] = "";

	tried("a level without a buffer", LOAD_ARGS(.log_level = 1));
	tried("a buffer without a level", LOAD_ARGS(.log_buf = (uintptr_t)log, .log_size = sizeof(log)));
	tried("127 bytes", LOAD_ARGS(.log_level = 1, .log_buf = (uintptr_t)log, .log_size = 127));
	tried("too many bytes", LOAD_ARGS(.log_level = 1, .log_buf = (uintptr_t)log, .log_size = 0x40000000));
	tried("level 8", LOAD_ARGS(.log_level = 8, .log_buf = (uintptr_t)log, .log_size = sizeof(log)));
	tried("a bad buffer", LOAD_ARGS(.log_level = 1, .log_buf = 8, .log_size = sizeof(log)));
	memset(log, 'x', sizeof(log));
	tried("128 bytes, too few", LOAD_ARGS(.log_level = 2, .log_buf = (uintptr_t)log, .log_size = 128));
	show("the last byte is NUL: %d, length %zu", log[127] == 0, strlen(log));
	log[0] = 0;
	tried("statistics", LOAD_ARGS(.log_level = 4, .log_buf = (uintptr_t)log, .log_size = sizeof(log)));
	show("it has the line: %d", strstr(log, "processed 2 insns (limit 1000000) max_states_per_insn 0 total_states 0 peak_states 0 mark_read 0\n") != NULL);
	log[0] = 0;
	tried("an error with a log", BPF(BPF_PROG_LOAD, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)(two + 1), .insn_cnt = 1, .license = (uintptr_t)"GPL",
					 .log_level = 1, .log_buf = (uintptr_t)log, .log_size = sizeof(log)));
	show("it has the reason: %d", strstr(log, "R0 !read_ok\n") != NULL);
}

static void said_run(const char *what, union bpf_attr *attr)
{
	if (said(what, bpf(BPF_PROG_TEST_RUN, attr, sizeof(*attr))) >= 0 || errno == ENOSPC)
		show("retval %u, data %u, context %u", attr->test.retval, attr->test.data_size_out, attr->test.ctx_size_out);
}
#define RUN(what, ...) said_run(what, &(union bpf_attr){ .test = { .prog_fd = (unsigned)fd, __VA_ARGS__ } })

static void filters(void)
{
	int fd = (int)LOAD_ARGS();
	struct __sk_buff skb = { .mark = 5, .cb = { 1, 2, 3, 4, 5 } };
	char packet[64] = "0123456789abcdefghijklmnopqrstuvwxyz", out[64];

	RUN("without a packet");
	RUN("13 bytes", .data_in = (uintptr_t)packet, .data_size_in = 13);
	RUN("14 bytes", .data_in = (uintptr_t)packet, .data_size_in = 14);
	RUN("64 bytes", .data_in = (uintptr_t)packet, .data_size_in = 64);
	RUN("5000 bytes", .data_in = (uintptr_t)packet, .data_size_in = 5000);
	RUN("a bad packet", .data_in = 8, .data_size_in = 64);
	RUN("1000 times", .data_in = (uintptr_t)packet, .data_size_in = 64, .repeat = 1000);
	RUN("data out", .data_in = (uintptr_t)packet, .data_size_in = 40, .data_out = (uintptr_t)out, .data_size_out = 64);
	show("header %d %d, then %.6s", out[0], out[13], out + 14);
	RUN("little room", .data_in = (uintptr_t)packet, .data_size_in = 40, .data_out = (uintptr_t)out, .data_size_out = 20);
	RUN("flags", .data_in = (uintptr_t)packet, .data_size_in = 40, .flags = 1);
	RUN("cpu", .data_in = (uintptr_t)packet, .data_size_in = 40, .cpu = 1);
	RUN("a context", .data_in = (uintptr_t)packet, .data_size_in = 40, .ctx_in = (uintptr_t)&skb, .ctx_size_in = sizeof(skb), .ctx_out = (uintptr_t)&skb, .ctx_size_out = sizeof(skb));
	show("mark %u, cb %u, ifindex %u, wire_len %u, len %u", skb.mark, skb.cb[4], skb.ifindex, skb.wire_len, skb.len);
	skb = (struct __sk_buff){ .len = 3 };
	RUN("a context with a length", .data_in = (uintptr_t)packet, .data_size_in = 40, .ctx_in = (uintptr_t)&skb, .ctx_size_in = sizeof(skb));
	skb = (struct __sk_buff){ .ifindex = 1000 };
	RUN("another device", .data_in = (uintptr_t)packet, .data_size_in = 40, .ctx_in = (uintptr_t)&skb, .ctx_size_in = sizeof(skb));
	RUN("a short context", .data_in = (uintptr_t)packet, .data_size_in = 40, .ctx_in = (uintptr_t)&skb, .ctx_size_in = 12);
	close(fd);
}

static void raw_tracepoints(void)
{
	int fd = LOAD(BPF_PROG_TYPE_RAW_TRACEPOINT, MOV64_IMM(0, 9), EXIT()), probe;
	uint64_t args[16] = { 0 };

	RUN("nothing");
	RUN("12 arguments", .ctx_in = (uintptr_t)args, .ctx_size_in = 96);
	RUN("13 arguments", .ctx_in = (uintptr_t)args, .ctx_size_in = 104);
	RUN("a bad context", .ctx_in = 8, .ctx_size_in = 8);
	RUN("on CPU 1", .flags = 1, .cpu = 1);
	RUN("on CPU 4000", .flags = 1, .cpu = 4000);
	RUN("a CPU without the flag", .cpu = 1);
	RUN("often", .repeat = 2);
	RUN("a packet", .data_in = (uintptr_t)args);
	close(fd);
	fd = LOAD(BPF_PROG_TYPE_RAW_TRACEPOINT, { .code = BPF_LDX | BPF_MEM | BPF_DW, .src_reg = 1, .off = 8 }, EXIT());
	args[1] = 0x1122334455667788;
	RUN("8 bytes for a program that reads 16", .ctx_in = (uintptr_t)args, .ctx_size_in = 8);
	RUN("16 bytes", .ctx_in = (uintptr_t)args, .ctx_size_in = 16);
	close(fd);
	fd = probe = LOAD(BPF_PROG_TYPE_KPROBE, MOV64_IMM(0, 0), EXIT());
	RUN("a kprobe");
	close(probe);
}

static void syscall_programs(void)
{
	struct bpf_insn insns[] = { { .code = BPF_LDX | BPF_MEM | BPF_W, .src_reg = 1 }, MOV64_IMM(2, 77), { .code = BPF_STX | BPF_MEM | BPF_W, .dst_reg = 1, .src_reg = 2, .off = 4 }, EXIT() };
	int fd = (int)LOAD_ARGS(.prog_type = BPF_PROG_TYPE_SYSCALL, .prog_flags = BPF_F_SLEEPABLE, .insns = (uintptr_t)insns, .insn_cnt = 4);
	uint32_t words[4] = { 1234, 1 };

	RUN("a context", .ctx_in = (uintptr_t)words, .ctx_size_in = 16);
	show("it wrote %u", words[1]);
	RUN("too small a context", .ctx_in = (uintptr_t)words, .ctx_size_in = 4);
	RUN("a context out", .ctx_in = (uintptr_t)words, .ctx_size_in = 16, .ctx_out = (uintptr_t)words, .ctx_size_out = 16);
	close(fd);
}

static void information(void)
{
	int map = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0), other = make_map(BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0);
	struct bpf_insn insns[] = { LD_MAP(1, map), MOV64_IMM(0, 3), EXIT() }, dump[4];
	int fd = (int)LOAD_ARGS(.insns = (uintptr_t)insns, .insn_cnt = 4, .prog_name = "named");
	struct bpf_prog_info info = { .xlated_prog_insns = (uintptr_t)dump, .xlated_prog_len = sizeof(dump), .nr_map_ids = 4 };
	struct bpf_map_info map_info = { 0 };
	uint32_t ids[4] = { 0 };
	union bpf_attr attr = { .info = { .bpf_fd = (unsigned)map, .info_len = sizeof(map_info), .info = (uintptr_t)&map_info } };

	bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
	info.map_ids = (uintptr_t)ids;
	attr = (union bpf_attr){ .info = { .bpf_fd = (unsigned)fd, .info_len = sizeof(info), .info = (uintptr_t)&info } };
	said("info", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)));
	show("type %u, name %s, %u bytes of instructions, %u map, gpl %u, user %u, verified %u", info.type, info.name, info.xlated_prog_len, info.nr_map_ids, info.gpl_compatible,
	     info.created_by_uid, info.verified_insns);
	show("tag %02x%02x%02x%02x%02x%02x%02x%02x", info.tag[0], info.tag[1], info.tag[2], info.tag[3], info.tag[4], info.tag[5], info.tag[6], info.tag[7]);
	TRUTH(ids[0] == map_info.id && dump[0].imm == (int)map_info.id && dump[0].src_reg == BPF_PSEUDO_MAP_FD);
	show("records of %u and %u bytes", info.func_info_rec_size, info.line_info_rec_size);
	said("bind a map", BPF(BPF_PROG_BIND_MAP, .prog_bind_map = { .prog_fd = (unsigned)fd, .map_fd = (unsigned)other }));
	said("bind it again", BPF(BPF_PROG_BIND_MAP, .prog_bind_map = { .prog_fd = (unsigned)fd, .map_fd = (unsigned)other }));
	memset(&info, 0, sizeof(info));
	said("info", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)));
	show("%u maps", info.nr_map_ids);
	info = (struct bpf_prog_info){ .nr_func_info = 1, .func_info_rec_size = 4 };
	said("info with small records", bpf(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)));
	attr = (union bpf_attr){ .prog_id = info.id };
	close(fd);
	close(map);
	attr = (union bpf_attr){ .map_id = map_info.id };
	for (int ms = 0; ms < 10000 && (map = bpf(BPF_MAP_GET_FD_BY_ID, &attr, sizeof(attr))) >= 0; ms++) { /* a grace period */
		close(map);
		usleep(1000);
	}
	said("the map when the program is gone", map);
}

int main(void)
{
	loads();
	logs();
	filters();
	raw_tracepoints();
	syscall_programs();
	information();
	return 0;
}
