// go run rival.go FOLDER ROUNDS SIZE...: src/runtimes.rs describes the arguments and the output
package main

import (
	"fmt"
	"net/url"
	"os"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"time"
)

func main() {
	folder := os.Args[1]
	rounds, err := strconv.Atoi(os.Args[2])
	check(err)
	run(folder, rounds, "encode", "url.QueryEscape", url.QueryEscape)
	run(folder, rounds, "decode", "url.QueryUnescape", func(text string) string {
		text, err := url.QueryUnescape(text)
		check(err)
		return text
	})
}

func run(folder string, rounds int, op, name string, call func(string) string) {
	for _, size := range os.Args[3:] {
		text, err := os.ReadFile(fmt.Sprintf("%s/%s-%s.txt", folder, op, size))
		check(err)
		inputs := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		var output strings.Builder
		for _, input := range inputs {
			output.WriteString(call(input) + "\n")
		}
		check(os.WriteFile(fmt.Sprintf("%s/go-%s-%s.out", folder, op, size), []byte(output.String()), 0o644))
		times := make([]float64, rounds)
		sink := 0
		for round := range times {
			start := time.Now()
			for _, input := range inputs {
				sink += len(call(input))
			}
			times[round] = float64(time.Since(start).Nanoseconds()) / float64(len(inputs))
		}
		sort.Float64s(times)
		fmt.Printf("go\tGo %s %s\t%s\t%s\t%f\n", strings.TrimPrefix(runtime.Version(), "go"), name, op, size, times[rounds/2])
		if sink == 0 {
			fmt.Fprintln(os.Stderr, "nothing came out")
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
