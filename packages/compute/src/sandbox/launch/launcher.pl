# Starts machines: launcher.pl NAME=NUMBER..., the numbers of this architecture's system calls. It stands beside the
# server as a process of its own, because the server is large and everything in it waits while it forks. Perl is on
# nearly every Linux and can make any system call, so what takes a chain of tools otherwise is done here at once.
#
# It reads requests and writes answers, each a length in four bytes and then fields with a NUL between them:
#   launch RUN ...  -> ready RUN PID       the watcher waits for the word; the keeper's socket is there
#   go RUN          -> end RUN CODE WHY    all of it has ended
#   drop RUN        -> end RUN 0           the watcher ends and has done nothing
#   name RUN MARK NAME -> named RUN        of a spare: it is somebody's now, and its host name is this
# When whoever asks is gone, this ends, and so does each run that has not had the word or is a spare nobody took.
#
# The processes of a run, each of which ends with the one before it:
#   watcher        as whoever runs the server; puts the others into the machine's groups, waits for their end, notes it
#   holder         waits for the word; as the tenant's uid, in all of the machine's namespaces but that of processes
#   first process  makes what the machine sees, gives up all rights, starts the keeper and collects orphans
#   keeper
# All but the keeper are this program still, so nothing about one machine is kept here, and PR_SET_DUMPABLE closes them
# to the machine's own programs, which have the same uid.
use strict;
use POSIX ();
use Socket ();

my %call = map { /(\w+)=(\d+)/ ? ($1, $2 + 0) : () } @ARGV;
my ($pdeathsig, $dumpable, $seccomp, $drop_bounding, $no_new_privs) = (1, 4, 22, 24, 38);
my %flags = (
    ro => 1, nosuid => 2, nodev => 4, noexec => 8, remount => 32, noatime => 1024, nodiratime => 2048,
    bind => 4096, rbind => 4096 | 16384, relatime => 1 << 21, strictatime => 1 << 24,
);
my ($bind, $remount, $detach, $private) = (4096, 32, 2, 16384 | 1 << 18);
# CLONE_NEW*: user, net, pid, ipc, uts and mount. That of groups comes later: its root is whatever one is in then.
my ($namespaces, $group_namespace) = (0x7C020000, 0x02000000);
# What the first process ends with when the keeper failed.
my $keeper_failed = 86;
my $spare_check_s = 1;
my $longest_request = 1 << 20;
my $longest_complaint = 2_000;

# What the server was itself started with goes no further.
close_others(0, 1, 2);
# Whoever is spoken to may have ended.
$SIG{PIPE} = 'IGNORE';
my %runs;
my $asked = '';
for (;;) {
    my $ears = '';
    vec($ears, fileno $_, 1) = 1 for \*STDIN, map { $_->{socket} } values %runs;
    next if select($ears, undef, undef, undef) < 1;
    for my $run (keys %runs) { hear($run) if vec($ears, fileno $runs{$run}{socket}, 1) }
    next if !vec($ears, 0, 1);
    sysread(STDIN, $asked, 65_536, length $asked) or exit;
    while (length $asked >= 4) {
        my $length = unpack 'N', $asked;
        exit 1 if $length > $longest_request;
        last if length $asked < 4 + $length;
        serve(split /\0/, substr($asked, 4, $length), -1);
        substr($asked, 0, 4 + $length) = '';
    }
}

sub serve {
    my ($verb, $run, @request) = @_;
    if ($verb eq 'launch') { launch($run, @request) }
    elsif (!$runs{$run}) { }
    elsif ($verb eq 'go') { syswrite $runs{$run}{socket}, "\n" }
    elsif ($verb eq 'name') { syswrite $runs{$run}{socket}, "@request\n" }
    elsif ($verb eq 'drop') { shutdown $runs{$run}{socket}, 1 }
}

sub launch {
    my ($run, @request) = @_;
    my ($pid, $ours, $theirs);
    if (socketpair($ours, $theirs, Socket::AF_UNIX(), Socket::SOCK_STREAM(), 0)) {
        $pid = fork;
        if (defined $pid && $pid == 0) {
            # Perl counts who has a number open: its own handles are closed in its own way.
            close $_ for $ours, map { $_->{socket} } values %runs;
            close_others(0, 1, 2, fileno $theirs);
            open_nowhere(0, 1, 2);
            as_process(sub { watch($theirs, @request) });
        }
    }
    return answer('end', $run, 1, "no process can be made: $!") if !$pid;
    $runs{$run} = { pid => $pid, socket => $ours, said => '' };
    # It is there at once, or it is gone.
    sysread($ours, my $ready, 1);
    if ($ready eq '+') { answer('ready', $run, $pid) }
    else { $runs{$run}{said} = $ready }
}

# A holder says that a spare has its name, and a watcher at its end why that was.
sub hear {
    my ($run) = @_;
    my $its = $runs{$run};
    my $heard = sysread $its->{socket}, $its->{said}, 4_096, length $its->{said};
    answer('named', $run) if $its->{said} =~ s/^=//;
    return if $heard;
    delete $runs{$run};
    waitpid $its->{pid}, 0;
    answer('end', $run, code_of($?), $its->{said});
}

sub answer {
    my $text = join "\0", @_;
    my $frame = pack('N', length $text) . $text;
    while (length $frame) {
        my $wrote = syswrite STDOUT, $frame or exit;
        substr($frame, 0, $wrote) = '';
    }
}

sub watch {
    my ($server, $mark, $folder, $socket_name, $note_file, $run, @machine) = @_;
    my @groups = list_in(\@machine);
    POSIX::setsid();
    $0 = "ingot-machine $mark";
    pipe(my $complaints, my $complain) or fail('a pipe');
    POSIX::dup2(fileno $complain, 2);
    close $complain;
    my $code = eval {
        my $listener = $socket_name eq '' ? undef : listen_in($folder, $socket_name);
        open my $note, '+<', $note_file or fail($note_file);
        pipe(my $born, my $tell) or fail('a pipe');
        pipe(my $wait, my $let) or fail('a pipe');
        my $watcher = $$;
        my $holder = fork // fail('a process');
        if ($holder == 0) {
            close $_ for $complaints, $note, $born, $let;
            as_process(sub { hold($watcher, $mark, $server, $listener, $tell, $wait, @machine) });
        }
        close $_ for grep { $_ } $listener, $tell, $wait;
        syswrite $server, '+';
        open_nowhere(2);
        my ($is_in, $why) = enter($holder, $born, @groups);
        kill KILL => $holder if $why ne '';
        # The first process goes on only if the holder that it is to end with is still there.
        my $has_ended = waitpid $holder, 1;
        syswrite $let, '.' if $is_in && !$has_ended;
        waitpid $holder, 0 if !$has_ended;
        my $code = code_of($?);
        open my $uptime, '<', '/proc/uptime';
        syswrite $note, join(' ', $run, (split ' ', readline $uptime)[0], $code) . "\n";
        syswrite $server, $why;
        $code;
    };
    my $why = defined $code ? '' : $@;
    POSIX::close(2);
    # All who could write have ended, or hold it closed.
    sysread($complaints, my $said, $longest_complaint);
    syswrite $server, $why . ($said // '');
    return $code // 1;
}

# The kernel takes its time for the first move into a group and none for the next, so the holder goes in while it still
# waits for the word, and the first process while it makes what the machine sees. Answers whether both are in, or why not.
sub enter {
    my ($holder, $born, @groups) = @_;
    my $why = move_into($holder, @groups);
    return (0, $why) if $why ne '';
    my $told = '';
    until ($told =~ /!/ && $told =~ /\n/) {
        sysread $born, $told, 64, length $told or return (0, '');
    }
    my ($first) = $told =~ /(\d+)\n/;
    $why = move_into($first, @groups);
    return ($why eq '', $why);
}

sub move_into {
    my ($process, @groups) = @_;
    for my $group (@groups) { return "$group: $!\n" if !write_to($group, $process) }
    return '';
}

sub hold {
    my ($watcher, $mark, $server, $listener, $tell, $wait, $uid, $is_spare, @machine) = @_;
    $0 = "ingot-holder $mark";
    $SIG{PIPE} = 'DEFAULT';
    end_with_parent();
    return 1 if getppid != $watcher;
    sysread($server, my $word, 1) or return 0;
    # Under memory pressure on the host machines go first, and a crash inside leaves no core file.
    write_to('/proc/self/oom_score_adj', 500);
    sys('setrlimit', 4, pack 'QQ', 0, 0);
    if ($uid ne '') {
        sys('setgroups', 0, 0) == 0 or fail('groups');
        sys("setres$_", ($uid + 0) x 3) == 0 or fail("uid $uid") for 'gid', 'uid';
    }
    prctl($no_new_privs, 1) or fail('no_new_privs');
    my ($user, $group) = ($>, $) + 0);
    sys('unshare', $namespaces) == 0 or fail('namespaces');
    # Who is closed to others may not write this either. Nobody else with this uid can see the process.
    prctl($dumpable, 1);
    write_to('/proc/self/setgroups', 'deny');
    write_to('/proc/self/uid_map', "0 $user 1") or fail('uid_map');
    write_to('/proc/self/gid_map', "0 $group 1") or fail('gid_map');
    prctl($dumpable, 0) or fail('dumpable');
    # A change of rights takes back what was said before.
    end_with_parent();
    return 1 if getppid != $watcher;
    my $first = fork // fail('a process');
    if ($first == 0) {
        close $server;
        as_process(sub { be_first($mark, $listener, $tell, $wait, @machine) });
    }
    syswrite $tell, "$first\n";
    close $_ for grep { $_ } $listener, $tell, $wait;
    open_nowhere(2);
    my $has_ended = $is_spare && keep_spare($server, $first);
    close $server;
    waitpid $first, 0 if !$has_ended;
    return code_of($?);
}

# Until it is somebody's. It ends when nobody is there any more who would take it.
sub keep_spare {
    my ($server, $first) = @_;
    my $told = '';
    until ($told =~ /\n/) {
        vec(my $ears = '', fileno $server, 1) = 1;
        if (select($ears, undef, undef, $spare_check_s) > 0) {
            sysread $server, $told, 256, length $told or POSIX::_exit(1);
        }
        return 1 if waitpid($first, 1) != 0;
    }
    my ($mark, $name) = split ' ', $told;
    $0 = "ingot-holder $mark";
    sys('sethostname', $name, length $name);
    syswrite $server, '=';
    return 0;
}

sub be_first {
    my ($mark, $listener, $tell, $wait, $hostname, $root, $filter_file, @machine) = @_;
    my @view = map { [list_in(\@machine)] } 'files', 'links', 'mounts';
    my @command = list_in(\@machine);
    # A signal to its group stays inside.
    POSIX::setsid();
    end_with_parent();
    syswrite $tell, '!';
    close $tell;
    $0 = "ingot-init $mark";
    my $filter = read_all($filter_file);
    make_view($root, $hostname, @view);
    # The watcher is gone, or it did not get this into its groups.
    sysread($wait, my $word, 1) or return 1;
    close $wait;
    sys('unshare', $group_namespace) == 0 or fail('namespace of groups');
    give_up_rights();
    # struct sock_fprog: how many instructions, and where.
    prctl($seccomp, 2, pack 'S x![Q] P', length($filter) / 8, $filter) or fail('the filter') if $filter ne '';
    my $keeper = fork // fail('a process');
    as_process(sub { become($listener, @command) }) if $keeper == 0;
    open_nowhere(2);
    close_others(0, 1, 2);
    for (;;) {
        my $ended = waitpid -1, 0;
        return $? == 0 ? 0 : $keeper_failed if $ended == $keeper;
    }
}

# Until it has moved it sees all of the host, so it stops at the first thing that fails.
sub make_view {
    my ($root, $hostname, $files, $links, $mounts) = @_;
    umask 0022;
    mount('none', '/', 'none', $private);
    mount('tmpfs', $root, 'tmpfs', 0, 'mode=755,size=16m');
    chdir $root or fail($root);
    for my $folder ('dev', 'old') { mkdir $folder or fail($folder) }
    for my $path (@$files) { open(my $file, '>', $path) or fail($path) }
    while (my ($target, $path) = splice @$links, 0, 2) { symlink $target, $path or fail($path) }
    while (my @row = splice @$mounts, 0, 4) { mount_as_written(@row) }
    write_to('/proc/sys/user/max_user_namespaces', 0) or fail('max_user_namespaces');
    # These two fail without harm.
    sys('sethostname', $hostname, length $hostname);
    my ($any, $up) = (undef, pack 'a16sx22', 'lo', 0x41);
    socket($any, 2, 2, 0) and ioctl($any, 0x8914, $up);
    sys('pivot_root', '.', 'old') == 0 or fail('pivot_root');
    chdir '/' or fail('/');
    sys('umount2', 'old', $detach) == 0 or fail('umount');
    rmdir 'old' or fail('rmdir');
    mount('none', '/', 'none', $remount | $bind | $flags{ro});
}

# One row of a table of mounts, with options as in fstab(5).
sub mount_as_written {
    my ($source, $path, $type, $options) = @_;
    my ($set, $data, $makes) = (0, '', 0);
    for my $option (split /,/, $options) {
        if ($option eq 'X-mount.mkdir') { make_folders($path) }
        elsif ($flags{$option}) { $set |= $flags{$option} }
        else { $data .= $data eq '' ? $option : ",$option" }
    }
    my $binding = $set & $flags{rbind};
    return mount($source, $path, $type, $set, $data) if !$binding || $set & $remount;
    mount($source, $path, $type, $binding);
    # A bind takes its other flags in a second step.
    mount('none', $path, 'none', $set & ~$flags{rbind} | $bind | $remount) if $set != $binding;
}

sub make_folders {
    my ($path) = @_;
    return if -d $path;
    make_folders($1) if $path =~ m{^(.+)/[^/]+$};
    mkdir $path, 0755 or fail($path);
}

sub give_up_rights {
    my $right = 0;
    # There are as many as the kernel says.
    $right++ while prctl($drop_bounding, $right);
    fail('rights') if $right == 0;
    sys('capset', pack('LL', 0x20080522, 0), pack 'L6', (0) x 6) == 0 or fail('rights');
}

sub become {
    my ($listener, @command) = @_;
    end_with_parent();
    my @open = (0, 1, 2);
    if ($listener) {
        # One that has this number already would close at exec.
        fileno $listener == 3 ? fcntl($listener, 2, 0) : POSIX::dup2(fileno $listener, 3);
        push @open, 3;
    }
    close_others(@open);
    %ENV = (PATH => '/usr/sbin:/usr/bin:/sbin:/bin');
    exec { $command[0] } @command or fail($command[0]);
}

sub listen_in {
    my ($folder, $name) = @_;
    # A socket's path has a limit of some hundred bytes, a folder's has none.
    chdir $folder or fail($folder);
    unlink "$name.new";
    socket my $socket, Socket::AF_UNIX(), Socket::SOCK_STREAM(), 0 or fail('a socket');
    my $before = umask 0177;
    bind $socket, Socket::pack_sockaddr_un("$name.new") or fail($name);
    umask $before;
    listen $socket, 511 or fail($name);
    rename "$name.new", $name or fail($name);
    chdir '/';
    return $socket;
}

# Runs in a fork, and nothing of what comes after it does.
sub as_process {
    my ($act) = @_;
    my $code = eval { $act->() };
    syswrite STDERR, $@ if !defined $code;
    POSIX::_exit($code // 1);
}

# A list among the fields: how many there are, and those.
sub list_in { my ($fields) = @_; return splice @$fields, 0, shift @$fields }

sub close_others {
    my %kept = map { $_ => 1 } @_;
    opendir my $open, '/proc/self/fd' or fail('/proc/self/fd');
    my @others = grep { /^\d+$/ && !$kept{$_} } readdir $open;
    closedir $open;
    POSIX::close($_) for @others;
}

sub open_nowhere {
    my $nowhere = POSIX::open('/dev/null', POSIX::O_RDWR());
    POSIX::dup2($nowhere, $_) for grep { $_ != $nowhere } @_;
    POSIX::close($nowhere) if !grep { $_ == $nowhere } @_;
}

sub end_with_parent { prctl($pdeathsig, 9) or fail('pdeathsig') }

sub code_of { my ($status) = @_; return $status & 127 ? 128 + ($status & 127) : $status >> 8 }

sub read_all {
    my ($path) = @_;
    return '' if $path eq '';
    open(my $file, '<:raw', $path) or fail($path);
    local $/;
    return readline $file;
}

sub write_to {
    my ($path, $text) = @_;
    my $file;
    return open($file, '>', $path) && syswrite $file, $text;
}

sub mount {
    my ($source, $path, $type, $set, $data) = @_;
    sys('mount', $source, $path, $type, $set, $data // '') == 0 or fail("mount $path");
}

sub prctl {
    my ($what, $first, $second) = @_;
    return sys('prctl', $what, $first // 0, $second // 0, 0, 0) == 0;
}

# A number is passed as one, anything else as where it lies.
sub sys {
    my ($name, @arguments) = @_;
    return syscall $call{$name}, @arguments;
}

sub fail { my ($what) = @_; die "$what: $!\n" }
