/* Requests about interfaces, as programs lay them out: netdevice(7). */
#pragma once

#include "net/core/dev.h"
#include "net/socket.h"

#define SIOCGIFNAME    0x8910U
#define SIOCGIFCONF    0x8912U
#define SIOCGIFFLAGS   0x8913U
#define SIOCSIFFLAGS   0x8914U
#define SIOCGIFADDR    0x8915U
#define SIOCSIFADDR    0x8916U
#define SIOCGIFDSTADDR 0x8917U
#define SIOCSIFDSTADDR 0x8918U
#define SIOCGIFBRDADDR 0x8919U
#define SIOCSIFBRDADDR 0x891aU
#define SIOCGIFNETMASK 0x891bU
#define SIOCSIFNETMASK 0x891cU
#define SIOCGIFMETRIC  0x891dU
#define SIOCGIFMTU     0x8921U
#define SIOCSIFMTU     0x8922U
#define SIOCGIFHWADDR  0x8927U
#define SIOCGIFINDEX   0x8933U
#define SIOCGIFTXQLEN  0x8942U
#define SIOCGIFMAP     0x8970U

struct ifreq {
	char ifr_name[IFNAMSIZ];
	union {
		struct sockaddr_in addr;
		struct sockaddr hwaddr;
		s16 flags;
		int value; /* MTU, metric, index, queue length */
		char map[24];
	};
};

struct ifconf {
	int len; /* of buf, in bytes */
	struct ifreq __user *buf;
};
