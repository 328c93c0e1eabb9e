// The Go runner of crates/rivals/scripts/watch. The head of that script describes the requests and the answers of a
// runner.
package main

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

var calls = map[string]func(string) string{
	"url.PathEscape":    url.PathEscape,
	"url.QueryEscape":   url.QueryEscape,
	"url.PathUnescape":  must(url.PathUnescape),
	"url.QueryUnescape": must(url.QueryUnescape),
}

func must(call func(string) (string, error)) func(string) string {
	return func(text string) string {
		result, err := call(text)
		check(err)
		return result
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Returns the CPU time of this process in nanoseconds. It includes the garbage collector.
func clock() int64 {
	const processTime = 2
	var time syscall.Timespec
	_, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, processTime, uintptr(unsafe.Pointer(&time)), 0)
	if errno != 0 {
		check(errno)
	}
	return time.Nano()
}

var sink int

func main() {
	file, inputs := "", []string(nil)
	requests := bufio.NewScanner(os.Stdin)
	for requests.Scan() {
		request := strings.Split(requests.Text(), "\t")
		call := calls[request[0]]
		passes, err := strconv.Atoi(request[2])
		check(err)
		if file != request[1] {
			file = request[1]
			text, err := os.ReadFile(file)
			check(err)
			inputs = strings.Split(string(text), "\n")
		}
		if passes == 0 {
			outputs := make([]string, len(inputs))
			for at, input := range inputs {
				outputs[at] = call(input)
			}
			check(os.WriteFile(file+".out", []byte(strings.Join(outputs, "\n")), 0o644))
		}
		start := clock()
		for pass := 0; pass < passes; pass++ {
			for _, input := range inputs {
				sink += len(call(input))
			}
		}
		fmt.Println(clock() - start)
	}
}
