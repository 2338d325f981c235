/* Registers of the 16550 UART (National Semiconductor PC16550D data sheet, section 8). */
#pragma once

#define UART_RX              0 /* read: receive buffer */
#define UART_TX              0 /* write: transmit holding */
#define UART_DLL             0 /* divisor, with LCR.DLAB */
#define UART_DLM             1
#define UART_IER             1
#define UART_IER_RDI         0x01 /* received data */
#define UART_IER_THRI        0x02 /* transmitter empty */
#define UART_IER_RLSI        0x04 /* line status */
#define UART_IIR             2    /* read */
#define UART_IIR_NO_INT      0x01
#define UART_IIR_FIFO        0xc0
#define UART_FCR             2 /* write */
#define UART_FCR_ENABLE_FIFO 0x01
#define UART_FCR_TRIGGER_8   0x80
#define UART_LCR             3
#define UART_LCR_WLEN8       0x03
#define UART_LCR_DLAB        0x80
#define UART_MCR             4
#define UART_MCR_DTR         0x01
#define UART_MCR_RTS         0x02
#define UART_MCR_OUT2        0x08 /* on a PC: enables the interrupt line */
#define UART_LSR             5
#define UART_LSR_DR          0x01
#define UART_LSR_OE          0x02
#define UART_LSR_PE          0x04
#define UART_LSR_FE          0x08
#define UART_LSR_BI          0x10
#define UART_LSR_ERRORS      (UART_LSR_OE | UART_LSR_PE | UART_LSR_FE | UART_LSR_BI)
#define UART_LSR_THRE        0x20
#define UART_LSR_TEMT        0x40
#define UART_MSR             6
#define UART_SCR             7
