/* Ports for host programs: the program that includes a driver also has its device. */
#pragma once

#include "kernel/types.h"

u8 inb(u16 port);
void outb(u16 port, u8 v);
