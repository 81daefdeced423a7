import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers

/// The topic of one device in one epoch, as far as it is written: the entries of the user's journal that concern the
/// device, under their names.
struct DeviceTopic: Hashable, Sendable {
    /// A device in one epoch.
    struct Life: Hashable, Comparable, Sendable {
        var device: DeviceID
        var epoch: DeviceEpoch

        static func < (left: Life, right: Life) -> Bool {
            (left.device.rawValue, left.epoch) < (right.device.rawValue, right.epoch)
        }
    }

    let life: Life
    /// The name of the last entry; nil in an empty topic.
    private(set) var last: SourcePosition?
    /// The names of written entries; its offset means nothing.
    private var written = LogPosition(offset: 0)
    /// The offset in `journals` from which entries are still to be copied; nil where the topic goes on with the
    /// partition.
    var next: Int64?

    /// An empty topic.
    /// - Parameter next: the offset in `journals` to copy from.
    init(_ life: Life, from next: Int64) {
        self.life = life
        self.next = next
    }

    /// Returns the entry of the topic for the next one of the user's journal; nil where the device does not get it, as
    /// a reader over HTTP does not, or has it.
    mutating func copy(_ entry: FeedEntry) -> FeedEntry? {
        guard var copy = entry.seen(by: life.device, life.epoch), let name = entry.source?.position,
            written.advance(to: name)
        else { return nil }
        copy.predecessor = last.map { SourcePositionMessage($0) }
        last = name
        return copy
    }

    // MARK: State

    init(_ state: FeedTopicState) {
        life = Life(device: DeviceID(trusted: state.device), epoch: DeviceEpoch(state.epoch))
        last = state.last?.position
        for position in state.seen { _ = written.advance(to: position.position) }
        next = state.next
    }

    var state: FeedTopicState {
        FeedTopicState(
            device: life.device.rawValue, epoch: life.epoch.rawValue, last: last.map { SourcePositionMessage($0) },
            seen: PositionMessage(written).seen, next: next)
    }
}
