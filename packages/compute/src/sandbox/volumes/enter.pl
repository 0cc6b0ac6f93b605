# Mounts in the namespace of a machine that runs, makes a mount there read-only or writable, or takes it off:
#   enter.pl PID STARTED attach TARGET SOURCE ro|rw FROM TO NAME=NUMBER...
#   enter.pl PID STARTED change TARGET ro|rw NAME=NUMBER...
#   enter.pl PID STARTED detach TARGET NAME=NUMBER...
# PID is the machine's first process and STARTED its start time, so that no other process is taken for it. The mount is
# made beside all namespaces and moved in when it is as it should be: whoever kills this leaves it whole or not there.
# Where the machine runs as another uid than the files have, FROM is shown as TO by an id map of the mount.
# The path is resolved in the machine's view, where nobody but the host makes what it consists of.
use strict;
use Errno ();

my ($pid, $started, $verb, $target, @rest) = @ARGV;
my %call = map { /^(\w+)=(\d+)$/ ? ($1, $2 + 0) : () } @rest;
my ($clone, $close_on_exec, $here, $empty_path) = (1, 02000000, -100, 0x1000);
my ($read_only, $no_suid, $no_dev, $id_map, $private) = (1, 2, 4, 0x100000, 1 << 18);
my ($mounts, $users) = (0x20000, 0x10000000);

open my $namespace, '<', "/proc/$pid/ns/mnt" or fail('the namespace');
open my $stat, '<', "/proc/$pid/stat" or fail('the machine');
my ($fields) = readline($stat) =~ /^.*\)\s+(.*)$/s or die "no such machine\n";
die "the machine has ended\n" if (split ' ', $fields)[19] != $started;

if ($verb eq 'attach') {
    my ($source, $mode, $from, $to) = @rest;
    my $tree = sys('open_tree', $here, $source, $clone | $close_on_exec);
    fail('open_tree') if $tree < 0;
    my ($set, $map) = ($no_suid | $no_dev | ($mode eq 'ro' ? $read_only : 0), 0);
    my $mapped;
    if ($from != $to) {
        $mapped = id_map($from, $to);
        ($set, $map) = ($set | $id_map, fileno $mapped);
    }
    my $attributes = pack 'QQQQ', $set, 0, $private, $map;
    sys('mount_setattr', $tree, '', $empty_path, $attributes, length $attributes) == 0 or fail('mount_setattr');
    enter();
    # MOVE_MOUNT_F_EMPTY_PATH: the mount is the descriptor itself.
    sys('move_mount', $tree, '', $here, $target, 4) == 0 or fail('move_mount');
}
elsif ($verb eq 'change') {
    my $attributes = $rest[0] eq 'ro' ? pack('QQQQ', $read_only, 0, 0, 0) : pack('QQQQ', 0, $read_only, 0, 0);
    enter();
    # AT_SYMLINK_NOFOLLOW. The kernel changes nothing while a file is open for writing.
    sys('mount_setattr', $here, $target, 0x100, $attributes, length $attributes) == 0
        or exit($!{EBUSY} ? 16 : fail('mount_setattr'));
}
else {
    enter();
    # UMOUNT_NOFOLLOW; and never lazily: who still uses it keeps it.
    sys('umount2', $target, 8) == 0 or exit($!{EBUSY} ? 16 : fail('umount'));
}

sub enter {
    sys('setns', fileno $namespace, $mounts) == 0 or fail('setns');
    chdir '/' or fail('/');
}

# A namespace of users in which one uid and gid stands for another. Nobody is in it.
sub id_map {
    my ($from, $to) = @_;
    pipe(my $born, my $tell) or fail('a pipe');
    pipe(my $wait, my $end) or fail('a pipe');
    my $child = fork // fail('a process');
    if ($child == 0) {
        close $end;
        syswrite $tell, sys('unshare', $users) == 0 ? '+' : '-';
        sysread $wait, my $word, 1;
        exit;
    }
    sysread $born, my $said, 1;
    die "no namespace of users can be made\n" if $said ne '+';
    for my $kind ('uid', 'gid') {
        my $map;
        open($map, '>', "/proc/$child/${kind}_map") && syswrite $map, "$from $to 1" or fail("${kind}_map");
    }
    open my $users_namespace, '<', "/proc/$child/ns/user" or fail('its namespace');
    close $end;
    waitpid $child, 0;
    return $users_namespace;
}

# A number is passed as one, anything else as where it lies.
sub sys {
    my ($name, @arguments) = @_;
    return syscall $call{$name}, @arguments;
}

sub fail { my ($what) = @_; die "$what: $!\n" }
