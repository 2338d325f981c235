/* A live patch of the function that shows /proc/cmdline, for the storm and the fuzzer. */
#pragma once

extern struct klp_patch cmdline_patch;
#define CMDLINE_PATCH "/sys/kernel/livepatch/cmdline_patch"
