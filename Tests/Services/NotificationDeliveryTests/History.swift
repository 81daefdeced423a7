import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import TestSupport

/// The events of two users from three sources: random, in a commit order that a record-service could produce.
///
/// Two partitions of `changes` give hits, the store gives device events. The oracle knows nothing else.
struct History {
    static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 1)
    static let users = ["a", "b"].map(UserRecordName.sample)
    static let day: Int64 = 86_400_000

    /// The entries of each source, in its order.
    private(set) var sources: [[DeliveryEntry]] = [[], [], []]
    private var random: SeededGenerator
    private var sequence: Int64 = 0
    private var time: Int64 = 1_700_000_000_000
    private var offsets: [Int64] = [0, 0]
    /// The devices that are registered, with their users and epochs.
    private var devices: [String: (user: UserRecordName, epoch: Int64)] = [:]
    private var changes: [UserRecordName: [Int64]] = [:]
    private var created: [String: Int64] = [:]

    init(random: SeededGenerator, events: Int) {
        self.random = random
        for _ in 0..<events { commit() }
    }

    private static let store = SourceID.store(77)
    private static func partition(_ number: Int) -> SourceID {
        SourceID(origin: "changes.public", incarnation: 5, partition: Int32(number))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }

    private mutating func commit() {
        sequence += 1
        time += Int64.random(in: 0..<200_000, using: &random)
        switch Int.random(in: 0..<11, using: &random) {
        case 0...5: change()
        case 6: register()
        case 7 where !devices.isEmpty: unregister()
        case 8 where !devices.isEmpty: setBadge()
        case 9 where !devices.isEmpty: markRead()
        case 10 where !devices.isEmpty: changeCourier()
        default: change()
        }
    }

    private mutating func change() {
        let source = Int.random(in: 0..<2, using: &random)
        // Changes that hit nobody leave offsets without entries.
        offsets[source] += Int64.random(in: 1...3, using: &random)
        var origin = OriginMessage(user: pick(Self.users).rawValue)
        if Bool.random(using: &random), let device = devices.keys.sorted().randomElement(using: &random) {
            origin = OriginMessage(
                user: devices[device]!.user.rawValue, device: device, epoch: devices[device]!.epoch)
        } else if Int.random(in: 0..<4, using: &random) == 0 {
            // A `clientId` that was no registered device, yet may bear one's name.
            origin.device = pick(["phone", "browser"])
        }
        var index: Int32 = 0
        for user in Self.users where Int.random(in: 0..<3, using: &random) > 0 {
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let hits = HitsMessage(
                    change: sequence, kind: Int32.random(in: 1...3, using: &random), recordType: "Artwork",
                    recordName: "r\(sequence)", zone: ZoneMessage(.publicDefault), origin: origin, hits: self.hits())
                append(.hits(hits), user, Self.partition(source), offsets[source], index, to: source)
                index += 1
                changes[user, default: []].append(sequence)
            }
        }
    }

    private mutating func hits() -> [Hit] {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in
            let id = pick(["s1", "s2", "once1", "once2"])
            let firesOnce = id.hasPrefix("once")
            // A subscription that fired once may be created again: another creation, another epoch.
            if created[id] == nil || (firesOnce && Int.random(in: 0..<4, using: &random) == 0) {
                created[id] = sequence
            }
            return Hit(
                database: 1, subscription: id, created: created[id]!, firesOnce: firesOnce,
                shouldBadge: Bool.random(using: &random), alertBody: "new")
        }
    }

    private mutating func register() {
        let user = pick(Self.users)
        let device = pick(["phone", "laptop", "tablet"]) + String(user.rawValue.suffix(1))
        guard devices[device] == nil else { return }
        devices[device] = (user, sequence)
        let courier = device.hasPrefix("phone") ? "" : String(device.prefix(3))
        append(
            .registered(
                DeviceRegistered(device: device, epoch: sequence, name: "n", platform: "p", courier: courier)), user,
            Self.store, sequence, 0, to: 2)
    }

    private mutating func unregister() {
        let device = pick(devices.keys.sorted())
        let (user, epoch) = devices.removeValue(forKey: device)!
        append(.unregistered(DeviceUnregistered(device: device, epoch: epoch)), user, Self.store, sequence, 0, to: 2)
    }

    private mutating func setBadge() {
        let device = pick(devices.keys.sorted())
        let value = Int64.random(in: 0..<20, using: &random)
        append(
            .badge(BadgeSet(device: device, value: value)), devices[device]!.user, Self.store, sequence, 0, to: 2)
    }

    private mutating func changeCourier() {
        let device = pick(devices.keys.sorted())
        let (user, epoch) = devices[device]!
        // Some are of a life that is over.
        let event = CourierChanged(
            device: device, epoch: pick([epoch, epoch, epoch, epoch - 1]), courier: pick(["apns", "webPush"]),
            since: pick([0, sequence, sequence]))
        append(.courierChanged(event), user, Self.store, sequence, 0, to: 2)
    }

    private mutating func markRead() {
        let device = pick(devices.keys.sorted())
        let user = devices[device]!.user
        guard let known = changes[user] else { return }
        let marked = (0..<Int.random(in: 1...3, using: &random)).map { _ in pick(known) }
        append(
            .read(NotificationsRead(device: device, changes: marked)), user, Self.store, sequence, 0, to: 2)
    }

    private mutating func append(
        _ event: DeliveryEntry.Event, _ user: UserRecordName, _ source: SourceID, _ offset: Int64, _ index: Int32,
        to list: Int
    ) {
        sources[list].append(
            DeliveryEntry(
                source: SourcePositionMessage(SourcePosition(source: source, offset: offset, index: index)),
                user: user.rawValue, time: time, event: event))
    }
}

extension History {
    /// `deliveries`, as several writers of each source left it: any interleaving of the sources, and repeats by writers
    /// that began again at an earlier entry, some of them long after others have gone on.
    func interleaved(_ random: inout SeededGenerator) -> [LogEntry] {
        var log: [LogEntry] = []
        var written = sources.map { _ in 0 }
        var writers = sources.indices.map { (source: $0, next: 0) }
        while sources.indices.contains(where: { written[$0] < sources[$0].count }) {
            let number = Int.random(in: 0..<writers.count, using: &random)
            let (source, next) = writers[number]
            guard next < sources[source].count else {
                if number >= sources.count { writers.remove(at: number) }
                continue
            }
            log.append(Self.entry(sources[source][next], at: Int64(log.count)))
            writers[number].next += 1
            written[source] = max(written[source], next + 1)
            switch Int.random(in: 0..<30, using: &random) {
            case 0...2:
                let source = Int.random(in: 0..<sources.count, using: &random)
                let first = Int.random(in: max(0, written[source] - 6)...written[source], using: &random)
                writers.append((source, first))
            case 3...12 where writers.count > sources.count: writers.removeLast()
            default: break
            }
        }
        return log
    }

    static func entry(_ entry: DeliveryEntry, at offset: Int64) -> LogEntry {
        LogEntry(
            offset: offset, timestamp: LogTimestamp(milliseconds: entry.time), key: Array(entry.user.utf8),
            value: entry.encoded(), headers: [])
    }
}
