//! Door: percent-encoding in HTTP fields: ext-values, cookies, gRPC messages.
