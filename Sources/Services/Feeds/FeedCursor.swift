import CloudMessages
import CloudModel
import EventLog

/// Decides what a reader of a feed makes of each entry: deliver it, drop it, or go on in the other part. Pure; its rules
/// are those of the model `seam` (design section 6).
struct FeedCursor {
    /// The news of the feed's first entry; nil inside when it was trimmed away.
    struct Registration {
        /// The journal's last entry before the device registered; nil when there was none.
        var journal: SourcePosition?
    }

    /// The step to take after an entry.
    enum Step: Equatable {
        case deliver(Notification)
        case skip
        /// The journal's part is over: read on in the device's topic, from its offset 0.
        case enterFeed
    }

    let identity: FeedIdentity
    private(set) var place: FeedPosition
    private let registration: Registration?

    /// Begins where a token says, or at the start.
    /// - Parameters:
    ///   - registration: the feed's first entry; nil when it was trimmed away.
    ///   - journal: what the journal holds; nil when there is none.
    /// - Throws: `CHANGE_TOKEN_EXPIRED` when what comes after the token is not retained any more.
    init(
        _ identity: FeedIdentity, from token: FeedPosition?, registration: Registration?, feed: OffsetBounds,
        journal: OffsetBounds?
    ) throws(CloudError) {
        self.identity = identity
        self.registration = registration
        guard let token else {
            if registration == nil {
                place = Self.start(of: .feed, feed)
            } else if registration?.journal != nil, let journal {
                place = Self.start(of: .journal, journal)
            } else {
                place = FeedPosition(part: .feed, position: LogPosition(offset: 0))
            }
            return
        }
        place = token
        switch token.part {
        case .journal:
            guard registration != nil, let journal, token.position.offset >= journal.start else { throw Self.expired }
        case .feed:
            guard token.position.offset >= feed.start, token.position.offset <= feed.end else { throw Self.expired }
        }
    }

    /// Takes the next entry of the part that is being read.
    /// - Throws: `INTERNAL_ERROR` when the entry before it is missing: a gap is an error, never silent.
    mutating func take(_ entry: FeedEntry, at offset: Int64) throws(CloudError) -> Step {
        guard let name = entry.source?.position else {
            throw CloudError(.internalError, "the entry at offset \(offset) of \(identity.device)'s feed has no source")
        }
        if place.part == .journal, isAfterRegistration(name) { return enterFeed() }
        let last = place.position.seen
        place.position.offset = offset + 1
        guard place.position.advance(to: name) else { return .skip }
        if offset >= place.raggedUntil { try checkPredecessor(of: entry, name, seen: last) }
        return step(for: entry)
    }

    /// The journal was read to its end, as it was asked for after the registration had been read.
    mutating func journalEnded() { _ = enterFeed() }

    private mutating func enterFeed() -> Step {
        place.part = .feed
        place.position.offset = 0
        place.raggedUntil = 0
        return .enterFeed
    }

    /// The beginning of what is left of a topic. Where retention has cut it, nothing can be said of the predecessors of
    /// what is there now, nor of the first entry that will follow it.
    private static func start(of part: FeedPosition.Part, _ bounds: OffsetBounds) -> FeedPosition {
        FeedPosition(
            part: part, position: LogPosition(offset: bounds.start), raggedUntil: bounds.start > 0 ? bounds.end + 1 : 0)
    }

    private func isAfterRegistration(_ name: SourcePosition) -> Bool {
        guard let named = registration?.journal else { return true }
        return name.source == named.source && name.isAbove(named)
    }

    private func checkPredecessor(
        of entry: FeedEntry, _ name: SourcePosition, seen: [SourceID: SourcePosition]
    ) throws(CloudError) {
        guard let predecessor = entry.predecessor?.position else { return }
        guard seen[predecessor.source] == predecessor else {
            throw CloudError(
                .internalError,
                "a notification is missing in the feed of \(identity.device): \(name) follows \(predecessor), which did not come"
            )
        }
    }

    /// A reader's own changes are left out, in the journal too: a device may have made one before its registration came
    /// through.
    private func step(for entry: FeedEntry) -> Step {
        let isOwn = entry.device == identity.device.rawValue && entry.epoch == identity.epoch.rawValue
        let isClients = identity.client != nil && entry.device == identity.client?.rawValue
        guard !isOwn, !isClients, let notification = Notification(entry) else { return .skip }
        return .deliver(notification)
    }

    private static let expired = CloudError(
        .changeTokenExpired,
        "what comes after this token is not kept any more; fetch again without a token to get everything that still is")
}
