<?php
// The PHP runner of crates/rivals/scripts/watch. The head of that script describes the requests and the answers of a
// runner.
function clock(): int
{
    $usage = getrusage();
    return 1000 * (1_000_000 * ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec']);
}
[$loaded, $inputs] = ['', []];
while (($request = fgets(STDIN)) !== false) {
    [$call, $file, $passes] = explode("\t", rtrim($request, "\n"));
    if ($loaded !== $file) {
        [$loaded, $inputs] = [$file, explode("\n", file_get_contents($file))];
    }
    if ($passes === '0') {
        file_put_contents("$file.out", implode("\n", array_map($call, $inputs)));
    }
    $start = clock();
    for ($pass = 0; $pass < (int) $passes; $pass++) {
        foreach ($inputs as $input) {
            $call($input);
        }
    }
    echo clock() - $start, "\n";
}
