#!/usr/bin/env bash
# Sets up a Slurm of one node on this machine, for tests, without systemd and beside any other Slurm.
#
#   setup.sh start FOLDER    starts munge, slurmctld and slurmd; their files are in FOLDER
#   setup.sh restart FOLDER  ends slurmctld and starts it again
#   setup.sh stop FOLDER     ends all three and cancels what runs
#
# SLURM_CONF=FOLDER/slurm.conf makes Slurm's commands use it. It needs Debian's packages slurmctld,
# slurmd, slurm-client and munge, and must run as root, in a container, too. MAX_ARRAY_SIZE (default 1001)
# and CPUS (default: those of the machine) set the limits of the cluster.
set -euo pipefail

usage() {
	sed -n '4,6s/^# *//p' "$0" >&2
	exit 2
}
[ $# = 2 ] || usage
action=$1
mkdir -p "$2"
dir=$(cd "$2" && pwd)
export SLURM_CONF=$dir/slurm.conf
PATH=$PATH:/usr/sbin:/sbin

# alive says whether the daemon of a file with a process id runs.
alive() { [ -s "$dir/$1.pid" ] && kill -0 "$(cat "$dir/$1.pid")" 2>/dev/null; }

# wait_for repeats a command for at most 20 s.
wait_for() {
	for _ in $(seq 200); do
		if "${@:2}" >/dev/null 2>&1; then return; fi
		sleep 0.1
	done
	echo "setup.sh: $1; see the logs in $dir" >&2
	tail -n 5 "$dir"/*.log >&2 || true
	exit 1
}

# end sends a signal to a daemon and waits until it is gone.
end() {
	if alive "$2"; then
		kill "-$1" "$(cat "$dir/$2.pid")"
		for _ in $(seq 100); do
			if ! alive "$2"; then break; fi
			sleep 0.1
		done
		if alive "$2"; then kill -KILL "$(cat "$dir/$2.pid")"; fi
	fi
	rm -f "$dir/$2.pid"
}

start_munge() {
	if alive munged; then return; fi
	if [ ! -s "$dir/munge.key" ]; then
		(umask 077 && head -c 1024 /dev/urandom >"$dir/munge.key")
	fi
	rm -f "$dir/munge.socket" "$dir/munge.socket.lock"
	munged --force --key-file="$dir/munge.key" --socket="$dir/munge.socket" --pid-file="$dir/munged.pid" \
		--log-file="$dir/munged.log" --seed-file="$dir/munge.seed" --num-threads=2
	wait_for "munged does not answer" munge -n -S "$dir/munge.socket"
}

# free_port prints a port of this machine at which nobody listens, at or above $1.
free_port() {
	local port=$1
	while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
	echo "$port"
}

configure() {
	if [ -s "$SLURM_CONF" ]; then return; fi
	local host cpus first
	host=$(hostname -s)
	cpus=${CPUS:-$(nproc)}
	first=$((20000 + RANDOM % 10000))
	cat >"$SLURM_CONF" <<CONF
ClusterName=weft-test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge.socket
CredType=cred/munge
SlurmctldPort=$(free_port $first)
SlurmdPort=$(free_port $((first + 10000)))
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.log
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=5
MaxArraySize=${MAX_ARRAY_SIZE:-1001}
MaxJobCount=20000
KillWait=2
SlurmctldTimeout=60
SlurmdTimeout=60
ReturnToService=2
SlurmdParameters=config_overrides
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
}

start_slurmctld() {
	if alive slurmctld; then return; fi
	mkdir -p "$dir/state" && chmod 700 "$dir/state"
	slurmctld
	wait_for "slurmctld does not answer" scontrol ping
}

node_is_up() { sinfo -h -o %t | grep -qE '^(idle|mix|alloc|comp)'; }

start_slurmd() {
	if ! alive slurmd; then
		mkdir -p "$dir/spool"
		slurmd
	fi
	wait_for "the node does not come up" node_is_up
}

case $action in
start)
	for program in munged munge slurmctld slurmd sbatch; do
		command -v $program >/dev/null || {
			echo "setup.sh: there is no $program: apt-get install slurmctld slurmd slurm-client munge" >&2
			exit 1
		}
	done
	[ "$(id -u)" = 0 ] || {
		echo "setup.sh: slurmd must be started by root" >&2
		exit 1
	}
	start_munge
	configure
	start_slurmctld
	start_slurmd
	;;
restart)
	end TERM slurmctld
	start_slurmctld
	;;
stop)
	if alive slurmctld && alive munged; then timeout 10 scancel -u "$(id -un)" || true; fi
	for _ in $(seq 50); do
		if ! alive slurmctld || [ -z "$(timeout 10 squeue -h)" ]; then break; fi
		sleep 0.1
	done
	end TERM slurmd
	end TERM slurmctld
	end TERM munged
	;;
*) usage ;;
esac
