import CloudJSON
import CloudMessages
import CloudModel
import Cryptography
import EventLog
import Inspection
import JSON
import Matching
import ProtocolBuffers

@testable import Feeds
@testable import NotificationDelivery
@testable import Poison
@testable import Push
@testable import SubscriptionMatcher

private let layout = TopicLayout(
    ContainerEnvironment(container: ContainerIdentifier(trusted: "iCloud.c"), environment: .development))
private let source = SourceID(origin: "deliveries", incarnation: 9, partition: 0)

/// Stage 1: the first message is a change, the others are events of subscriptions. Index and walk agree, and the hits
/// are entries that stage 2 can read.
func checkMatching(_ frames: [[UInt8]]) {
    var table = SubscriptionTable()
    for (number, frame) in frames.dropFirst().enumerated() {
        guard let event = try? SubscriptionEvent(decoding: frame) else { continue }
        try? table.apply(key: [UInt8(truncatingIfNeeded: number)], event, at: Int64(number))
    }
    guard let first = frames.first, let event = try? ChangeEvent(decoding: first), let change = try? event.change()
    else { return }
    var space = MatchingSpace()
    let hits = table.hits(of: change, in: &space)
    let walked = table.hitsByWalk(of: change, nil)
    precondition(Set(hits.map(\.key)) == Set(walked.map(\.key)), "index and walk differ")
    table.note(&space)
    for entry in HitEntries(hits, of: change, changeBytes: first.count, source: .store(7), number: 3) {
        precondition((try? DeliveryEntry(decoding: entry.value))?.source != nil, "an entry of hits is not read")
    }
    for number in 0..<max(0, frames.count - 1) { table.remove(key: [UInt8(truncatingIfNeeded: number)]) }
    precondition(table.versionCount == 0)
}

/// Stage 2: the first message is a user's state, the second the positions, the others are entries. All at once and one
/// by one, with the state stored and read between, they write the same.
func checkDelivery(_ frames: [[UInt8]]) {
    var state: [[UInt8]: [UInt8]] = [:]
    if let user = frames.first { state[layout.userKey(owner)] = user }
    if frames.count > 1 { state[PartitionDelivery.positionsKey] = frames[1] }
    guard var whole = try? PartitionDelivery(layout: layout, source: source, state: state) else { return }
    let entries = frames.dropFirst(2).enumerated().map { number, value in
        LogEntry(
            offset: Int64(number), timestamp: LogTimestamp(milliseconds: Int64(number)), key: nil, value: value,
            headers: [])
    }
    let expected = whole.apply(entries)
    checkPushes(expected.outputs.pushes.compactMap(\.value))
    var journals: [OutgoingEntry] = []
    for entry in entries {
        guard var machine = try? PartitionDelivery(layout: layout, source: source, state: state) else {
            fatalError("the state that was stored is not read")
        }
        let step = machine.apply([entry])
        journals += step.outputs.journals
        for (key, value) in step.changes { state[key] = value }
    }
    precondition(journals == expected.outputs.journals, "the journal depends on how it was cut")
    // An entry without a value empties the journal.
    let values = journals.compactMap(\.value)
    for value in values {
        guard let read = try? FeedEntry(decoding: value), read.source != nil else {
            fatalError("an entry of a journal is not read")
        }
    }
    checkFeed(values)
}

private let owner = UserRecordName(trusted: "_" + String(repeating: "a", count: 32))

/// A reader of a feed: what it takes it can show, to clients and as a push. The messages are read as those of `pushes`,
/// too.
func checkFeed(_ frames: [[UInt8]]) {
    checkPushes(frames)
    let identity = FeedIdentity(
        scope: layout.scope, user: owner, device: DeviceID(trusted: "phone"), epoch: DeviceEpoch(50))
    let bounds = OffsetBounds(start: 0, end: Int64(frames.count))
    for part in [FeedPosition.Part.shared, .topic] {
        guard var cursor = try? FeedCursor(of: identity, in: part, from: nil, journal: bounds) else { continue }
        for (offset, frame) in frames.enumerated() {
            guard let entry = try? FeedEntry(decoding: frame) else { continue }
            if let notification = Notification(entry) { show(notification) }
            guard (try? cursor.take(entry, at: Int64(offset))) != nil else { break }
        }
    }
}

/// A sender of pushes: what it takes it can read again, and send.
private func checkPushes(_ frames: [[UInt8]]) {
    let payloads = PushPayloads(
        container: layout.scope.container, identifier: NotificationIdentifiers(keys).encode)
    for arrival in frames.flatMap({ (try? PushArrival.reading($0)) ?? [] }) {
        let push = arrival.push
        guard let bytes = push.content, let entry = try? PushEntry(decoding: bytes), entry.targets.count == 1 else {
            fatalError("a push that was taken is not read again")
        }
        // The badge of another target alone is nothing for this one.
        guard let content = try? PushedContent(entry) else { continue }
        if case .notification(let notification) = content { show(notification) }
        let payload = payloads.payload(
            content, of: arrival.user, badge: push.badge, read: push.read, asSilent: !push.isVisible)
        for contents in PushContents.allCases {
            let sent = payload.sent(within: 4096, contents, isVisible: push.isVisible)
            guard (try? JSONValue(parsing: sent.bytes)) != nil else { fatalError("a payload is no JSON") }
        }
    }
}

private let keys = KeyRing.generate()

private func show(_ notification: Notification) {
    let identifier = NotificationIdentifiers(keys).encode
    let payloads = PushPayloads(container: layout.scope.container, identifier: identifier)
    let encoder = NotificationJSON(identifier: identifier, payload: payloads.write)
    guard let json = try? JSONValue(parsing: encoder.bytes(notification)) else {
        fatalError("a notification is no JSON")
    }
    _ = NotificationText.line(json)
    _ = payloads.payload(notification).map { ($0.bytes, $0.delivery) }
}

/// Read as a set: events that come again change nothing.
func checkPoison(_ frames: [[UInt8]]) {
    var table = PoisonTable()
    let events = frames.compactMap { try? PoisonEvent(decoding: $0) }
    for round in 0..<2 {
        for (number, event) in events.enumerated() {
            let time = Timestamp(milliseconds: Int64(number))
            let place = table.apply(key: event.key("\(number)"), event, at: time)
            precondition(round == 0 || place == nil, "a repeat changes something")
        }
    }
    precondition(table.setAside.count <= events.count)
}
