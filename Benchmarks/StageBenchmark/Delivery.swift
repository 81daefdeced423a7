import CloudMessages
import CloudModel
import EventLog
import Foundation
import MatchingWorkload
import MemoryLog
import NotificationDelivery
import ProtocolBuffers

/// Stage 2 on a log in memory as fast as it goes: the plain feed, and the same changes under delivery policies, in
/// turns.
struct Delivery {
    let users: Int
    /// Changes that each user is notified of, a minute apart.
    let changes: Int

    private let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.bench"), environment: .development),
        partitions: 1)
    private static let minute = Int64(60_000)
    /// The first of January, 2026.
    private static let beginning = Int64(1_767_225_600_000)

    /// The policy of all subscriptions, with its name in the report.
    private struct Kind {
        let name: String
        var policy: DeliveryPolicy?
    }

    private static let kinds = [
        Kind(name: "plain"),
        Kind(name: "digest", policy: DeliveryPolicy(.digest(windowSeconds: 900, count: nil))),
        Kind(name: "shapedDigest", policy: DeliveryPolicy(.digest(windowSeconds: 900, count: nil), shapesFeed: true)),
        Kind(name: "latestPerRecord", policy: DeliveryPolicy(.latestPerRecord(windowSeconds: 900))),
        Kind(name: "hourly", policy: DeliveryPolicy(hourlyMax: 6)),
    ]

    func run(rounds: Int) async throws {
        var rates = [[Double]](repeating: [], count: Self.kinds.count)
        for _ in 0..<rounds {
            for (number, kind) in Self.kinds.enumerated() { try await rates[number].append(rate(kind)) }
        }
        for (number, kind) in Self.kinds.enumerated() {
            // Of each round by itself, as machines are noisy.
            let ratios = zip(rates[0], rates[number]).map { $0 / $1 }
            print(
                """
                {"users":\(users),"changesOfAUser":\(changes),"kind":"\(kind.name)",\
                "changesPerSecond":\(String(format: "%.0f", median(rates[number]))),\
                "timeToPlain":\(String(format: "%.2f", median(ratios))),"rounds":\(rounds)}
                """)
        }
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    /// Changes a second, from the start of the stage to its commit of the last one.
    private func rate(_ kind: Kind) async throws -> Double {
        let log = MemoryLog()
        _ = try await log.createTopics(layout.fixedTopics)
        let writer = try await log.makeWriter()
        var count = Int64(0)
        func append(_ events: [(event: DeliveryEntry.Event, user: Int)], at time: Int64) async throws {
            try await writer.append(
                events.map { event, user in
                    count += 1
                    return outgoing(event, user, number: count, at: time)
                })
        }
        for first in stride(from: 0, to: users, by: 1000) {
            let part = first..<min(first + 1000, users)
            try await append(part.flatMap { [(registration, $0), (courier, $0)] }, at: Self.beginning)
        }
        let stage = Task { await NotificationDelivery(log: log, layout: layout).run() }
        defer { stage.cancel() }
        try await delivered(log, upTo: count)
        let window = kind.policy.map { $0.window } ?? 0
        var entries: [OutgoingEntry] = []
        for change in 1...Int64(changes) {
            let time = Self.beginning + change * Self.minute
            // What the record-service publishes once a window is over.
            if window > 0, change > 1, (change - 1) * Self.minute % window == 0 {
                for user in 0..<users {
                    count += 1
                    entries.append(outgoing(.deliveryDue(DeliveryDue(at: time)), user, number: count, at: time))
                }
            }
            for user in 0..<users {
                count += 1
                entries.append(outgoing(hit(change, kind.policy, user), user, number: count, at: time))
            }
        }
        let begun = now()
        for first in stride(from: 0, to: entries.count, by: 1000) {
            try await writer.append(Array(entries[first..<min(first + 1000, entries.count)]))
        }
        try await delivered(log, upTo: count)
        let end = now()
        stage.cancel()
        await stage.value
        await log.close()
        return Double(users * changes) / (end - begun)
    }

    private func delivered(_ log: MemoryLog, upTo end: Int64) async throws {
        let input = TopicPartition(layout.deliveries)
        let group = NotificationDelivery.group(layout)
        while try await log.positions(of: group, [input])[input]?.offset != end {
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    // MARK: Entries

    private let registration = DeliveryEntry.Event.registered(
        DeviceRegistered(device: "phone", epoch: 1, name: "", platform: ""))
    private let courier = DeliveryEntry.Event.courierChanged(
        CourierChanged(device: "phone", epoch: 1, courier: "apns", since: 1))

    private func hit(_ change: Int64, _ policy: DeliveryPolicy?, _ user: Int) -> DeliveryEntry.Event {
        .hits(
            HitsMessage(
                change: change * Int64(users) + Int64(user), kind: 2, recordType: "Comment",
                recordName: "record\(change % 4)-\(user)", zone: ZoneMessage(.publicDefault),
                origin: OriginMessage(user: Workload.user(users).rawValue, device: nil, epoch: nil),
                hits: [
                    Hit(
                        database: 1, subscription: "comments", created: 1, alertBody: "New comments",
                        policy: policy.map { PolicyMessage($0) })
                ]))
    }

    private func outgoing(_ event: DeliveryEntry.Event, _ user: Int, number: Int64, at time: Int64) -> OutgoingEntry {
        let name = Workload.user(user)
        let entry = DeliveryEntry(
            source: SourcePositionMessage(SourcePosition(source: .store(7), offset: number)), user: name.rawValue,
            time: time, event: event)
        return OutgoingEntry(
            TopicPartition(layout.deliveries), key: layout.userKey(name),
            value: entry.encoded(), timestamp: LogTimestamp(milliseconds: time))
    }
}
