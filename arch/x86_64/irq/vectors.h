/*
 * Interrupt vectors (Intel SDM 3A 6.2): exceptions at 0-31, then the masked 8259s, then the ISA
 * interrupts from the I/O APIC. The local interrupts have the highest vectors and so the highest
 * priority.
 */
#pragma once

#define PIC_VECTOR_BASE      0x20 /* both 8259s are masked: only spurious interrupts arrive */
#define ISA_VECTOR_BASE      0x30 /* ISA IRQ 0..15 through the I/O APIC */
#define LOCAL_TIMER_VECTOR   0xec
#define IRQ_WORK_VECTOR      0xf6
#define TEXT_SYNC_VECTOR     0xfa
#define TLB_FLUSH_VECTOR     0xfb
#define CALL_FUNCTION_VECTOR 0xfc
#define RESCHEDULE_VECTOR    0xfd
#define APIC_ERROR_VECTOR    0xfe
#define SPURIOUS_APIC_VECTOR 0xff
