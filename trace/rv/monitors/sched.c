/* The container of the monitors that say what the scheduler must and must not do. */
#include "trace/rv/rv.h"

RV_DECLARE(sched);
RV_MONITOR_CONTAINER(sched, "container for scheduler monitors.");
