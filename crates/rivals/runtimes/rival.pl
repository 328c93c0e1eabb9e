# perl rival.pl FOLDER ROUNDS SIZE...: src/runtimes.rs describes the arguments and the output
use strict;
use warnings;
use Time::HiRes qw(clock_gettime CLOCK_PROCESS_CPUTIME_ID);

my ($folder, $rounds, @sizes) = @ARGV;
my %hex = map { chr($_) => sprintf("%%%02X", $_) } 0 .. 255;
my %calls = (
    encode => sub { my $text = shift; $text =~ s/([^A-Za-z0-9\-._~])/$hex{$1}/g; $text },
    decode => sub { my $text = shift; $text =~ s/%([0-9A-Fa-f]{2})/chr(hex($1))/ge; $text },
);
for my $op (qw(encode decode)) {
    for my $size (@sizes) {
        open(my $in, "<", "$folder/$op-$size.txt") or die "$op-$size.txt: $!";
        chomp(my @inputs = <$in>);
        my $call = $calls{$op};
        open(my $out, ">", "$folder/perl-$op-$size.out") or die "perl-$op-$size.out: $!";
        print $out $call->($_), "\n" for @inputs;
        close($out);
        my @times;
        for (1 .. $rounds) {
            my $start = clock_gettime(CLOCK_PROCESS_CPUTIME_ID);
            $call->($_) for @inputs;
            push @times, (clock_gettime(CLOCK_PROCESS_CPUTIME_ID) - $start) * 1e9 / @inputs;
        }
        @times = sort { $a <=> $b } @times;
        print join("\t", "perl", sprintf("Perl %vd s///g", $^V), $op, $size, $times[$rounds / 2]), "\n";
    }
}
