/* The reader of cpio archives (newc). See cpio.h. */
#include "fs/initramfs/cpio.h"
#include "kernel/errno.h"
#include "kernel/lib/string.h"

#define HEADER_SIZE 110 /* the magic number, and 13 numbers of 8 hexadecimal digits */
#define MAGIC_SIZE  6

#define TYPE_MASK 0170000U
#define TYPE_LINK 0120000U
#define TYPE_FILE 0100000U

/* The numbers of a header, in their order. */
enum cpio_field {
	C_INO,
	C_MODE,
	C_UID,
	C_GID,
	C_NLINK,
	C_MTIME,
	C_FILESIZE,
	C_DEVMAJOR,
	C_DEVMINOR,
	C_RDEVMAJOR,
	C_RDEVMINOR,
	C_NAMESIZE,
	C_CHECK,
	C_FIELDS
};
BUILD_BUG_ON(HEADER_SIZE != MAGIC_SIZE + C_FIELDS * 8);

static int problem(struct cpio_reader *reader, const char *what)
{
	reader->problem = what;
	return -EINVAL;
}

static bool parse_hex8(const char *s, u32 *value)
{
	u32 n = 0;

	for (unsigned i = 0; i < 8; i++) {
		char c = s[i];

		if (c >= '0' && c <= '9')
			n = n << 4 | (u32)(c - '0');
		else if (c >= 'a' && c <= 'f')
			n = n << 4 | (u32)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			n = n << 4 | (u32)(c - 'A' + 10);
		else
			return false;
	}
	*value = n;
	return true;
}

/* The type field of a mode that a file can have. */
static bool known_type(u32 mode)
{
	switch (mode & TYPE_MASK) {
	case TYPE_FILE:
	case 0040000: /* directory */
	case TYPE_LINK:
	case 0020000: /* character device */
	case 0060000: /* block device */
	case 0010000: /* FIFO */
	case 0140000: /* socket */
		return mode <= 0177777;
	}
	return false;
}

/* The sum of the bytes, which the variant 070702 of the format stores. */
static u32 checksum(const char *data, u32 size)
{
	u32 sum = 0;

	for (u32 i = 0; i < size; i++)
		sum += (u8)data[i];
	return sum;
}

static int check_entry(struct cpio_reader *reader, const struct cpio_entry *entry)
{
	if (!known_type(entry->mode))
		return problem(reader, "an entry has an unknown file type");
	if ((entry->mode & TYPE_MASK) == TYPE_LINK &&
	    (entry->size == 0 || entry->size >= CPIO_NAME_MAX ||
	     memchr(entry->data, '\0', entry->size)))
		return problem(reader, "a symbolic link has a bad text");
	return CPIO_ENTRY;
}

/* Skips the padding between archives. Returns false at the end of the data. */
static bool skip_padding(struct cpio_reader *reader)
{
	while (reader->pos < reader->size && reader->data[reader->pos] == '\0')
		reader->pos++;
	return reader->pos < reader->size;
}

int cpio_next(struct cpio_reader *reader, struct cpio_entry *entry)
{
	size_t left, name_end, data_end;
	u32 field[C_FIELDS];
	const char *header;
	bool has_check;
	int ret;

	if (!skip_padding(reader))
		return CPIO_END;
	header = reader->data + reader->pos;
	left = reader->size - reader->pos;
	if (left < HEADER_SIZE)
		return problem(reader, "the archive ends inside a header");
	if (memcmp(header, "07070", MAGIC_SIZE - 1) != 0 || (header[5] != '1' && header[5] != '2'))
		return problem(reader, "no cpio archive in the format newc");
	has_check = header[5] == '2';
	for (unsigned i = 0; i < C_FIELDS; i++)
		if (!parse_hex8(header + MAGIC_SIZE + i * 8, &field[i]))
			return problem(reader, "a header has a digit that is not hexadecimal");

	/* The name and the data each begin at a multiple of 4 from the start of the header. */
	if (field[C_NAMESIZE] < 2 || field[C_NAMESIZE] > CPIO_NAME_MAX)
		return problem(reader, "a name is empty or too long");
	name_end = ALIGN(HEADER_SIZE + (size_t)field[C_NAMESIZE], 4);
	data_end = name_end + field[C_FILESIZE];
	if (data_end > left)
		return problem(reader, "the archive ends inside an entry");
	if (memchr(header + HEADER_SIZE, '\0', field[C_NAMESIZE]) !=
	    header + HEADER_SIZE + field[C_NAMESIZE] - 1)
		return problem(reader, "a name is not terminated");

	*entry = (struct cpio_entry){
		.name = header + HEADER_SIZE,
		.data = header + name_end,
		.size = field[C_FILESIZE],
		.ino = field[C_INO],
		.mode = field[C_MODE],
		.uid = field[C_UID],
		.gid = field[C_GID],
		.nlink = field[C_NLINK],
		.mtime = field[C_MTIME],
		.dev_major = field[C_DEVMAJOR],
		.dev_minor = field[C_DEVMINOR],
		.rdev_major = field[C_RDEVMAJOR],
		.rdev_minor = field[C_RDEVMINOR],
	};
	if (!strcmp(entry->name, "TRAILER!!!")) {
		ret = CPIO_TRAILER;
	} else {
		/* cpio(1) computes no sum for the text of a link. */
		if (has_check && (entry->mode & TYPE_MASK) == TYPE_FILE &&
		    checksum(entry->data, entry->size) != field[C_CHECK])
			return problem(reader, "a checksum is wrong");
		ret = check_entry(reader, entry);
		if (ret < 0)
			return ret;
	}
	/* The last entry may lack its padding. */
	reader->pos += min((size_t)ALIGN(data_end, 4), left);
	return ret;
}
