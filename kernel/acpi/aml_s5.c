/*
 * Finds _S5_ in ACPI's byte code (AML): the values to write for powering off. The kernel reads no
 * other object of AML.
 *
 * Name (_S5_, Package () { a, b, … }) is encoded (ACPI specification 6.4, chapter 20) as
 *
 *	08 5f 53 35 5f 12 <package length> <number of elements> <a> <b> …
 *
 * A root prefix 5c may stand before the name. a and b are small integers.
 */
#include "kernel/acpi/acpi.h"

#define AML_ZERO_OP    0x00
#define AML_ONE_OP     0x01
#define AML_NAME_OP    0x08
#define AML_BYTE_OP    0x0a
#define AML_WORD_OP    0x0b
#define AML_DWORD_OP   0x0c
#define AML_PACKAGE_OP 0x12
#define AML_ROOT       '\\'

/* Takes the integer at *pos. False: no integer, or too large for a sleep type. */
static bool take_integer(const u8 *aml, size_t size, size_t *pos, u8 *value)
{
	size_t width;
	u8 op;

	if (*pos >= size)
		return false;
	op = aml[(*pos)++];
	if (op == AML_ZERO_OP || op == AML_ONE_OP) {
		*value = op;
		return true;
	}
	if (op != AML_BYTE_OP && op != AML_WORD_OP && op != AML_DWORD_OP)
		return false;
	width = op == AML_BYTE_OP ? 1 : op == AML_WORD_OP ? 2 : 4;
	if (size - *pos < width)
		return false;
	*value = aml[*pos];
	*pos += width;
	return *value <= 7; /* SLP_TYP has three bits */
}

static bool parse_package(const u8 *aml, size_t size, size_t pos, u8 *type_a, u8 *type_b)
{
	u8 elements;

	if (pos >= size || aml[pos++] != AML_PACKAGE_OP || pos >= size)
		return false;
	pos += 1 + (aml[pos] >> 6); /* the two high bits are the number of further length bytes */
	if (pos >= size)
		return false;
	elements = aml[pos++];
	if (elements < 1 || !take_integer(aml, size, &pos, type_a))
		return false;
	if (elements < 2 || !take_integer(aml, size, &pos, type_b))
		*type_b = 0;
	return true;
}

bool acpi_find_s5(const u8 *aml, size_t size, u8 *type_a, u8 *type_b)
{
	for (size_t i = 1; i + 4 < size; i++) {
		bool named;

		if (aml[i] != '_' || aml[i + 1] != 'S' || aml[i + 2] != '5' || aml[i + 3] != '_')
			continue;
		named = aml[i - 1] == AML_NAME_OP ||
			(i >= 2 && aml[i - 1] == AML_ROOT && aml[i - 2] == AML_NAME_OP);
		if (named && parse_package(aml, size, i + 4, type_a, type_b))
			return true;
	}
	return false;
}
