import CloudMessages
package import CloudModel
import ProtocolBuffers

/// The content of the topic `poison`: a pure value. Read as a set by its keys, so that duplicates change nothing.
package struct PoisonTable: Sendable {
    /// The number of deaths of processes at an entry after which it is set aside.
    package static let deathsMax = 3

    /// The events of one entry.
    package struct Item: Sendable {
        /// The number of processes that died at it.
        package var deaths = 0
        /// The reason why it cannot be read; nil when it can.
        package var unreadable: String?
        /// The time of an operator's retry: then it is at the topic's end again.
        package var retried: Timestamp?
        /// The time at which it was met last.
        package var last: Timestamp

        /// True if stages pass it by.
        package var isSetAside: Bool { deaths >= PoisonTable.deathsMax || unreadable != nil }
    }

    /// All entries that something is known of.
    package private(set) var items: [PoisonPlace: Item] = [:]
    private var seen: Set<[UInt8]> = []

    package init() {}

    /// Takes an event; returns the place of what it concerns, nil for a duplicate or what this version does not know.
    mutating func apply(key: [UInt8], _ event: PoisonEvent, at time: Timestamp) -> PoisonPlace? {
        guard let stage = PoisonPlace.Stage(rawValue: event.stage), let kind = PoisonEvent.Kind(rawValue: event.kind),
            seen.insert(key).inserted
        else { return nil }
        let place = PoisonPlace(
            stage: stage, topic: event.topic, incarnation: event.incarnation, partition: event.partition,
            offset: event.offset)
        var item = items[place] ?? Item(last: time)
        switch kind {
        case .died: item.deaths += 1
        case .unreadable: item.unreadable = event.reason
        case .retried: item.retried = max(item.retried ?? time, time)
        }
        if kind != .retried { item.last = max(item.last, time) }
        items[place] = item
        return place
    }

    /// The entries that stages pass by, in order.
    package var setAside: [(place: PoisonPlace, item: Item)] {
        items.filter(\.value.isSetAside).sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }
}

extension PoisonEvent {
    /// Kinds of events, as the message numbers them.
    enum Kind: Int32 {
        case died = 1
        case unreadable = 2
        case retried = 3
    }

    init(_ place: PoisonPlace, _ kind: Kind, reason: String = "") {
        self.init(
            stage: place.stage.rawValue, topic: place.topic, incarnation: place.incarnation,
            partition: place.partition, offset: place.offset, kind: kind.rawValue, reason: reason)
    }

    /// Its key in the topic.
    /// - Parameter name: distinguishes events of one kind at one place.
    func key(_ name: String) -> [UInt8] {
        let parts = [stage, topic, String(incarnation, radix: 16), "\(partition)", "\(offset)", "\(kind)", name]
        return Array(parts.joined(separator: "\u{0}").utf8)
    }
}
