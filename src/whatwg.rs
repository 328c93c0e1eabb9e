//! Door: percent-encoding as the URL Standard has it.
