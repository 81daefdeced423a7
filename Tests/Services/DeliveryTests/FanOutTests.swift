import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import SubscriptionMatcher
import TestSupport
import Testing

@testable import NotificationDelivery

/// The bytes that a save makes in the log, by the worst input that the limits admit.
@Suite struct FanOutTests {
    private static let layout = TopicLayout(
        ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development),
        partitions: 4)
    private static let user = UserRecordName.sample("a")
    /// Bytes of one operation in a request that changes a record: `{"operationType":"forceUpdate",…}` (finding 2).
    private static let operationBytes = 50

    /// What notifications carry.
    enum Look: CaseIterable { case texts, halfTheTexts, sameTexts, fields, arguments, plain }

    private static func info(_ look: Look, _ number: Int) -> NotificationInfo {
        let emoji = String(repeating: "\u{1F600}", count: Limits.alertCharactersMax - 4)
        let names = ["a", "b", "c"].map { FieldName(trusted: $0) }
        switch look {
        case .halfTheTexts:
            // The most that 100 devices get of one change.
            return NotificationInfo(
                shouldBadge: true,
                appearance: Appearance(
                    alert: AlertText(emoji + "\(1000 + number)"), title: AlertText(emoji), subtitle: AlertText(emoji),
                    soundName: emoji, category: emoji))
        case .texts, .sameTexts:
            let wide = emoji + (look == .texts ? "\(1000 + number)" : "same")
            let text = AlertText<FieldName>(wide, localizationKey: wide)
            return NotificationInfo(
                shouldBadge: true,
                appearance: Appearance(
                    alert: text, title: text, subtitle: text, actionLocalizationKey: wide, launchImage: wide,
                    soundName: wide, category: wide))
        case .fields: return NotificationInfo(additionalFields: names, shouldBadge: true)
        case .arguments:
            let text = AlertText(
                localizationKey: "k", localizationArgs: (0..<Limits.localizationArgsMax).map { names[$0 % 3] })
            return NotificationInfo(
                shouldBadge: true, appearance: Appearance(alert: text, title: text, subtitle: text))
        case .plain: return NotificationInfo(alertBody: "A record is new", shouldBadge: true)
        }
    }

    private static let fields: RecordFields = {
        var fields = RecordFields()
        for name in ["a", "b", "c"] {
            fields[FieldName(trusted: name)] = .string(String(repeating: name, count: 300_000))
        }
        return fields
    }()

    private static func change(_ sequence: Int64) -> Change {
        let stamp = RecordStamp(timestamp: Timestamp(milliseconds: 1), user: user, device: nil)
        let record = Record(
            type: RecordType(trusted: "T"), name: RecordName(trusted: "r\(sequence)"), zone: .publicDefault,
            changeTag: "t", created: stamp, modified: stamp, fields: fields)
        return Change(
            sequence: CommitSequence(sequence), lastSubscription: .zero, database: .public, kind: .updated,
            before: nil, after: record, committed: Timestamp(milliseconds: 1),
            origin: Origin(user: user, device: nil, epoch: nil))
    }

    private static func fired(_ look: Look, _ count: Int) -> [FiredSubscription] {
        (0..<count).map { number in
            FiredSubscription(
                key: SubscriptionKey(
                    user: user, database: .public, id: SubscriptionID(trusted: "s\(1000 + number)")), kind: .query,
                firesOnce: false, notificationInfo: info(look, number), created: CommitSequence(1),
                saved: CommitSequence(1))
        }
    }

    /// Bytes of the log by topic, for changes of one moment.
    struct Written {
        var deliveries = 0
        var journals = 0
        /// In the topics that stage 3 makes of the journal, one for each device.
        var feeds = 0
        var total: Int { deliveries + journals + feeds }
    }

    /// The ID of a device, as long as it may be: the journal has it beside each badge.
    private static func device(_ number: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "d", count: Limits.deviceCharactersMax - digits.count) + digits
    }

    /// Bytes that an entry of the journal has in the topic of one device: there it has one badge in place of all.
    private static func copyBytes(_ outgoing: OutgoingEntry) throws -> Int {
        var copy = outgoing
        var entry = try FeedEntry(decoding: outgoing.value!)
        if case .query(var query)? = entry.entry {
            (query.badge, query.badges) = (query.badges.first?.badge, [])
            entry.entry = .query(query)
        }
        (copy.key, copy.value) = (nil, entry.encoded())
        return copy.byteCount
    }

    private static func written(
        _ look: Look, changes: Int, subscriptions: Int, devices: Int, partitions: Int = 1
    ) async throws -> Written {
        var written = Written()
        var machine = try PartitionDelivery(
            layout: layout, source: SourceID(origin: "deliveries", incarnation: 9, partition: 0), state: [:])
        var offset: Int64 = 0
        func entry(_ value: [UInt8]) -> LogEntry {
            offset += 1
            return LogEntry(
                offset: offset, timestamp: LogTimestamp(milliseconds: 1), key: layout.userKey(user), value: value,
                headers: [])
        }
        for device in 0..<devices {
            let event = DeliveryEntry(
                source: SourcePositionMessage(SourcePosition(source: .store(7), offset: Int64(device + 1))),
                user: user.rawValue, time: 1,
                event: .registered(
                    DeviceRegistered(device: Self.device(device), epoch: 1, name: "", platform: "")))
            _ = machine.apply([entry(event.encoded())])
        }
        let hits = fired(look, subscriptions)
        // A record in each partition of changes in turn.
        var rates = Array(repeating: HitRates(), count: partitions)
        for number in 0..<changes {
            // Tests share two threads on a small machine.
            await Task.yield()
            let change = change(Int64(number + 1))
            let partition = number % partitions
            let source = SourceID(origin: "changes.public", incarnation: 3, partition: Int32(partition))
            rates[partition].advance(to: LogTimestamp(milliseconds: 1))
            var entries = HitEntries(
                hits, of: change, changeBytes: 2_000_000, source: source, number: Int64(number))
            while let made = entries.next(within: &rates[partition]) {
                written.deliveries += made.value.count
                let step = machine.apply([entry(made.value)])
                #expect(step.malformed.isEmpty && step.duplicates == 0)
                written.journals += step.outputs.journals.reduce(0) { $0 + $1.byteCount }
                written.feeds += try devices * step.outputs.journals.reduce(0) { try $0 + copyBytes($1) }
            }
        }
        return written
    }

    @Test("one change makes a bounded number of bytes in the log", arguments: Look.allCases, [1, 100])
    func oneChange(look: Look, devices: Int) async throws {
        let written = try await Self.written(look, changes: 1, subscriptions: 200, devices: devices)
        // The first hit has room beside the others.
        #expect(written.deliveries <= Limits.recordBytesMax + Limits.hitBytesPerChangeMax)
        // 300 entries at most in all feeds together, and so as many badges in the journal.
        #expect(
            written.journals <= Limits.notificationBytesBurst + 200 * Self.entryBytes
                + Limits.feedEntriesPerChangeMax * Self.badgeBytes)
        #expect(written.feeds <= Limits.feedBytesPerChangeMax + 300 * Self.entryBytes)
    }

    /// What an entry of a journal or feed has beside its hit, and what an entry of omitted ones has, at most.
    private static let entryBytes = 400

    /// What a badge of a device has in an entry of a journal, at most.
    private static let badgeBytes = 90

    /// Bytes of log for a byte of request at most: docs/limits.md.
    private static let multiplierMax = 14_000

    @Test(
        "a request of 10 KB that changes 200 records makes 140 MB of log at most",
        arguments: [
            (Look.texts, 16, 12), (.halfTheTexts, 100, 1), (.sameTexts, 1, 1), (.fields, 16, 1), (.arguments, 100, 1),
            (.plain, 100, 1),
        ])
    func oneRequest(look: Look, devices: Int, partitions: Int) async throws {
        let changes = Limits.operationsMax
        let written = try await Self.written(
            look, changes: changes, subscriptions: 200, devices: devices, partitions: partitions)
        let multiplier = written.total / (changes * Self.operationBytes)
        let withoutTopics = (written.total - written.feeds) / (changes * Self.operationBytes)
        print(
            "\(look), \(devices) devices, \(partitions) partitions: \(written), \(multiplier) a byte, \(withoutTopics) without topics of devices"
        )
        #expect(written.deliveries <= partitions * Limits.hitBytesOfUserMax + changes * 2 * Limits.hitBytesFree)
        #expect(written.feeds <= Limits.feedBytesBurst + changes * 300 * Self.entryBytes)
        #expect(multiplier <= Self.multiplierMax)
    }
}
