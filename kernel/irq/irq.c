/* The machine-independent part of interrupts: device handlers and counts. */
#include "kernel/irq/irq.h"

#include "arch/irq/interrupt.h"
#include "arch/cpu/percpu.h"
#include "kernel/errno.h"
#include "kernel/irq/irq_events.h"
#include "kernel/locking/spinlock.h"
#include "kernel/printk/printk.h"

struct irq_counts {
	u64 kinds[IRQ_STAT_COUNT];
	u64 devices[NR_ISA_IRQS];
};

static DEFINE_SPINLOCK(irq_lock);
static struct irqaction irq_actions[NR_ISA_IRQS];
static DEFINE_PER_CPU(struct irq_counts, irq_counts);

const char *const irq_stat_names[IRQ_STAT_COUNT][2] = {
	[IRQ_STAT_NMI] = { "NMI", "Non-maskable interrupts" },
	[IRQ_STAT_LOC] = { "LOC", "Local timer interrupts" },
	[IRQ_STAT_SPU] = { "SPU", "Spurious interrupts" },
	[IRQ_STAT_IWI] = { "IWI", "IRQ work interrupts" },
	[IRQ_STAT_RES] = { "RES", "Rescheduling interrupts" },
	[IRQ_STAT_CAL] = { "CAL", "Function call interrupts" },
	[IRQ_STAT_TLB] = { "TLB", "TLB shootdowns" },
	[IRQ_STAT_TXT] = { "TXT", "Text sync interrupts" },
	[IRQ_STAT_ERR] = { "ERR", "Unknown interrupts" },
};

void irq_stat_inc(enum irq_stat kind)
{
	this_cpu_inc(irq_counts.kinds[kind]);
}

u64 irq_stat_read(enum irq_stat kind, unsigned cpu)
{
	return READ_ONCE(per_cpu(irq_counts, cpu).kinds[kind]);
}

u64 irq_device_count(unsigned irq, unsigned cpu)
{
	return irq < NR_ISA_IRQS ? READ_ONCE(per_cpu(irq_counts, cpu).devices[irq]) : 0;
}

const char *irq_device_name(unsigned irq)
{
	return irq < NR_ISA_IRQS ? READ_ONCE(irq_actions[irq].name) : NULL;
}

int request_irq(unsigned irq, irq_handler_t handler, const char *name, void *dev)
{
	unsigned long flags;
	int error = 0;

	if (irq >= NR_ISA_IRQS || !handler || !name)
		return -EINVAL;

	spin_lock_irqsave(&irq_lock, flags);
	if (irq_actions[irq].handler) {
		error = -EBUSY;
	} else {
		irq_actions[irq].dev = dev;
		irq_actions[irq].name = name;
		smp_store_release(&irq_actions[irq].handler, handler);
		error = arch_enable_irq(irq);
		if (error) {
			WRITE_ONCE(irq_actions[irq].handler, NULL);
			irq_actions[irq].name = NULL;
		}
	}
	spin_unlock_irqrestore(&irq_lock, flags);
	return error;
}

void handle_device_irq(unsigned irq)
{
	irq_handler_t handler = smp_load_acquire(&irq_actions[irq].handler);
	bool handled __unused;

	this_cpu_inc(irq_counts.devices[irq]);
	if (!handler) {
		irq_stat_inc(IRQ_STAT_SPU);
		return;
	}
	trace_irq_handler_entry((int)irq, &irq_actions[irq]);
	/* false is no error: the handler may have served this interrupt with the last one */
	handled = handler((int)irq, irq_actions[irq].dev);
	trace_irq_handler_exit((int)irq, &irq_actions[irq], handled);
}
