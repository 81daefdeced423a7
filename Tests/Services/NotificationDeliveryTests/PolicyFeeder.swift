import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Testing

@testable import NotificationDelivery

/// Feeds a machine events of one user at times of the log, and collects what they deliver.
struct PolicyFeeder {
    static let user = History.users[0]
    private static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)

    private static let layout = History.layout
    private var machine: PartitionDelivery
    private(set) var state: [[UInt8]: [UInt8]] = [:]
    private var count: Int64 = 0

    /// What an event delivered.
    struct Delivered {
        var pushes: [PushEntry] = []
        var feed: [QueryNotification] = []
        var schedules: [ScheduleDelivery] = []
    }

    init() throws { machine = try PartitionDelivery(layout: Self.layout, source: Self.source, state: [:]) }

    /// Another process takes the partition over.
    mutating func restart() throws {
        machine = try PartitionDelivery(layout: Self.layout, source: Self.source, state: state)
    }

    @discardableResult
    mutating func apply(_ event: DeliveryEntry.Event, at time: Int64) throws -> Delivered {
        count += 1
        let entry = DeliveryEntry(
            source: SourcePositionMessage(SourcePosition(source: .store(7), offset: count)), user: Self.user.rawValue,
            time: time, event: event)
        let step = machine.apply([
            LogEntry(
                offset: count, timestamp: LogTimestamp(milliseconds: time), key: Self.layout.userKey(Self.user),
                value: entry.encoded(), headers: [])
        ])
        #expect(step.malformed.isEmpty)
        for (key, value) in step.changes { state[key] = value }
        for hold in stored?.holds ?? [] { #expect(hold.encoded().count <= hold.bytesMost) }
        var delivered = Delivered()
        delivered.pushes = try step.outputs.pushes.map { try PushEntry(decoding: $0.value!) }
            .filter { $0.notification != nil }
        // Readers take a second entry of one name for a repeat; a push and an entry of one name are of one thing.
        var names: Set<SourcePosition> = []
        var pushed = try Dictionary(
            delivered.pushes.map { (try #require($0.source?.position), $0.notification!.change) },
            uniquingKeysWith: { first, second in
                Issue.record("pushes of \(first) and \(second) have one name")
                return first
            })
        for entry in step.outputs.journals {
            // That of a removed user has no value.
            guard let value = entry.value else { continue }
            let message = try FeedEntry(decoding: value)
            #expect(names.insert(try #require(message.source?.position)).inserted, "\(message)")
            let push = pushed.removeValue(forKey: message.source!.position)
            if case .query(let query)? = message.entry {
                delivered.feed.append(query)
                #expect(push == nil || push == query.change)
            } else {
                #expect(push == nil)
            }
        }
        for entry in step.outputs.commands {
            if case .scheduleDelivery(let order)? = try Command(decoding: entry.value!).command {
                delivered.schedules.append(order)
            }
        }
        return delivered
    }

    /// Registers a device with an address of APNs.
    @discardableResult
    mutating func register(_ device: String, epoch: Int64 = 1, at time: Int64 = 0) throws -> Delivered {
        let first = try apply(
            .registered(DeviceRegistered(device: device, epoch: epoch, name: "", platform: "")), at: time)
        let second = try apply(
            .courierChanged(CourierChanged(device: device, epoch: epoch, courier: "apns", since: epoch)), at: time)
        return Delivered(
            pushes: first.pushes + second.pushes, feed: first.feed + second.feed,
            schedules: first.schedules + second.schedules)
    }

    /// A change of a record that meets one subscription.
    @discardableResult
    mutating func change(
        _ number: Int64, of record: String = "r", _ policy: DeliveryPolicy?, subscription: String = "s",
        badge: Bool = false, body: String? = nil, by device: String? = nil, at time: Int64
    ) throws -> Delivered {
        let origin = OriginMessage(
            user: (device == nil ? History.users[1] : Self.user).rawValue, device: device,
            epoch: device == nil ? nil : 1)
        return try apply(
            .hits(
                HitsMessage(
                    change: number, kind: 2, recordType: "T", recordName: record, zone: ZoneMessage(.publicDefault),
                    origin: origin,
                    hits: [
                        Hit(
                            database: 1, subscription: subscription, created: 1, shouldBadge: badge, alertBody: body,
                            policy: policy.map { PolicyMessage($0) })
                    ])), at: time)
    }

    /// A delivery that was scheduled is due.
    @discardableResult
    mutating func due(_ at: Int64, at time: Int64? = nil) throws -> Delivered {
        try apply(.deliveryDue(DeliveryDue(at: at)), at: time ?? at)
    }

    /// The user chooses policies for a device.
    mutating func choose(_ policies: DevicePolicies, on device: String, epoch: Int64 = 1, at time: Int64) throws {
        try apply(
            .policiesChanged(
                PoliciesChanged(device: device, epoch: epoch, policies: DevicePoliciesMessage(policies))), at: time)
    }

    /// The stored state of the user.
    var stored: UserState? { state[Self.layout.userKey(Self.user)].flatMap { try? UserState(decoding: $0) } }
}

extension QueryNotification {
    /// All changes that it stands for, in the order of their sequences.
    var allChanges: [Int64] { (covered + [change]).sorted() }
}
