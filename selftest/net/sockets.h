/*
 * For self-tests of the network: sockets without files, and calls on them with kernel pointers.
 * Each call returns what the system call of its name returns. Task context; lo is up.
 */
#pragma once

#include "net/ipv4/tcp.h"

/* Sets lo up, as `ip link set lo up` does. */
void lo_up(void);
/* A socket of TCP or UDP (type: SOCK_STREAM, SOCK_DGRAM), or NULL: memory is short. */
struct socket *socket_new(unsigned type);
void socket_close(struct socket *sock);
/* The socket, if there is one, is closed with RST. */
void socket_reset(struct socket *sock);
/* To 127.0.0.1; port in host byte order. */
int socket_bind(struct socket *sock, u16 port);
int socket_connect(struct socket *sock, u16 port, bool nonblock);
/* connect(2) with AF_UNSPEC. */
int socket_disconnect(struct socket *sock);
u16 socket_port(struct socket *sock);
/* No signals. */
ssize_t socket_send(struct socket *sock, void *data, size_t size, bool nonblock);
ssize_t socket_recv(struct socket *sock, void *data, size_t size, bool nonblock);
/* How many sockets of TCP wait for the end of TIME_WAIT. Ends this now for all. */
unsigned expire_time_wait(void);
