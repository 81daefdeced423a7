import CloudMessages
import CloudModel
import ProtocolBuffers
import RecordStore

/// What marks and badges have to be on each device, from what the store has committed alone.
struct DeviceEventOracle {
    /// A change that was marked as read.
    private struct Mark {
        var change: Int64
        var device: String
        /// The epoch that the device was registered in.
        var epoch: Int64?
        var time: Int64
    }

    /// Marks are remembered for ninety days; then a repeated one may be sent again.
    private static let memory: Int64 = 89 * 86_400_000

    private var marks: [Mark] = []
    private var badges: [(sequence: Int64, value: Int64)] = []

    init(_ rows: [OutboxRow], of user: UserRecordName) throws {
        var epochs: [String: Int64] = [:]
        for row in rows where row.destination == .deliveries {
            guard let value = row.value else { continue }
            let entry = try DeliveryEntry(decoding: value)
            guard entry.user == user.rawValue else { continue }
            switch entry.event {
            case .registered(let event)?: epochs[event.device] = event.epoch
            case .unregistered(let event)?:
                if epochs[event.device] == event.epoch { epochs[event.device] = nil }
            case .read(let event)?:
                marks += event.changes.map {
                    Mark(change: $0, device: event.device, epoch: epochs[event.device], time: entry.time)
                }
            case .badge(let event)?: badges.append((row.sequence.rawValue, event.value))
            default: break
            }
        }
    }

    /// Each device but the one that made it gets each mark once, whenever the device was registered.
    func judgeMarks(_ notifications: [Notification], _ device: DeviceID, _ epoch: DeviceEpoch) -> [String] {
        var counts: [Int64: Int] = [:]
        for notification in notifications where notification.content == .read {
            counts[notification.subject.change.rawValue, default: 0] += 1
        }
        var complaints: [String] = []
        for change in Set(marks.map(\.change)).union(counts.keys).sorted() {
            let made = marks.filter { $0.change == change }
            guard let first = made.first else {
                complaints.append("\(device): nobody marked \(change)")
                continue
            }
            if let last = made.map(\.time).max(), last - first.time > Self.memory { continue }
            let expected = first.device == device.rawValue && first.epoch == epoch.rawValue ? 0 : 1
            if counts[change] ?? 0 != expected {
                complaints.append(
                    "\(device): the mark of \(change) came \(counts[change] ?? 0) times in place of \(expected)")
            }
        }
        return complaints
    }

    /// A badge goes up by one with each notification that has one, from its set value.
    /// - Parameter badge: the service's value at the end.
    func judgeBadges(
        _ notifications: [Notification], badge: Int64, _ device: DeviceID, _ epoch: DeviceEpoch
    ) -> [String] {
        var sets = badges.filter { $0.sequence > epoch.rawValue }.map(\.value)[...]
        let last = sets.last
        var value: Int64?
        for notification in notifications {
            guard case .query(let content) = notification.content else { continue }
            let isBadged = World.badges(content.subscription.id) && !content.isBackfilled
            guard let shown = content.badge else {
                // Notifications from before the registration have no badge of the device.
                if isBadged, value != nil {
                    return ["\(device): a notification of \(content.subscription.id) has no badge"]
                }
                continue
            }
            if !isBadged { return ["\(device): a notification of \(content.subscription.id) has a badge"] }
            if let before = value, shown != before + 1 {
                while let next = sets.first, next + 1 != shown { sets = sets.dropFirst() }
                if sets.popFirst() == nil { return ["\(device): the badge went from \(before) to \(shown)"] }
            }
            value = shown
        }
        guard let value, badge != value, badge != last else { return [] }
        return ["\(device): the badge is \(badge), and was \(value) at the last notification"]
    }
}
