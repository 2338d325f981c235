/* The settings of the tracer hwlat: the files of hwlat_detector/. */
#pragma once

#include "kernel/compiler.h"

enum hwlat_mode { HWLAT_NONE, HWLAT_ROUND_ROBIN, HWLAT_PER_CPU, HWLAT_MODES };

/* Read with READ_ONCE(). [N] number_file.c to write. */
struct hwlat_settings {
	u64 width, window;    /* [N] us */
	enum hwlat_mode mode; /* T, or the thread in the mode round-robin, to write */
};
extern struct hwlat_settings hwlat_settings;

/* Changes the mode, and the threads if the tracer runs. 0 or -ENOMEM. T held. */
int hwlat_set_mode(enum hwlat_mode mode);
