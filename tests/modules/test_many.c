/* A module of 1,000 functions, to measure how long loading takes. */
#include "kernel/module/module.h"

/* clang-format off */
#define MANY_FUNCTION(n) int test_many_##n(int x); int test_many_##n(int x) { return x + n; }
#define MANY_10(n) MANY_FUNCTION(n##0) MANY_FUNCTION(n##1) MANY_FUNCTION(n##2) MANY_FUNCTION(n##3) \
	MANY_FUNCTION(n##4) MANY_FUNCTION(n##5) MANY_FUNCTION(n##6) MANY_FUNCTION(n##7)            \
	MANY_FUNCTION(n##8) MANY_FUNCTION(n##9)
#define MANY_100(n) MANY_10(n##0) MANY_10(n##1) MANY_10(n##2) MANY_10(n##3) MANY_10(n##4)          \
	MANY_10(n##5) MANY_10(n##6) MANY_10(n##7) MANY_10(n##8) MANY_10(n##9)
MANY_100(1) MANY_100(2) MANY_100(3) MANY_100(4) MANY_100(5)
MANY_100(6) MANY_100(7) MANY_100(8) MANY_100(9) MANY_100(10)
/* clang-format on */

static int __init test_many_init(void)
{
	return 0;
}
module_init(test_many_init);

static void __exit test_many_exit(void)
{
}
module_exit(test_many_exit);

MODULE_LICENSE("GPL");
