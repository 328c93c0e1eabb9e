//! Door: line ends, as the standards ask for them before encoding.
