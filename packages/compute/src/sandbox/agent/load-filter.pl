# Puts itself under a system call filter and becomes the command: load-filter.pl NUMBER-OF-PRCTL FILTER COMMAND...
# Perl is on nearly every Linux and can make any system call; nothing else there can load a filter. It runs after every
# capability has been given up, which the kernel allows because no_new_privs is set.
use strict;
my $prctl = shift;
my $file = shift;
open(my $in, '<:raw', $file) or die "no filter: $!\n";
local $/;
my $filter = <$in>;
close($in);
# struct sock_fprog: how many instructions, and where. 22 and 2: PR_SET_SECCOMP, SECCOMP_MODE_FILTER.
my $program = pack('S x![Q] P', length($filter) / 8, $filter);
syscall($prctl, 22, 2, $program, 0, 0) == 0 or die "the filter was refused: $!\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
