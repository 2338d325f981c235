/*
 * Interrupt vectors (Intel SDM 3A 6.2): 0-31 exceptions, the 8259s out of the way, ISA interrupts
 * as the I/O APIC delivers them, and the local ones on top, where the priority is.
 */
#pragma once

#define PIC_VECTOR_BASE      0x20 /* both 8259s, masked: only spurious ones come */
#define ISA_VECTOR_BASE      0x30 /* ISA IRQ 0..15 through the I/O APIC */
#define LOCAL_TIMER_VECTOR   0xec
#define IRQ_WORK_VECTOR      0xf6
#define TEXT_SYNC_VECTOR     0xfa
#define TLB_FLUSH_VECTOR     0xfb
#define CALL_FUNCTION_VECTOR 0xfc
#define RESCHEDULE_VECTOR    0xfd
#define APIC_ERROR_VECTOR    0xfe
#define SPURIOUS_APIC_VECTOR 0xff
