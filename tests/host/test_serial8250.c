/*
 * The 16550 driver with a UART made of software: the line status of each byte.
 * sources: kernel/console/tty_buffer.c
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/console/serial8250.c"

#define FIFO_MAX (3 * TTY_FLIP_SIZE)

struct uart_port serial8250_ports[UART_PORTS];
bool host_irqs_off;

/* The receive FIFO: bytes with their errors. A read of LSR clears the errors of the first one. */
static u8 fifo_byte[FIFO_MAX], fifo_errors[FIFO_MAX];
static unsigned fifo_at, fifo_end, lsr_reads;
static bool overrun;
/* What the line discipline has received. */
static u8 got_byte[2 * FIFO_MAX], got_flag[2 * FIFO_MAX];
static unsigned got;
static bool reader_sleeps;
static irq_handler_t handler;
static ktime_t now;        /* the time of the test */
static ktime_t byte_takes; /* to read */

u8 inb(u16 port)
{
	u8 value;

	switch (port & 7) {
	case UART_RX:
		assert_true(fifo_at < fifo_end);
		now += byte_takes;
		return fifo_byte[fifo_at++];
	case UART_IIR:
		return 0xc2;
	case UART_LSR:
		lsr_reads++;
		value = UART_LSR_THRE | UART_LSR_TEMT | (overrun ? UART_LSR_OE : 0);
		overrun = false;
		if (fifo_at < fifo_end) {
			value |= UART_LSR_DR | fifo_errors[fifo_at];
			fifo_errors[fifo_at] = 0;
		}
		return value;
	default:
		return 0;
	}
}

size_t n_tty_receive_buf(struct tty_struct *tty, const u8 *bytes, const u8 *flags, size_t count)
{
	(void)tty;
	if (reader_sleeps)
		return 0;
	memcpy(got_byte + got, bytes, count);
	memcpy(got_flag + got, flags, count);
	got += count;
	return count;
}

int request_irq(unsigned irq, irq_handler_t fn, const char *name, void *dev)
{
	(void)irq, (void)name, (void)dev;
	handler = fn;
	return 0;
}

void INIT_WORK(struct work_struct *work, void (*fn)(struct work_struct *work))
{
	work->func = fn;
}

bool schedule_work_unbound(struct work_struct *work)
{
	work->func(work);
	return true;
}

void tty_port_init(struct tty_struct *tty, struct tty_bufhead *buf, struct uart_port *port,
		   const char *name)
{
	(void)name;
	tty->port = port;
	tty_buffer_init(tty, buf);
}

void uart_unthrottle(struct uart_port *port)
{
	serial8250_unthrottle(port);
}

int uart_next_char(struct uart_port *port, bool now)
{
	(void)port, (void)now;
	return -1;
}

/* The driver needs these, and this test not. */
void outb(u16 port, u8 value) { (void)port, (void)value; }
void uart_port_lock(struct uart_port *port, unsigned long *flags) { (void)port, *flags = 0; }
void uart_port_unlock(struct uart_port *port, unsigned long flags) { (void)port, (void)flags; }
void serial8250_start_tx(struct uart_port *port) { (void)port; }
void mutex_lock(struct mutex *lock) { (void)lock; }
void mutex_unlock(struct mutex *lock) { (void)lock; }
void n_tty_flush_echoes(struct tty_struct *tty) { (void)tty; }
void tty_write_async(struct tty_struct *tty) { (void)tty; }
void tty_wakeup(struct tty_struct *tty) { (void)tty; }
void wake_up_klogd(void) {}
void timer_setup(struct timer_list *timer, void (*fn)(struct timer_list *)) { (void)timer, (void)fn; }
bool mod_timer(struct timer_list *timer, ktime_t when) { return (void)timer, (void)when, false; }
bool timer_pending(const struct timer_list *timer) { return (void)timer, false; }
int printk(const char *fmt, ...) { return (void)fmt, 0; }
void serial8250_write_ier(struct uart_port *port) { (void)port; }
void schedule(void) {}
void __cond_resched(void) {}
struct task_struct *current_task;

static struct task_struct task; /* the port's task, which never runs here */
static unsigned wake_ups;

ktime_t ktime_get(void)
{
	return now;
}

struct task_struct *kthread_create(int (*fn)(void *data), void *data, const char *fmt, ...)
{
	(void)fn, (void)data, (void)fmt;
	return &task;
}

bool wake_up_process(struct task_struct *p)
{
	wake_ups += p == &task;
	return true;
}

static struct uart_port *const port = &serial8250_ports[0];

static int setup(void **state)
{
	(void)state;
	fifo_at = fifo_end = got = lsr_reads = 0;
	overrun = reader_sleeps = false;
	*port = (struct uart_port){ .iobase = 0x3f8, .irq = 4, .present = true, .fifo_size = 16 };
	return serial8250_init();
}

static void sends(u8 byte, u8 errors)
{
	fifo_byte[fifo_end] = byte;
	fifo_errors[fifo_end++] = errors;
}

static void interrupts(unsigned count)
{
	while (count--) {
		now += UART_IRQ_WINDOW_NS;
		handler(4, port);
	}
}

static void assert_got(unsigned at, u8 byte, u8 flag)
{
	assert_true(at < got);
	assert_int_equal(got_byte[at], byte);
	assert_int_equal(got_flag[at], flag);
}

static void test_line_status_is_read_once_for_each_byte_at_the_limit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < RX_MAX + 1; i++)
		sends((u8)i, 0);
	interrupts(1);
	assert_int_equal(got, RX_MAX);
	assert_int_equal(lsr_reads, RX_MAX);
}

static void test_each_byte_has_its_own_errors(void **state)
{
	(void)state;
	sends('a', UART_LSR_PE);
	sends('b', 0);
	sends(0, UART_LSR_BI);
	sends('c', UART_LSR_FE);
	interrupts(2);
	assert_int_equal(got, 4);
	assert_got(0, 'a', TTY_PARITY);
	assert_got(1, 'b', TTY_NORMAL);
	assert_got(2, 0, TTY_BREAK);
	assert_got(3, 'c', TTY_FRAME);
	assert_int_equal(port->parity + port->brk + port->frame, 3);
}

/* The status of the byte for which there is no room has been read, and is cleared in the UART. */
static void test_errors_wait_with_their_byte_while_the_port_is_throttled(void **state)
{
	unsigned last = TTY_FLIP_SIZE;

	(void)state;
	reader_sleeps = true;
	for (unsigned i = 0; i < last; i++)
		sends('x', 0);
	sends('p', UART_LSR_PE);
	sends('n', 0);
	interrupts(last / RX_MAX + 2);
	assert_true(port->throttled);
	assert_int_equal(fifo_at, last);
	overrun = true;
	interrupts(3);
	reader_sleeps = false;
	tty_buffer_input_taken(port->tty);
	assert_false(port->throttled);
	interrupts(1);
	assert_got(last, 'p', TTY_PARITY);
	assert_got(last + 1, 0, TTY_OVERRUN);
	assert_got(last + 2, 'n', TTY_NORMAL);
	assert_int_equal(port->parity, 1);
	assert_int_equal(port->overrun, 1);
}

static void test_errors_that_a_sender_reads_stay_with_their_byte(void **state)
{
	(void)state;
	sends('f', UART_LSR_FE);
	sends('g', 0);
	assert_int_equal(serial8250_fill_fifo(port, (const u8 *)"t", 1), 1);
	interrupts(1);
	assert_int_equal(got, 2);
	assert_got(0, 'f', TTY_FRAME);
	assert_got(1, 'g', TTY_NORMAL);
	assert_int_equal(port->frame, 1);
}

static void test_a_flood_of_interrupts_is_left_to_the_task(void **state)
{
	unsigned before;

	(void)state;
	interrupts(1);
	before = wake_ups;
	for (unsigned i = 1; i < UART_IRQS_MAX; i++)
		handler(4, port);
	assert_false(port->polling);
	assert_int_equal(wake_ups, before);
	sends('a', 0);
	handler(4, port);
	assert_true(port->polling);
	assert_int_equal(wake_ups, before + 1);
	assert_int_equal(got, 0);
	assert_true(serial8250_pass(port, 0));
	assert_got(0, 'a', TTY_NORMAL);
	assert_true(port->polling); /* there may be more */
	assert_false(serial8250_pass(port, 0));
	assert_false(port->polling);
}

/* Ten interrupts take more than the window. The task takes over when they leave too little time to others. */
static void test_interrupts_that_fill_the_time_are_left_to_the_task(void **state)
{
	(void)state;
	for (unsigned share = UART_IRQ_SHARE - 1; share <= UART_IRQ_SHARE + 1; share += 2) {
		setup(state);
		interrupts(1);
		byte_takes = UART_IRQ_WINDOW_NS / 9;
		for (unsigned i = 0; i < 10; i++) {
			sends('a', 0);
			handler(4, port);
			now += byte_takes * (share - 1);
		}
		byte_takes = 0;
		assert_int_equal(port->polling, share < UART_IRQ_SHARE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_line_status_is_read_once_for_each_byte_at_the_limit, setup),
		cmocka_unit_test_setup(test_each_byte_has_its_own_errors, setup),
		cmocka_unit_test_setup(test_errors_wait_with_their_byte_while_the_port_is_throttled,
				       setup),
		cmocka_unit_test_setup(test_errors_that_a_sender_reads_stay_with_their_byte, setup),
		cmocka_unit_test_setup(test_a_flood_of_interrupts_is_left_to_the_task, setup),
		cmocka_unit_test_setup(test_interrupts_that_fill_the_time_are_left_to_the_task, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
