//! Door: ECMA-262's `encodeURI` family, `escape` and `unescape`.
