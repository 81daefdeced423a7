import CloudMessages
import CloudModel
import EventLog
import Feeds
import ProtocolBuffers
import TestSupport

/// The output of delivery for one user's `deliveries`, written by hand: the journal, and the expected notifications of
/// one of the user's devices, in order.
struct FeedHistory {
    static let scope = ContainerEnvironment(
        container: ContainerIdentifier(trusted: "iCloud.test"), environment: .development)
    static let layout = TopicLayout(scope, partitions: 1)
    static let user = UserRecordName.sample("a")
    static let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)
    static let identity = FeedIdentity(
        scope: scope, user: user, device: DeviceID(trusted: "phone"), epoch: DeviceEpoch(50))

    private(set) var journal: [FeedEntry] = []
    /// The changes that the device is notified of, each once; a read mark is the negative of its change.
    private(set) var expected: [Int64] = []
    /// How many of `expected` come before the registration.
    private(set) var expectedBefore = 0
    /// How many of the journal's entries come before the registration.
    private(set) var journalBefore = 0
    private var random: SeededGenerator
    private var isRegistered = false
    private var input: Int64 = 0
    private var index: Int32 = 0

    /// - Parameters:
    ///   - before: inputs before the device's registration.
    ///   - after: inputs after it.
    init(random: SeededGenerator, before: Int, after: Int) {
        self.random = random
        for _ in 0..<before { addInput() }
        register()
        for _ in 0..<after { addInput() }
    }

    private mutating func nextInput() {
        input += Int64.random(in: 1...3, using: &random)
        index = 0
    }

    private mutating func register() {
        nextInput()
        expectedBefore = expected.count
        journalBefore = journal.count
        append(.registered(RegisteredMark(device: "phone", epoch: 50, name: "", platform: "")), by: "phone", 50)
        isRegistered = true
    }

    private mutating func addInput() {
        nextInput()
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let change = input * 10 + Int64(index)
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4: expect(change, .query(query(change)), by: nil, nil)
            // The device's own change: before the registration, too, when a hit overtook that.
            case 5: expect(change, .query(query(change)), by: "phone", 50)
            // A former life of the device is another device.
            case 6: expect(change, .query(query(change)), by: "phone", 7)
            case 7: expect(-change, .read(ReadMark(change: change)), by: "laptop", 3)
            case 8: expect(-change, .read(ReadMark(change: change)), by: "phone", isRegistered ? 50 : 7)
            default: append(.badge(BadgeMark(value: change)), by: "laptop", 3)
            }
            index += 1
        }
    }

    private func query(_ change: Int64) -> QueryNotification {
        QueryNotification(
            database: 1, subscription: "s", change: change, reason: 1, recordType: "T", recordName: "r",
            zone: ZoneMessage(.publicDefault))
    }

    private mutating func expect(_ change: Int64, _ content: FeedEntry.Entry, by device: String?, _ epoch: Int64?) {
        append(content, by: device, epoch)
        guard device != "phone" || epoch != 50 else { return }
        expected.append(change)
    }

    private mutating func append(_ content: FeedEntry.Entry, by device: String?, _ epoch: Int64?) {
        let name = SourcePosition(source: Self.source, offset: input, index: index)
        journal.append(
            FeedEntry(
                source: SourcePositionMessage(name), predecessor: journal.last?.source, user: Self.user.rawValue,
                time: input, device: device, epoch: epoch, entry: content))
    }

    /// The entry that ends the device's life, after all others.
    var removal: FeedEntry {
        var end = journal[journal.count - 1]
        end.predecessor = end.source
        end.source?.offset += 100
        end.entry = .unregistered(UnregisteredMark(device: "phone", epoch: 50))
        return end
    }

    /// A notification in the form of `expected`.
    static func change(_ notification: Notification) -> Int64 {
        switch notification.content {
        case .query, .omitted: notification.subject.change.rawValue
        case .read: -notification.subject.change.rawValue
        }
    }

    /// An entry in the form of `expected`; nil if it is no notification.
    static func change(_ entry: FeedEntry) -> Int64? {
        switch entry.entry {
        case .query(let query)?: query.change
        case .read(let mark)?: -mark.change
        default: nil
        }
    }

    static func outgoing(_ entry: FeedEntry, to topic: TopicPartition) -> OutgoingEntry {
        OutgoingEntry(
            topic, key: nil, value: entry.encoded(), timestamp: LogTimestamp(milliseconds: entry.time))
    }
}
