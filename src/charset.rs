//! Door: character data in charsets other than UTF-8.
