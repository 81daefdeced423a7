import CloudMessages
import CloudModel
import EventLog

/// The notifications that one line missed, counted in the order of a journal. Pure.
struct MissedTally {
    let line: MissedLine
    /// The notifications that make a push.
    private(set) var count = 0
    /// The changes that they stand for.
    private(set) var changes: Int64 = 0
    /// The offset of the newest visible one, or of the newest where none is visible.
    private(set) var newest: Int64?
    /// The badge after the last entry that changes it.
    private(set) var badge: Int64?
    private var isVisible = false
    private var last: SourcePosition?

    init(_ line: MissedLine) {
        self.line = line
        last = line.settled
    }

    /// Takes the next entry of the user's. Those that are not above the last one are passed by.
    mutating func take(_ entry: FeedEntry, named name: SourcePosition, at offset: Int64) {
        if let last, last.source == name.source, !name.isAbove(last) { return }
        last = name
        let isOwn = entry.device == line.device.rawValue && entry.epoch == line.epoch.rawValue
        switch entry.entry {
        case .query(let query)? where !query.isBackfilled && !isOwn:
            let own = query.badges.first {
                $0.device == line.device.rawValue && $0.epoch == line.epoch.rawValue
            }
            if let own { badge = own.badge }
            note(offset, PushEntry(user: entry.user, notification: query), badge: own?.badge)
        case .omitted(let omitted)? where !omitted.isRest && !isOwn:
            note(offset, PushEntry(user: entry.user, omitted: omitted), badge: nil)
        case .badge(let mark)?: badge = mark.value
        // Those from before the registration were never pushed, nor are those of another life.
        case .registered(let mark)? where mark.device == line.device.rawValue: forget()
        case .unregistered(let mark)? where mark.device == line.device.rawValue: forget()
        case .query?, .omitted?, .read?, .registered?, .unregistered?, nil: break
        }
    }

    private mutating func note(_ offset: Int64, _ entry: PushEntry, badge: Int64?) {
        guard let content = try? PushedContent(entry) else { return }
        let isVisible = content.isVisible(badge: badge)
        count += 1
        changes += Int64(min(content.changeCount, Int(Int32.max)))
        if isVisible || !self.isVisible { newest = offset }
        self.isVisible = self.isVisible || isVisible
    }

    private mutating func forget() {
        (count, changes, newest, badge, isVisible) = (0, 0, nil, nil, false)
    }
}
