/*
 * A pinned map as text: reading its file prints each element, by the types of key and value that
 * the map was made with.
 *
 * The text is what Linux's test prog_tests/btf.c expects: {a,b} is a structure, {a|b} a union,
 * [a,b] an array. Bit fields and 128-bit numbers are hexadecimal. All types were checked when they
 * were loaded: members are inside of their structures. But that check does not limit how many
 * structures are inside each other, and each takes kernel stack here: the text of one that is
 * deeper than BTF_CHAIN_MAX is "...".
 */
#include "fs/vfs/seq_file.h"
#include "kernel/lib/ctype.h"
#include "kernel/lib/string.h"
#include "kernel/mm/vmalloc.h"
#include "trace/bpf/load/btf_check.h"
#include "trace/bpf/syscall/bpffs.h"
#include "trace/bpf/syscall/objects.h"

struct btf_enum {
	u32 name_off;
	s32 val;
};
struct btf_enum64 {
	u32 name_off, val_lo32, val_hi32;
};

/* A reader of the file. It belongs to the seq_file, under whose mutex it changes. */
struct map_reader {
	struct bpf_map *map; /* constant; the file's inode holds it */
	bool done;
	u32 depth; /* types that show_type() is inside of */
	u8 *value; /* constant; bpf_map_user_value_size() bytes */
	u64 key[]; /* of the element to print next, in whole words */
};

/*
 * ---- a value ----
 *
 * seq_file asks again, with more room, if there was too little. So all loops end with the room: a
 * type of no bytes may have more members than anybody wants to see.
 */

static bool has_room(const struct seq_file *m)
{
	return m->count < m->size;
}

static void show_type(struct seq_file *m, const struct btf *btf, u32 id, const u8 *data, u32 bit);

/* Bits of a number, which are in at most 16 bytes: the check of the types says so. */
static void show_bits(struct seq_file *m, const u8 *data, u32 bit, u32 bits)
{
	unsigned __int128 number = 0;
	u64 high;

	data += bit / 8;
	bit %= 8;
	memcpy(&number, data, min((bit + bits + 7) / 8, (u32)sizeof(number)));
	number >>= bit;
	if (bits < 128)
		number &= ((unsigned __int128)1 << bits) - 1;
	high = (u64)(number >> 64);
	if (high)
		seq_printf(m, "0x%lx%016lx", high, (u64)number);
	else
		seq_printf(m, "0x%lx", (u64)number);
}

/* A number of 1, 2, 4 or 8 bytes, with its sign. */
static s64 load_signed(const u8 *data, u32 bytes)
{
	u64 number = 0;

	memcpy(&number, data, bytes);
	return (s64)(number << (64 - 8 * bytes)) >> (64 - 8 * bytes);
}

static void show_int(struct seq_file *m, const struct btf_type *t, const u8 *data, u32 bit)
{
	u32 bits = btf_int_bits(t);
	u64 number = 0;

	bit += btf_int_offset(t);
	if (bit % 8 || (bits != 8 && bits != 16 && bits != 32 && bits != 64)) {
		show_bits(m, data, bit, bits);
		return;
	}
	data += bit / 8;
	memcpy(&number, data, bits / 8);
	if (btf_int_is_signed(t))
		seq_printf(m, "%ld", load_signed(data, bits / 8));
	else
		seq_printf(m, "%lu", number);
}

/* The name of a value; a number that has none is printed, with a sign if the type has one. */
static void show_enum(struct seq_file *m, const struct btf *btf, const struct btf_type *t,
		      const u8 *data)
{
	const struct btf_enum *e = (const struct btf_enum *)(t + 1);
	const struct btf_enum64 *e64 = (const struct btf_enum64 *)(t + 1);
	s64 value = load_signed(data, min(t->size, 8U));

	for (u32 i = 0; i < btf_vlen(t); i++) {
		bool wide = btf_kind(t) == BTF_KIND_ENUM64;
		s64 v = wide ? (s64)((u64)e64[i].val_hi32 << 32 | e64[i].val_lo32) : e[i].val;

		if (v == value) {
			seq_puts(m,
				 btf_name_by_offset(btf, wide ? e64[i].name_off : e[i].name_off));
			return;
		}
	}
	if (btf_kflag(t))
		seq_printf(m, "%ld", value);
	else
		seq_printf(m, "%lu", (u64)value & ~0UL >> (64 - 8 * min(t->size, 8U)));
}

static void show_members(struct seq_file *m, const struct btf *btf, const struct btf_type *t,
			 const u8 *data)
{
	const struct btf_member *member = (const struct btf_member *)(t + 1);
	char between = btf_kind(t) == BTF_KIND_UNION ? '|' : ',';

	seq_putc(m, '{');
	for (u32 i = 0; i < btf_vlen(t) && has_room(m); i++, member++) {
		u32 bit = btf_member_bit_offset(t, member);
		u32 bits = btf_member_bitfield_size(t, member);

		if (i)
			seq_putc(m, between);
		if (bits)
			show_bits(m, data, bit, bits);
		else
			show_type(m, btf, member->type, data + bit / 8, bit % 8);
	}
	seq_putc(m, '}');
}

/* Text is printed up to its end. */
static void show_array(struct seq_file *m, const struct btf *btf, const struct btf_array *array,
		       const u8 *data)
{
	const struct btf_type *elem = btf_type_skip_modifiers(btf, array->type, NULL);
	bool text = elem && btf_kind(elem) == BTF_KIND_INT &&
		    !strcmp(btf_name_by_offset(btf, elem->name_off), "char");
	u32 size = bpf_btf_type_size(btf, array->type);

	seq_putc(m, '[');
	for (u32 i = 0; i < array->nelems && has_room(m); i++, data += size) {
		if (text && !*data)
			break;
		if (i)
			seq_putc(m, ',');
		if (text && isprint(*data))
			seq_printf(m, "'%c'", *data);
		else
			show_type(m, btf, array->type, data, 0);
	}
	seq_putc(m, ']');
}

/* The data of a program. */
static void show_section(struct seq_file *m, const struct btf *btf, const struct btf_type *t,
			 const u8 *data)
{
	const struct btf_var_secinfo *var = (const struct btf_var_secinfo *)(t + 1);

	seq_printf(m, "section (\"%s\") = {", btf_name_by_offset(btf, t->name_off));
	for (u32 i = 0; i < btf_vlen(t) && has_room(m); i++, var++) {
		if (i)
			seq_putc(m, ',');
		show_type(m, btf, btf_type_by_id(btf, var->type)->type, data + var->offset, 0);
	}
	seq_putc(m, '}');
}

/* Prints data of a type, which begins at a bit of the first byte. Recursive, BTF_CHAIN_MAX deep. */
static void show_type(struct seq_file *m, const struct btf *btf, u32 id, const u8 *data, u32 bit)
{
	const struct btf_type *t = btf_type_skip_modifiers(btf, id, NULL);
	struct map_reader *reader = m->private;

	if (reader->depth == BTF_CHAIN_MAX) {
		seq_puts(m, "...");
		return;
	}
	reader->depth++;
	switch (t ? btf_kind(t) : BTF_KIND_UNKN) {
	case BTF_KIND_INT:
		show_int(m, t, data, bit);
		break;
	case BTF_KIND_PTR:
		show_bits(m, data, bit, 64);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		show_enum(m, btf, t, data);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		show_members(m, btf, t, data);
		break;
	case BTF_KIND_ARRAY:
		show_array(m, btf, btf_array(t), data);
		break;
	case BTF_KIND_DATASEC:
		show_section(m, btf, t, data);
		break;
	default:
		seq_printf(m, "<unsupported kind:%u>", t ? btf_kind(t) : BTF_KIND_UNKN);
	}
	reader->depth--;
}

/* ---- the elements ---- */

/* Programs may delete the last key, and then the walk begins again: it does not go on for ever. */
static void *reader_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct map_reader *reader = m->private;
	struct bpf_map *map = reader->map;
	int error;

	++*pos;
	rcu_read_lock();
	error = map->ops->get_next_key(map, v == SEQ_START_TOKEN ? NULL : reader->key, reader->key);
	rcu_read_unlock();
	reader->done = error || *pos > map->max_entries;
	return reader->done ? NULL : reader->key;
}

static void *reader_start(struct seq_file *m, loff_t *pos)
{
	struct map_reader *reader = m->private;

	if (!*pos)
		return SEQ_START_TOKEN;
	return reader->done ? NULL : reader->key;
}

static void reader_stop(struct seq_file *m __unused, void *v __unused)
{
}

static void show_key(struct seq_file *m, const struct map_reader *reader)
{
	const struct bpf_map *map = reader->map;

	if (!map->btf_key_type_id) /* the data of a program */
		return;
	show_type(m, &map->btf->btf, map->btf_key_type_id, (const u8 *)reader->key, 0);
	seq_puts(m, ": ");
}

static void show_cpus(struct seq_file *m, const struct map_reader *reader)
{
	const struct bpf_map *map = reader->map;
	const u8 *value = reader->value;
	unsigned cpu;

	seq_puts(m, "{\n");
	for_each_possible_cpu (cpu) {
		seq_printf(m, "\tcpu%u: ", cpu);
		show_type(m, &map->btf->btf, map->btf_value_type_id, value, 0);
		seq_putc(m, '\n');
		value += ALIGN(map->value_size, 8);
	}
	seq_puts(m, "}\n");
}

static int reader_show(struct seq_file *m, void *v)
{
	struct map_reader *reader = m->private;
	struct bpf_map *map = reader->map;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# WARNING!! The output is for debug purpose only\n"
			    "# WARNING!! The output format will change\n");
		return 0;
	}
	if (bpf_map_copy_value(map, reader->key, reader->value, 0))
		return SEQ_SKIP; /* a program has deleted it */
	show_key(m, reader);
	if (bpf_map_is_percpu(map)) {
		show_cpus(m, reader);
		return 0;
	}
	show_type(m, &map->btf->btf, map->btf_value_type_id, reader->value, 0);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations reader_operations = {
	.start = reader_start, .next = reader_next, .stop = reader_stop, .show = reader_show
};

/* ---- the file ---- */

static bool has_text(const struct bpf_map *map)
{
	return map->btf_value_type_id &&
	       (bpf_map_is_percpu(map) || map->map_type == BPF_MAP_TYPE_ARRAY ||
		map->map_type == BPF_MAP_TYPE_HASH || map->map_type == BPF_MAP_TYPE_LRU_HASH);
}

static int map_text_open(struct inode *inode, struct file *file)
{
	struct bpf_map *map = inode->i_private;
	struct map_reader *reader;
	u32 key_size = ALIGN(map->key_size, 8);
	int error;

	if (!has_text(map))
		return -EIO;
	reader = kvzalloc(sizeof(*reader) + key_size + bpf_map_user_value_size(map), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;
	reader->map = map;
	reader->value = (u8 *)reader->key + key_size;
	error = seq_open(file, &reader_operations);
	if (error)
		kvfree(reader);
	else
		((struct seq_file *)file->private_data)->private = reader;
	return error;
}

static int map_text_release(struct inode *inode, struct file *file)
{
	kvfree(((struct seq_file *)file->private_data)->private);
	return seq_release(inode, file);
}

const struct file_operations bpf_map_text_operations = {
	.open = map_text_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = map_text_release,
};
