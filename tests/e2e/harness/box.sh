#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# PID 1 of a box (see box.py): makes the inside look like a machine of its own and then waits.
#
#   box.sh FOLDER NAME DEVICES ADDRESS NEIGHBOUR
#
# FOLDER keeps what survives a reboot of this machine; NAME is its host name; DEVICES lists the
# device nodes it has besides the usual ones, one `name major minor` a line; ADDRESS is its own in
# its /24, or its /64 of IPv6, and its default route goes to NEIGHBOUR, which need not exist. Nothing
# that this script mounts or creates is visible outside, and the kernel undoes it when this process
# ends.
set -euo pipefail
folder=$1 name=$2 devices=$3 address=$4 neighbour=$5

mount --make-rprivate /
hostname "$name"

# What a boot makes anew: /run, with the options that it has on a machine; /dev and the boot's ID.
mount -t tmpfs -o mode=755,nosuid,nodev,noexec tmpfs /run
mkdir /run/lock /run/box
mount -t tmpfs -o mode=755 dev /run/box
while read -r node major minor mode; do
  mkdir -p "/run/box/$(dirname "$node")"
  mknod -m "${mode:-666}" "/run/box/$node" c "$major" "$minor"
done < <(printf '%s\n' "null 1 3" "zero 1 5" "full 1 7" "random 1 8" "urandom 1 9" "kmsg 1 11 644" \
  "tty 5 0"; cat "$devices")
mkdir /run/box/pts /run/box/shm /run/box/mqueue
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts /run/box/pts
mount -t tmpfs -o mode=1777 shm /run/box/shm
ln -s pts/ptmx /run/box/ptmx
ln -s /proc/self/fd /run/box/fd
mount --move /run/box /dev

# What a boot keeps. The programs in the box write nowhere else.
mkdir -p "$folder/var-lib" "$folder/var-log"
mount --bind "$folder/var-lib" /var/lib
mount --bind "$folder/var-log" /var/log

# The kubelet sets these for the whole machine; here it sets copies.
mkdir -p /run/sysctl
for setting in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
  kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  copy=/run/sysctl/${setting//\//.}
  cat "/proc/sys/$setting" >"$copy"
  mount --bind "$copy" "/proc/sys/$setting"
done
cat /proc/sys/kernel/random/uuid >/run/sysctl/boot_id
mount --bind /run/sysctl/boot_id /proc/sys/kernel/random/boot_id

# A node address and any default route; nothing is reachable through it.
ip link set lo up
ip link add node0 type veth peer name node0p
if [[ $address == *:* ]]; then
  # In use at once, without asking around whether somebody else has it.
  ip addr add "$address/64" dev node0 nodad
else
  ip addr add "$address/24" dev node0
fi
ip link set node0 up
ip link set node0p up
ip route add default via "$neighbour" dev node0

mount --make-rshared /
touch /run/box-ready
trap 'exit 0' TERM
while :; do
  sleep 3600 &
  wait $! || true
done
