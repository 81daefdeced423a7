import Foundation
import MatchingWorkload

// Stage 1 of the delivery path, measured: scripts/bench stage, scripts/bench start. See docs/benchmarks.md.
//
//     StageBenchmark stage [ROUNDS [SUBSCRIPTIONS [CHANGES]]]
//     KAFKA_BOOTSTRAP_SERVERS=… StageBenchmark fill [SUBSCRIPTIONS]
//     KAFKA_BOOTSTRAP_SERVERS=… StageBenchmark start [SUBSCRIPTIONS [FOLDER]]
let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst().compactMap { Int($0) }
let servers = ProcessInfo.processInfo.environment["KAFKA_BOOTSTRAP_SERVERS"]
switch (arguments.first, servers) {
case ("stage", _):
    let subscriptions = numbers.dropFirst().first ?? 100_000
    let changes = numbers.dropFirst(2).first ?? 50_000
    for shards in [80, 1] {
        try await Stage(
            subscriptions: subscriptions, changes: changes, spread: Workload.Spread(users: 10_000, shards: shards)
        ).run(rounds: numbers.first ?? 5)
    }
case ("fill", let servers?):
    try await Start(servers: servers, subscriptions: numbers.first ?? 1_000_000).fill()
case ("start", let servers?):
    try await Start(servers: servers, subscriptions: numbers.first ?? 1_000_000).measure(
        arguments.dropFirst(2).first)
default:
    print("usage: StageBenchmark stage [ROUNDS [SUBSCRIPTIONS [CHANGES]]]")
    print("       KAFKA_BOOTSTRAP_SERVERS=… StageBenchmark fill [SUBSCRIPTIONS]")
    print("       KAFKA_BOOTSTRAP_SERVERS=… StageBenchmark start [SUBSCRIPTIONS [FOLDER]]")
    exit(64)
}
