import Foundation
import KafkaLog
import MatchingWorkload
import MemoryLog

// The stages of the delivery path, measured: scripts/bench stage, delivery and start. See docs/benchmarks.md.
//
//     StageBenchmark stage [ROUNDS [SUBSCRIPTIONS [CHANGES]]]
//     StageBenchmark delivery [ROUNDS [USERS [CHANGES]]]
//     StageBenchmark table FOLDER [SUBSCRIPTIONS]  # on a log in memory: a start without a snapshot, then some from it
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
case ("delivery", _):
    try await Delivery(users: numbers.dropFirst().first ?? 10_000, changes: numbers.dropFirst(2).first ?? 31)
        .run(rounds: numbers.first ?? 5)
case ("fill", let servers?):
    let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: servers))
    try await Start(subscriptions: numbers.first ?? 1_000_000).fill(log)
    await log.close()
case ("start", let servers?):
    let log = try KafkaLog(KafkaLogConfiguration(bootstrapServers: servers))
    try await Start(subscriptions: numbers.first ?? 1_000_000).measure(log, arguments.dropFirst(2).first)
    await log.close()
case ("table", _) where arguments.count > 1:
    let start = Start(subscriptions: numbers.first ?? 1_000_000)
    let log = MemoryLog()
    try await start.fill(log)
    for _ in 1...4 { try await start.measure(log, arguments[1]) }
    await log.close()
default:
    print("usage: StageBenchmark stage [ROUNDS [SUBSCRIPTIONS [CHANGES]]]")
    print("       StageBenchmark delivery [ROUNDS [USERS [CHANGES]]]")
    print("       StageBenchmark table FOLDER [SUBSCRIPTIONS]")
    print("       KAFKA_BOOTSTRAP_SERVERS=… StageBenchmark fill [SUBSCRIPTIONS]")
    print("       KAFKA_BOOTSTRAP_SERVERS=… StageBenchmark start [SUBSCRIPTIONS [FOLDER]]")
    exit(64)
}
