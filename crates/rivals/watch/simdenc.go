// The calls of simdenc. crates/rivals/scripts/watch adds this file if it measures simdenc.
package main

import "github.com/dans-stuff/simdenc"

func init() {
	calls["simdenc.PathEscape"] = simdenc.PathEscape
	calls["simdenc.QueryEscape"] = simdenc.QueryEscape
	calls["simdenc.PathUnescape"] = must(simdenc.PathUnescape)
	calls["simdenc.QueryUnescape"] = must(simdenc.QueryUnescape)
}
