import CloudMessages
import CloudModel
import EventLog
import Foundation
import MemoryLog
import ProtocolBuffers
import Push
import Synchronization

// A push sender without and with its push-log, and with notes that nobody writes, in turns, over a log in memory and a
// provider that takes everything at once; one line of JSON. Arguments: rounds, pushes in a round.
let arguments = CommandLine.arguments.dropFirst()
let rounds = arguments.first.flatMap { Int($0) } ?? 5
let pushes = arguments.dropFirst().first.flatMap { Int($0) } ?? 50_000
let devicesPerUser = 10

func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

/// The processor time of all threads.
func processorSeconds() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Takes every push, and says when it has them all.
final class Taker: PushProvider {
    let kind = CourierKind.apns
    private let taken = Atomic(0)
    private let end: AsyncStream<Void>.Continuation

    init(_ end: AsyncStream<Void>.Continuation) { self.end = end }

    func line(of address: PushAddress) -> String { "host" }

    func send(_ push: OutgoingPush) async -> PushOutcome {
        if taken.add(1, ordering: .relaxed).newValue == pushes { end.finish() }
        return .accepted(status: 200)
    }
}

/// Every device has an address.
struct Addresses: PushAddresses {
    private let address = RegisteredPushAddress(
        .apns(APNSAddress(token: Array(repeating: 7, count: 32), environment: .development)),
        registered: Timestamp(milliseconds: 100))

    func follow(_ partition: Int32) async throws { try await Task.sleep(for: .seconds(86_400)) }

    func address(
        of device: DeviceID, _ epoch: DeviceEpoch, _ kind: CourierKind, user: UserRecordName,
        atLeast sequence: CommitSequence
    ) async throws -> RegisteredPushAddress? { address }

    func remove(
        _ address: RegisteredPushAddress, of device: DeviceID, _ epoch: DeviceEpoch, user: UserRecordName,
        for reason: PushFailure
    ) async throws {}

    func note(_ outcome: PushOutcome, of address: RegisteredPushAddress, of device: DeviceID, at time: Timestamp) {}

    func report() async { try? await Task.sleep(for: .seconds(86_400)) }
}

let layout = TopicLayout(
    ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.bench"), environment: .development),
    partitions: 4)

func filledLog() async throws -> MemoryLog {
    let log = MemoryLog()
    _ = try await log.createTopics(layout.fixedTopics)
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    for first in stride(from: 0, to: pushes / devicesPerUser, by: 500) {
        let entries = (first..<min(first + 500, pushes / devicesPerUser)).map { number in
            let user = UserRecordName(trusted: "_user\(number)")
            let entry = PushEntry(
                source: SourcePositionMessage(
                    SourcePosition(
                        source: SourceID(
                            origin: "deliveries", incarnation: 9, partition: layout.pushes(of: user).partition),
                        offset: Int64(number))),
                user: user.rawValue, time: now,
                notification: QueryNotification(
                    database: 2, subscription: "s", change: Int64(number), reason: 1, recordType: "T", recordName: "r",
                    zone: ZoneMessage(.publicDefault), alertBody: "b"),
                targets: (0..<devicesPerUser).map {
                    PushTarget(device: "device-\(number)-\($0)", epoch: 3, courier: "apns")
                })
            return OutgoingEntry(
                layout.pushes(of: user), key: layout.userKey(user), value: entry.encoded(),
                timestamp: LogTimestamp(milliseconds: now))
        }
        try await log.withWriter { try await $0.append(entries) }
    }
    return log
}

/// Takes notes and forgets them: only the sender's own part is left.
struct Forgetting: PushJournal {
    func note(_ note: PushNote) {}
}

enum Variant: CaseIterable { case without, forgetting, with }

/// The seconds of one round, and those of the processor; the last notes that the push-log writes are in the latter.
func round(_ variant: Variant, _ file: String) async throws -> (seconds: Double, processor: Double) {
    let log = try await filledLog()
    let journal =
        variant == .with
        ? try PushLog(path: file, rowsMax: 1_000_000) {
            Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        } : nil
    let (ended, end) = AsyncStream<Void>.makeStream()
    let sender = PushSender(
        log: log, layout: layout, providers: [Taker(end)],
        payloads: PushPayloads(container: ContainerIdentifier(trusted: "iCloud.bench")) { "\($0.change)" },
        addresses: Addresses(), journal: variant == .forgetting ? Forgetting() : journal)
    let (start, before) = (ContinuousClock.now, processorSeconds())
    let writing = Task { await journal?.run() }
    let sending = Task { await sender.run() }
    for await _ in ended {}
    let took = ContinuousClock.now - start
    sending.cancel()
    writing.cancel()
    await sending.value
    await writing.value
    await journal?.close()
    let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
    return (seconds, processorSeconds() - before)
}

let folder = FileManager.default.temporaryDirectory.appendingPathComponent("push-log-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
var results: [Variant: [(seconds: Double, processor: Double)]] = [:]
var bytes = 0
_ = try await round(.without, "")
for number in 0..<rounds {
    // The order alternates, as the machine may be busier later.
    for variant in number % 2 == 0 ? Variant.allCases : Variant.allCases.reversed() {
        let file = folder.appendingPathComponent("log-\(number)").path
        results[variant, default: []].append(try await round(variant, file))
        if variant == .with { bytes = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0 }
    }
}
try FileManager.default.removeItem(at: folder)

/// Pushes a second, and the processor time of a push in microseconds.
func figures(_ rounds: [(seconds: Double, processor: Double)]) -> (rate: Int, processor: String) {
    (
        Int(Double(pushes) / median(rounds.map(\.seconds))),
        String(format: "%.1f", 1e6 * median(rounds.map(\.processor)) / Double(pushes))
    )
}
let (without, forgetting, with) = (
    figures(results[.without]!), figures(results[.forgetting]!), figures(results[.with]!)
)
print(
    "{\"work\":\"push-log\",\"pushes\":\(pushes),\"rounds\":\(rounds),"
        + "\"pushes_per_second\":{\"without\":\(without.rate),\"unwritten\":\(forgetting.rate),\"with\":\(with.rate)},"
        + "\"processor_microseconds\":{\"without\":\(without.processor),\"unwritten\":\(forgetting.processor),"
        + "\"with\":\(with.processor)},\"bytes_per_push\":\(bytes / pushes)}")
