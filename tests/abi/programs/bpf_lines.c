/* The lines of source in the log of the verifier: before the first instruction of each, once, without their indent. */
#include <ctype.h>

#include "bpf.h"

#define LINES "\0int\0f\0int f(void)\0\treturn value;\0  if (value)\0loop:\0"

/* int; int f(void) */
static struct {
	struct btf_header header;
	struct btf_type integer;
	uint32_t encoding;
	struct btf_type proto, func;
	char strings[sizeof(LINES)];
} blob;

static unsigned line(const char *text)
{
	return (unsigned)((char *)memmem(blob.strings, sizeof(blob.strings), text, strlen(text)) - blob.strings);
}

static int load_types(void)
{
	unsigned types = offsetof(typeof(blob), strings) - sizeof(blob.header);

	blob.header = (struct btf_header){ .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(blob.header), .type_len = types, .str_off = types, .str_len = sizeof(blob.strings) };
	memcpy(blob.strings, LINES, sizeof(LINES));
	blob.integer = (struct btf_type){ .name_off = line("int"), .info = BTF_KIND_INT << 24, .size = 4 };
	blob.encoding = BTF_INT_SIGNED << 24 | 32;
	blob.proto = (struct btf_type){ .info = BTF_KIND_FUNC_PROTO << 24, .type = 1 };
	blob.func = (struct btf_type){ .name_off = line("f\0"), .info = BTF_KIND_FUNC << 24, .type = 2 };
	return (int)BPF(BPF_BTF_LOAD, .btf = (uintptr_t)&blob, .btf_size = offsetof(typeof(blob), strings) + sizeof(LINES));
}

/* Lines of source, instructions without what is known of registers, and lines that begin with `words`. */
static void show_log(char *log, const char *words)
{
	for (char *text = strtok(log, "\n"); text; text = strtok(NULL, "\n")) {
		char *state = strstr(text, "  "), *insn = strstr(text, ": ");

		if (*text == ';') {
			show("%s", text);
		} else if (isdigit(*text) && insn && insn[2] != 'R' && insn[2] != 'f') {
			if (state)
				*state = '\0';
			show("%s", text);
		} else if (words && !strncmp(text, words, strlen(words))) {
			show("%s", text);
		}
	}
}

static void try(const char *what, int types, const struct bpf_insn *insns, unsigned count, const struct bpf_line_info *lines, unsigned nr_lines, unsigned functions, const char *words)
{
	static char log[65536];
	struct bpf_func_info info[2] = { { 0, 3 }, { count - 2, 3 } };

	memset(log, 0, sizeof(log));
	tried(what, BPF(BPF_PROG_LOAD, .prog_type = BPF_PROG_TYPE_SOCKET_FILTER, .insns = (uintptr_t)insns, .insn_cnt = count, .license = (uintptr_t)"GPL", .prog_btf_fd = types,
			.func_info = (uintptr_t)info, .func_info_cnt = functions, .func_info_rec_size = 8, .line_info = (uintptr_t)lines, .line_info_cnt = nr_lines, .line_info_rec_size = 16,
			.log_level = 2, .log_buf = (uintptr_t)log, .log_size = sizeof(log)));
	show_log(log, words);
}
#define TRY(what, insns, lines, functions, words) try(what, types, insns, sizeof(insns) / sizeof(*insns), lines, sizeof(lines) / sizeof(*lines), functions, words)

#define JMP_IMM(op, dst, value, to)    ((struct bpf_insn){ .code = BPF_JMP | op | BPF_K, .dst_reg = dst, .off = to, .imm = value })
#define LOAD_WORD(dst, src, where)     ((struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = dst, .src_reg = src, .off = where })
#define CALL_FUNCTION(to)              ((struct bpf_insn){ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = to })

int main(void)
{
	int types = load_types();
	struct bpf_insn branch[] = { LOAD_WORD(2, 1, 0), MOV64_IMM(0, 0), JMP_IMM(BPF_JEQ, 2, 0, 1), MOV64_IMM(0, 1), EXIT() };
	struct bpf_insn bad[] = { MOV64_IMM(0, 0), LOAD_WORD(0, 3, 0), EXIT() };
	struct bpf_insn call[] = { CALL_FUNCTION(1), EXIT(), MOV64_IMM(0, 1), EXIT() };
	struct bpf_insn recursion[] = { CALL_FUNCTION(1), EXIT(), CALL_FUNCTION(-1), EXIT() };
	struct bpf_line_info at_branch[] = { { 0, 0, line("int f("), 0 }, { 2, 0, line("  if"), 0 }, { 3, 0, line("\treturn"), 0 } };
	struct bpf_line_info at_bad[] = { { 0, 0, line("int f("), 0 }, { 1, 0, line("\treturn"), 0 } };
	struct bpf_line_info at_call[] = { { 0, 0, line("int f("), 0 }, { 2, 0, line("loop:"), 0 } };

	said("types", types);
	TRY("a branch", branch, at_branch, 1, NULL);
	TRY("a register that was not written", bad, at_bad, 1, "R3");
	TRY("a call", call, at_call, 2, NULL);
	TRY("a recursion", recursion, at_call, 2, "back-edge");
	TRY("a function without a line", call, at_bad, 2, "missing");
	at_bad[0].insn_off = 1;
	at_bad[1].insn_off = 2;
	TRY("no line at the start", bad, at_bad, 1, "missing");
	return 0;
}
