/* A module whose init does not return until its parameter says so. */
#include "kernel/module/moduleparam.h"
#include "kernel/sched/sched.h"

static bool stop;
module_param(stop, bool, 0644);

static int __init test_waits_init(void)
{
	while (!READ_ONCE(stop))
		msleep(10);
	return 0;
}
module_init(test_waits_init);

static void __exit test_waits_exit(void)
{
}
module_exit(test_waits_exit);

MODULE_LICENSE("GPL");
