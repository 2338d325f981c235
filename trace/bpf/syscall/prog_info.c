/*
 * BPF_OBJ_GET_INFO_BY_FD of programs. Most of it are lists: the program that asks gives a buffer
 * and the number of entries for which it has room, gets as many, and learns how many there are.
 *
 * Code needs CAP_BPF and CAP_PERFMON, since it contains addresses of the kernel. The instructions
 * are shown as bpftool prints them: with ids of maps for their addresses.
 */
#include "trace/bpf/syscall/info.h"

#include "arch/mm/uaccess.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "kernel/sched/mutex.h"
#include "trace/bpf/helpers/numbers.h"
#include "trace/bpf/syscall/objects.h"

/* ---- lists ---- */

/* Copies as many of n entries of `size` bytes as the program has room for. *nr becomes n. */
static int put_list(u64 to, u32 *nr, const void *entries, u32 n, size_t size)
{
	u32 room = min(*nr, n);

	*nr = n;
	return room && copy_to_user((void __user *)to, entries, room * size) ? -EFAULT : 0;
}

static int put_map_ids(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
	u32 __user *to = (u32 __user *)info->map_ids;
	int error = 0;
	u32 room;

	mutex_lock(&bpf_used_maps_mutex);
	room = min(info->nr_map_ids, prog->nr_used_maps);
	info->nr_map_ids = prog->nr_used_maps;
	for (u32 i = 0; i < room && !error; i++)
		error = put_user(prog->used_maps[i]->id, to + i);
	mutex_unlock(&bpf_used_maps_mutex);
	return error;
}

/* Sizes of records that a program tells: as here, or 0 with no record, and then it learns them. */
static int set_record_sizes(struct bpf_prog_info *info)
{
	if ((info->nr_func_info || info->func_info_rec_size) &&
	    info->func_info_rec_size != sizeof(struct bpf_func_info))
		return -EINVAL;
	if ((info->nr_line_info || info->line_info_rec_size) &&
	    info->line_info_rec_size != sizeof(struct bpf_line_info))
		return -EINVAL;
	if ((info->nr_jited_line_info || info->jited_line_info_rec_size) &&
	    info->jited_line_info_rec_size != sizeof(u64))
		return -EINVAL;
	info->func_info_rec_size = sizeof(struct bpf_func_info);
	info->line_info_rec_size = sizeof(struct bpf_line_info);
	info->jited_line_info_rec_size = sizeof(u64);
	return 0;
}

/* ---- instructions ---- */

static u64 imm64(const struct bpf_insn *insn)
{
	return (u64)(u32)insn[1].imm << 32 | (u32)insn[0].imm;
}

/* Writes the id of the map for an address of the map or in its value. */
static void name_map(const struct bpf_prog *prog, struct bpf_insn *insn)
{
	u64 address = imm64(insn), start;

	for (u32 i = 0; i < prog->nr_used_maps; i++) {
		const struct bpf_map *map = prog->used_maps[i];

		if (address == (u64)map) {
			insn[0].src_reg = BPF_PSEUDO_MAP_FD;
			insn[0].imm = (s32)map->id;
			insn[1].imm = 0;
			return;
		}
		if (!map->ops->direct_value_addr || map->ops->direct_value_addr(map, &start, 0) ||
		    address - start >= map->value_size)
			continue;
		insn[0].src_reg = BPF_PSEUDO_MAP_VALUE;
		insn[0].imm = (s32)map->id;
		insn[1].imm = (s32)(address - start);
		return;
	}
}

/* The function that begins at an instruction: its number. */
static u32 find_subprog(const struct bpf_prog *prog, u32 start)
{
	u32 i = 0;

	while (i < prog->nr_subprogs && prog->subprogs[i].start != start)
		i++;
	return i;
}

/*
 * Takes back what the verifier has written for the interpreter. Tools expect in a call of a
 * function the distance in off, and the number of the function in imm.
 */
static void clean_insns(const struct bpf_prog *prog, struct bpf_insn *insns)
{
	mutex_lock(&bpf_used_maps_mutex);
	for (u32 i = 0; i < prog->len; i++) {
		struct bpf_insn *insn = &insns[i];

		if (insn->code == (BPF_JMP | BPF_TAIL_CALL)) {
			insn->code = BPF_JMP | BPF_CALL;
			insn->imm = BPF_FUNC_tail_call;
		}
		if (BPF_CLASS(insn->code) == BPF_LDX && BPF_MODE(insn->code) == BPF_PROBE_MEM)
			insn->code = BPF_LDX | BPF_SIZE(insn->code) | BPF_MEM;
		if (bpf_insn_is_pseudo_call(insn)) {
			insn->off = (s16)insn->imm;
			insn->imm = (s32)find_subprog(prog, i + 1 + (u32)insn->imm);
		}
		if (!bpf_insn_is_ld_imm64(insn))
			continue;
		if (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE)
			name_map(prog, insn);
		i++;
	}
	mutex_unlock(&bpf_used_maps_mutex);
}

static int put_insns(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
	u32 size = prog->len * (u32)sizeof(struct bpf_insn), room = info->xlated_prog_len;
	struct bpf_insn *insns;
	int error;

	info->xlated_prog_len = size;
	if (!room)
		return 0;
	insns = kvzalloc(size, GFP_KERNEL | __GFP_NOWARN);
	if (!insns)
		return -ENOMEM;
	memcpy(insns, prog->insns, size);
	clean_insns(prog, insns);
	error = copy_to_user((void __user *)info->xlated_prog_insns, insns, min(room, size))
			? -EFAULT
			: 0;
	kvfree(insns);
	return error;
}

/* ---- compiled code: one piece, with a symbol for each function ---- */

/* Bytes of the code of a function: up to the next one. */
static u32 func_len(const struct bpf_prog *prog, u32 i)
{
	const u8 *start = prog->subprogs[i].jit,
		 *end = i + 1 < prog->nr_subprogs
				? prog->subprogs[i + 1].jit
				: (const u8 *)prog->subprogs[0].jit + prog->jited_len;

	return (u32)(end - start);
}

static int put_jited(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
	u64 __user *ksyms = (u64 __user *)info->jited_ksyms;
	u32 __user *lens = (u32 __user *)info->jited_func_lens;
	u32 nr = prog->jited ? prog->nr_subprogs : 1, room;
	int error = 0;

	room = min(info->jited_prog_len, prog->jited_len);
	info->jited_prog_len = prog->jited_len;
	if (room &&
	    copy_to_user((void __user *)info->jited_prog_insns, prog->subprogs[0].jit, room))
		return -EFAULT;
	for (u32 i = 0; i < min(info->nr_jited_ksyms, nr) && !error; i++)
		error = put_user(prog->jited ? (u64)prog->subprogs[i].jit : 0, ksyms + i);
	for (u32 i = 0; i < min(info->nr_jited_func_lens, nr) && !error; i++)
		error = put_user(prog->jited ? func_len(prog, i) : 0, lens + i);
	info->nr_jited_ksyms = info->nr_jited_func_lens = nr;
	return error;
}

/* ---- all ---- */

static void fill_fixed(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
	struct bpf_prog_stats stats;

	bpf_prog_read_stats(prog, &stats);
	info->type = prog->type;
	info->id = prog->id;
	memcpy(info->tag, prog->tag, sizeof(info->tag));
	memcpy(info->name, prog->name, sizeof(info->name));
	info->load_time = prog->load_time;
	info->created_by_uid = prog->created_by;
	info->gpl_compatible = prog->gpl_compatible;
	info->run_time_ns = stats.nsecs;
	info->run_cnt = stats.cnt;
	info->recursion_misses = stats.misses;
	info->verified_insns = prog->verified_insns;
	info->btf_id = prog->btf ? prog->btf->id : 0;
}

/* For a program that may see addresses of the kernel. */
static int fill_code(const struct bpf_prog *prog, struct bpf_prog_info *info)
{
	int error = put_insns(prog, info);

	if (!error)
		error = put_jited(prog, info);
	info->attach_btf_id = prog->attach_btf_id;
	info->attach_btf_obj_id = prog->attach_btf ? prog->attach_btf->id : 0;
	if (!error)
		error = put_list(info->func_info, &info->nr_func_info, prog->func_info,
				 prog->nr_func_info, sizeof(struct bpf_func_info));
	if (!error)
		error = put_list(info->line_info, &info->nr_line_info, prog->line_info,
				 prog->nr_line_info, sizeof(struct bpf_line_info));
	if (!error)
		error = put_list(info->jited_line_info, &info->nr_jited_line_info,
				 prog->jited_lines, prog->jited_lines ? prog->nr_line_info : 0,
				 sizeof(u64));
	return error ? error
		     : put_list(info->prog_tags, &info->nr_prog_tags, prog->tag, 1, BPF_TAG_SIZE);
}

int bpf_prog_get_info(const struct bpf_prog *prog, const union bpf_attr *attr,
		      union bpf_attr __user *uattr)
{
	struct bpf_prog_info info;
	int error = bpf_info_in(attr, &info, sizeof(info));

	if (!error)
		error = put_map_ids(prog, &info);
	if (!error)
		error = set_record_sizes(&info);
	if (error)
		return error;
	fill_fixed(prog, &info);
	if (bpf_capable() && bpf_perfmon_capable()) {
		error = fill_code(prog, &info);
	} else {
		info.jited_prog_len = info.xlated_prog_len = 0;
		info.nr_jited_ksyms = info.nr_jited_func_lens = 0;
		info.nr_func_info = info.nr_line_info = info.nr_jited_line_info = 0;
	}
	return error ? error : bpf_info_out(attr, uattr, &info, sizeof(info));
}
