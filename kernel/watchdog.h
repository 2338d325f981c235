/*
 * The lockup detectors: a CPU that does not schedule (soft), a CPU with interrupts off (hard).
 * kernel/watchdog.c says how they tell a stuck CPU from one that the host has stopped.
 */
#pragma once

#include "kernel/types.h"

extern int watchdog_thresh; /* seconds, that is checks in a row; 0 turns the detectors off */
