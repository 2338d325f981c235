/*
 * For self-tests: an interrupt or an NMI at a chosen instruction of a function, so that a test
 * needs no luck to hit the one that matters: it tries all.
 */
#pragma once

#include "kernel/compiler.h"

enum interruption { BY_INTERRUPT, BY_NMI };

/*
 * Calls fn(arg) with preemption off. This CPU gets an interrupt or an NMI before the n-th
 * instruction, of those that fn and the functions that it calls execute. Where fn has interrupts
 * off, the interrupt waits. False if fn has executed fewer. Task context, one caller at a time.
 */
bool interrupt_instruction(enum interruption how, unsigned n, void (*fn)(void *arg), void *arg);
