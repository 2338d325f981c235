/* One parameter of each type. */
#include "kernel/module/moduleparam.h"

static unsigned char p_byte = 1;
static short p_short = -2;
static unsigned short p_ushort = 3;
static int p_int = -4;
static unsigned p_uint = 5;
static long p_long = -6;
static unsigned long p_ulong = 7;
static unsigned long long p_ullong = 8;
static unsigned p_hex = 0x1f;
static char *p_text = "default";
static bool p_bool, p_invbool;
static char p_buffer[8] = "abc";
static int p_array[4] = { 1, 2 };
static unsigned p_array_count = 2;
static int p_hidden;

module_param_named(byte, p_byte, byte, 0444);
module_param_named(short, p_short, short, 0444);
module_param_named(ushort, p_ushort, ushort, 0444);
module_param_named(int, p_int, int, 0644);
module_param_named(uint, p_uint, uint, 0444);
module_param_named(long, p_long, long, 0444);
module_param_named(ulong, p_ulong, ulong, 0444);
module_param_named(ullong, p_ullong, ullong, 0444);
module_param_named(hex, p_hex, hexint, 0444);
module_param_named(text, p_text, charp, 0644);
module_param_named(bool, p_bool, bool, 0644);
module_param_named(invbool, p_invbool, invbool, 0444);
module_param_string(buffer, p_buffer, sizeof(p_buffer), 0644);
module_param_array(p_array, int, &p_array_count, 0644);
module_param_named(hidden, p_hidden, int, 0);

MODULE_LICENSE("GPL");
