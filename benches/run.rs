//! Runs contests under criterion.

use std::time::Duration;

use criterion::{Criterion, Throughput};
use percent_simd_bench::Contest;

/// A configuration with short times, because there are many benches.
pub fn config() -> Criterion {
    let config = Criterion::default().without_plots().sample_size(10);
    config.warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_millis(800))
}

/// Benches all entries of `contest`, each after its output has been checked.
pub fn run(criterion: &mut Criterion, contest: &Contest) {
    let mut group = criterion.benchmark_group(contest.to_string());
    group.throughput(Throughput::Bytes(contest.bytes() as u64));
    for mut entry in contest.entries() {
        let mut checked = false;
        group.bench_function(entry.name.clone(), |bencher| {
            assert!(checked || entry.is_right(), "{contest}: {} is wrong", entry.name);
            checked = true;
            bencher.iter(|| entry.pass());
        });
    }
    group.finish();
}
