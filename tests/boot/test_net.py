"""The loopback network: busybox's ping, nc, wget, httpd, ifconfig, ip and netstat, unchanged, and what a trace shows of a packet."""
import re

import pytest

from clones import machine_at_prompt


@pytest.fixture(scope="module", params=[1, 8], ids=["1cpu", "8cpus"])
def machine(images, request):
    machine = machine_at_prompt(build=images, cpus=request.param)
    yield machine
    machine.close()


def test_lo_is_up_after_the_boot_and_can_be_set_down(machine):
    assert "<LOOPBACK,UP,LOWER_UP> mtu 65536" in machine.check("ip link")
    machine.check("ip link set lo down")
    assert "<LOOPBACK> mtu 65536" in machine.check("ip link")
    assert machine.run("ping -c 1 127.0.0.1").output.endswith("sendto: Network is unreachable\n")
    machine.check("ip link set lo up")
    assert "inet 127.0.0.1/8 scope host lo" in machine.check("ip addr")
    assert "inet addr:127.0.0.1  Mask:255.0.0.0" in machine.check("ifconfig lo")


def test_ping_gets_its_answers(machine):
    output = machine.check("ping -c 3 -i 0.1 127.0.0.1")
    assert "3 packets transmitted, 3 packets received, 0% packet loss" in output
    assert len(re.findall(r"64 bytes from 127\.0\.0\.1: seq=\d ttl=64", output)) == 3
    assert machine.run("ping -c 1 10.0.0.1").output.endswith("sendto: Network is unreachable\n")


def test_addresses_are_added_and_removed(machine):
    machine.check("ip addr add 10.1.2.3/24 dev lo")
    assert "1 packets received" in machine.check("ping -c 1 10.1.2.77")
    assert "local 10.1.2.0/24 dev lo scope host  src 10.1.2.3" in machine.check("ip route show table local")
    machine.check("ip addr del 10.1.2.3/24 dev lo")
    assert machine.run("ping -c 1 10.1.2.3").status == 1


def test_wget_fetches_files_from_httpd(machine):
    machine.check("mkdir /tmp/w; echo hello > /tmp/w/index.html; dd if=/dev/urandom of=/tmp/w/big bs=64k count=40 2> /dev/null")
    machine.check("httpd -p 8080 -h /tmp/w")
    assert machine.check("wget -q -O - http://127.0.0.1:8080/") == "hello\n"
    machine.check("for i in 1 2 3 4; do wget -q -O /tmp/big$i http://127.0.0.1:8080/big & done; wait")
    for i in range(1, 5):
        machine.check(f"cmp /tmp/w/big /tmp/big{i}")
    assert "404 Not Found" in machine.run("wget -O /dev/null http://127.0.0.1:8080/absent").output


def test_nc_joins_two_programs(machine):
    machine.check("(nc -l -p 9000 > /tmp/got; echo done >> /tmp/got) & until netstat -ltn 2> /dev/null | grep -q :9000; do :; done")
    machine.check("seq 1 20000 | nc 127.0.0.1 9000; wait")
    machine.check("until tail -n 1 /tmp/got | grep -q done; do :; done")
    assert machine.check("md5sum < /tmp/got") == machine.check("(seq 1 20000; echo done) | md5sum")
    assert "Connection refused" in machine.run("nc 127.0.0.1 9000").output


def test_netstat_and_proc_show_sockets(machine):
    # A connection waits for a minute after its end: on a busy host those of the test before may have gone.
    shown = machine.check("wget -q -O /dev/null http://127.0.0.1:8080/; netstat -ant")
    assert re.search(r"tcp +0 +0 0\.0\.0\.0:8080 +0\.0\.0\.0:\* +LISTEN", shown)
    assert re.search(r"127\.0\.0\.1:\d+ +127\.0\.0\.1:\d+ +TIME_WAIT", shown)  # of the end that has closed first
    assert re.search(r" 0: 00000000:1F90 00000000:0000 0A ", machine.check("cat /proc/net/tcp"))
    packets = int(machine.check("cat /proc/net/dev").split("lo:")[1].split()[1])
    machine.check("ping -c 2 -i 0.1 127.0.0.1")
    assert int(machine.check("cat /proc/net/dev").split("lo:")[1].split()[1]) >= packets + 4


def test_sockstat_counts_sockets_and_tcp_mem_can_be_set(machine):
    listening = r"sockets: used 1\nTCP: inuse 1 orphan 0 tw \d+ alloc 1 mem 0\nUDP: inuse 0 mem 0\nUDPLITE: inuse 0\nRAW: inuse 0\nFRAG: inuse 0 memory 0\n"
    assert re.fullmatch(listening, machine.check("cat /proc/net/sockstat"))
    low, pressure, high = map(int, machine.check("cat /proc/sys/net/ipv4/tcp_mem").split("\t"))
    assert low * 4 == pressure * 3 and high == 2 * low
    assert "Invalid argument" in machine.run("echo x > /proc/sys/net/ipv4/tcp_mem").output
    machine.check("echo -1 2 3 > /proc/sys/net/ipv4/tcp_mem")  # ignored, as on Linux
    assert machine.check("cat /proc/sys/net/ipv4/tcp_mem") == f"{low}\t{pressure}\t{high}\n"
    machine.check("echo 2 3 6 > /proc/sys/net/ipv4/tcp_mem")
    machine.check("for i in 1 2 3 4; do wget -q -O /tmp/little$i http://127.0.0.1:8080/big & done; wait")
    for i in range(1, 5):
        machine.check(f"cmp /tmp/w/big /tmp/little{i}; rm /tmp/little{i}")
    machine.check(f"echo {low} {pressure} {high} > /proc/sys/net/ipv4/tcp_mem")


def test_a_graph_shows_the_way_of_a_ping(machine):
    machine.check("cd /sys/kernel/tracing; echo __x64_sys_sendto > set_graph_function; echo function_graph > current_tracer")
    machine.check("ping -c 1 127.0.0.1; echo 0 > tracing_on; cp trace /tmp/graph; "
                  "echo nop > current_tracer; echo > set_graph_function; echo 1 > tracing_on; cd /")
    graph = machine.check("cat /tmp/graph")
    names = ["__x64_sys_sendto", "raw_sendmsg", "ip_local_out", "ip_output", "dev_queue_xmit", "loopback_xmit", "netif_rx",
             "local_bh_enable", "net_rx_action", "process_backlog", "netif_receive_skb", "ip_rcv", "icmp_rcv", "icmp_echo", "icmp_reply"]
    assert re.search(".*".join(rf"\b{name}\(\)" for name in names), graph, re.S), graph


def test_events_show_each_packet(machine):
    machine.check("cd /sys/kernel/tracing; echo > trace; echo 1 > events/net/enable")
    machine.check("ping -c 1 -s 100 127.0.0.1; echo 0 > events/net/enable; cp trace /tmp/events; cd /")
    events = machine.check("grep -v '^#' /tmp/events")
    for name in ("net_dev_queue", "netif_rx", "netif_receive_skb"):
        assert len(re.findall(rf"{name}: dev=lo skbaddr=\S+ len=128", events)) == 2  # a request, and the reply
