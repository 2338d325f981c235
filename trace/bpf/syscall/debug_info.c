/*
 * What a loader tells of its program by types: where functions and lines of source begin. Tools
 * show it again (bpftool prog dump); the verifier asks it for the prototypes of global functions.
 */
#include "arch/mm/uaccess.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/syscall/prog_load.h"

#define REC_SIZE_MAX 252 /* Linux's */

/*
 * Copies cnt records of the program, which have rec_size bytes there and size here. A newer program
 * has larger ones, whose rest must be 0. Or an ERR_PTR; -E2BIG: the rest is not 0.
 */
static void *copy_records(u64 from, u32 cnt, u32 rec_size, u32 size)
{
	u8 *records = kvzalloc((size_t)cnt * size, GFP_KERNEL | __GFP_NOWARN);
	int error = records ? 0 : -ENOMEM;

	for (u32 i = 0; i < cnt && !error; i++) {
		const void __user *record = (const void __user *)(from + (u64)i * rec_size);

		error = bpf_check_uarg_tail_zero(record, size, rec_size);
		if (!error && copy_from_user(records + (size_t)i * size, record, size))
			error = -EFAULT;
	}
	if (!error)
		return records;
	kvfree(records);
	return ERR_PTR(error);
}

static bool good_size(u32 rec_size, u32 min)
{
	return rec_size >= min && rec_size <= REC_SIZE_MAX && rec_size % sizeof(u32) == 0;
}

/* ---- functions ---- */

static int check_func_info(const struct bpf_prog *prog, struct bpf_verifier_log *log)
{
	const struct btf *btf = &prog->btf->btf;

	for (u32 i = 0; i < prog->nr_func_info; i++) {
		const struct bpf_func_info *info = &prog->func_info[i];

		if (!i && info->insn_off) {
			bpf_log(log, "nonzero insn_off %u for the first func info record\n",
				info->insn_off);
			return -EINVAL;
		}
		if (i && info->insn_off <= info[-1].insn_off) {
			bpf_log(log,
				"same or smaller insn offset (%u) than previous func info record "
				"(%u)\n",
				info->insn_off, info[-1].insn_off);
			return -EINVAL;
		}
		if (!info->type_id || info->type_id >= btf->nr_types ||
		    btf_kind(btf_type_by_id(btf, info->type_id)) != BTF_KIND_FUNC) {
			bpf_log(log, "invalid type id %d in func info\n", (int)info->type_id);
			return -EINVAL;
		}
	}
	return 0;
}

static int read_func_info(struct bpf_prog *prog, const union bpf_attr *attr,
			  struct bpf_verifier_log *log)
{
	void *info;

	if (!attr->func_info_cnt)
		return 0;
	if (attr->func_info_cnt > BPF_MAX_SUBPROGS) {
		bpf_log(log, "number of funcs in func_info doesn't match number of subprogs\n");
		return -EINVAL;
	}
	if (!good_size(attr->func_info_rec_size, sizeof(struct bpf_func_info))) {
		bpf_log(log, "invalid func info rec size %u\n", attr->func_info_rec_size);
		return -EINVAL;
	}
	info = copy_records(attr->func_info, attr->func_info_cnt, attr->func_info_rec_size,
			    sizeof(struct bpf_func_info));
	if (PTR_ERR(info) == -E2BIG)
		bpf_log(log, "nonzero tailing record in func info");
	if (IS_ERR(info))
		return (int)PTR_ERR(info);
	prog->func_info = info;
	prog->nr_func_info = attr->func_info_cnt;
	return check_func_info(prog, log);
}

/* ---- lines ---- */

static int check_line_info(const struct bpf_prog *prog, struct bpf_verifier_log *log)
{
	const struct bpf_line_info *lines = prog->line_info;
	u32 prev = 0, str_len = prog->btf->btf.str_len;

	for (u32 i = 0; i < prog->nr_line_info; i++) {
		const struct bpf_line_info *line = &lines[i];

		if ((i && line->insn_off <= prev) || line->insn_off >= prog->len) {
			bpf_log(log,
				"Invalid line_info[%u].insn_off:%u (prev_offset:%u prog->len:%u)\n",
				i, line->insn_off, prev, prog->len);
			return -EINVAL;
		}
		if (!prog->insns[line->insn_off].code) {
			bpf_log(log, "Invalid insn code at line_info[%u].insn_off\n", i);
			return -EINVAL;
		}
		if (line->line_off >= str_len || line->file_name_off >= str_len) {
			bpf_log(log, "Invalid line_info[%u].line_off or .file_name_off\n", i);
			return -EINVAL;
		}
		prev = line->insn_off;
	}
	return 0;
}

static int read_line_info(struct bpf_prog *prog, const union bpf_attr *attr,
			  struct bpf_verifier_log *log)
{
	void *info;

	if (!attr->line_info_cnt)
		return 0;
	/* Each line begins at another instruction. */
	if (attr->line_info_cnt > prog->len ||
	    !good_size(attr->line_info_rec_size, sizeof(struct bpf_line_info)))
		return -EINVAL;
	info = copy_records(attr->line_info, attr->line_info_cnt, attr->line_info_rec_size,
			    sizeof(struct bpf_line_info));
	if (PTR_ERR(info) == -E2BIG)
		bpf_log(log, "nonzero tailing record in line_info");
	if (IS_ERR(info))
		return (int)PTR_ERR(info);
	prog->line_info = info;
	prog->nr_line_info = attr->line_info_cnt;
	return check_line_info(prog, log);
}

int bpf_read_debug_info(struct bpf_prog *prog, const union bpf_attr *attr,
			struct bpf_verifier_log *log)
{
	struct bpf_btf *btf;
	int error;

	if (!attr->func_info_cnt && !attr->line_info_cnt)
		return 0;
	btf = bpf_btf_get_fd((int)attr->prog_btf_fd);
	if (IS_ERR(btf))
		return (int)PTR_ERR(btf);
	prog->btf = btf;
	if (btf->of_kernel)
		return -EACCES;
	error = read_func_info(prog, attr, log);
	return error ? error : read_line_info(prog, attr, log);
}
