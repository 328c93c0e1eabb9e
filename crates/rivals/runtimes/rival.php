<?php // php rival.php FOLDER ROUNDS SIZE...: src/runtimes.rs describes the arguments and the output
[, $folder, $rounds] = $argv;
$sizes = array_slice($argv, 3);
foreach (['encode' => 'rawurlencode', 'decode' => 'rawurldecode'] as $op => $call) {
    foreach ($sizes as $size) {
        $inputs = file("$folder/$op-$size.txt", FILE_IGNORE_NEW_LINES);
        file_put_contents("$folder/php-$op-$size.out", implode('', array_map(fn($text) => $call($text) . "\n", $inputs)));
        $times = [];
        for ($round = 0; $round < $rounds; $round++) {
            $start = hrtime(true);
            foreach ($inputs as $text) {
                $call($text);
            }
            $times[] = (hrtime(true) - $start) / count($inputs);
        }
        sort($times);
        echo implode("\t", ['php', 'PHP ' . PHP_VERSION . " $call", $op, $size, $times[intdiv($rounds, 2)]]), "\n";
    }
}
