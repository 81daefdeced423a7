import CloudMessages
import CloudModel
import EventLog

/// Decides for each entry of a feed: deliver it, drop it, or continue in the other part. Pure; its rules are those of
/// the model `seam` (docs/models).
///
/// Ends and absences that a broker reports are hints. The cursor leaves the journal only after the entry that
/// `registered` names, or when that entry is known to be trimmed. The seen positions of each source move with it into the
/// feed, and drop repeats there.
struct FeedCursor {
    /// The news of the feed's first entry; nil inside when it was trimmed away.
    struct Registration {
        /// The journal's last entry before the device registered; nil when there was none.
        var journal: SourcePosition?
        /// The name of the registration itself, which its entry in the journal bears, too: then one entry made the feed
        /// again. A topic that was lost and made again has no registration, and is read as one whose head was trimmed.
        var own: SourcePosition?
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
    /// Indicates whether the journal's reported bounds are empty.
    private let isJournalEmpty: Bool

    /// Starts at a token's position, or at the start of the feed.
    /// - Parameters:
    ///     - registration: the feed's first entry; nil if it was trimmed.
    ///     - journal: the bounds of the journal; nil if the log does not show it.
    ///     - log: the incarnation of the log.
    /// - Throws: `CHANGE_TOKEN_EXPIRED` if the entries after the token are not retained any more, or the token is of
    ///   another log; `TRY_AGAIN_LATER` if a journal that must exist is not visible.
    init(
        _ identity: FeedIdentity, from token: FeedPosition?, registration: Registration?, feed: OffsetBounds,
        journal: OffsetBounds?, log: String = ""
    ) throws(CloudError) {
        self.identity = identity
        self.registration = registration
        isJournalEmpty = journal.map { $0.start == $0.end } ?? false
        if let token {
            try Self.check(token, log, registration, feed: feed, journal: journal)
            place = token
        } else if registration == nil {
            place = Self.start(of: .feed, feed, isCut: true)
        } else if registration?.journal != nil {
            guard let journal else { throw Self.unseenJournal }
            place = Self.start(of: .journal, journal, isCut: journal.start > 0)
        } else {
            place = FeedPosition(part: .feed, position: LogPosition(offset: 0))
        }
        place.log = log
    }

    /// Starts in the only part that is read in the layout `sharded`: the user's journal, or the device's topic.
    /// - Parameters:
    ///     - token: a position in this part; nil is the start.
    ///     - journal: the bounds of the partition.
    /// - Throws: as the other initializers.
    init(
        of identity: FeedIdentity, in part: FeedPosition.Part, from token: FeedPosition?, journal: OffsetBounds,
        log: String
    ) throws(CloudError) {
        self.identity = identity
        registration = nil
        isJournalEmpty = false
        if let token {
            try Self.check(token, log, nil, feed: journal, journal: journal)
            place = token
        } else {
            place = Self.start(of: part, journal, isCut: journal.start > 0)
        }
        place.log = log
    }

    /// Passes by what others have in a shared journal's partition, which was looked through up to an offset.
    mutating func pass(to offset: Int64) {
        guard place.part == .shared else { return }
        place.position.offset = max(place.position.offset, offset)
    }

    /// Resumes in the device's topic behind one of its entries, before anything was read. The entry before the position
    /// is compared with the token before any entry is taken.
    init(_ identity: FeedIdentity, resuming place: FeedPosition) {
        self.identity = identity
        self.place = place
        registration = nil
        isJournalEmpty = false
    }

    /// Returns true if a position is behind the reported end of its part: either the end or the log is old.
    static func isAhead(_ place: FeedPosition, feed: OffsetBounds, journal: OffsetBounds?) -> Bool {
        place.position.offset > (place.part == .feed ? feed.end : journal?.end ?? .max)
    }

    /// Takes the next entry of the part that is being read. An entry that throws changes nothing.
    /// - Parameter fingerprint: the entry's (`FeedPosition.fingerprint`).
    /// - Throws: `INTERNAL_ERROR` when the entry before it is missing: a gap is an error, never silent.
    ///   `CHANGE_TOKEN_EXPIRED` when it is the first entry after a token of the other layout, and the entries between
    ///   the two are not retained any more.
    mutating func take(
        _ entry: FeedEntry, at offset: Int64, fingerprint: UInt64? = nil
    ) throws(CloudError) -> Step {
        guard let name = entry.source?.position else {
            throw CloudError(.internalError, "the entry at offset \(offset) of \(identity.device)'s feed has no source")
        }
        var next = place
        if next.part.isWhole { try checkLife(entry) }
        // A topic's first entry has no predecessor, but where the topic was lost and made again.
        if offset == 0, next.position.seen.isEmpty, entry.predecessor != nil {
            next.raggedUntil = max(1, next.raggedUntil)
        }
        if next.part == .journal, isAfterRegistration(name) {
            guard hasSeenRegistered || offset < next.raggedUntil else {
                throw missing(name, after: registration?.journal)
            }
            return enterFeed()
        }
        let last = next.position.seen
        next.position.offset = offset + 1
        next.fingerprint = fingerprint
        next.looked = next.part.isWhole ? offset : nil
        next.time = Timestamp(milliseconds: entry.time)
        guard next.position.advance(to: name) else {
            place = next
            return .skip
        }
        // A topic of a device is made whole.
        if next.part == .topic, offset == 0, let predecessor = entry.predecessor?.position {
            throw missing(name, after: predecessor)
        }
        // An entry after the last of its source was read: a process that lost `deliveries` wrote it before its state
        // recorded that.
        if !isHead(next, last), let predecessor = entry.predecessor?.position,
            last[predecessor.source].map(predecessor.isAbove) ?? true
        {
            // Where nothing was read of this part yet, retention took what the token had not seen.
            throw place.part.isWhole && place.looked == nil ? Self.expired : missing(name, after: predecessor)
        }
        place = next
        return step(for: entry)
    }

    /// Leaves the journal at the end that was reported after the registration was read. The end may be stale.
    /// - Throws: `TRY_AGAIN_LATER` if the entry that `registered` names is still to come in the journal.
    mutating func journalEnded() throws(CloudError) {
        guard hasSeenRegistered || isJournalEmpty && place.raggedUntil > 0 || Mistake.journalIsLeftAtReportedEnd.isMade
        else { throw Self.unseenJournal }
        _ = enterFeed()
    }

    /// Indicates whether the predecessor of an entry is unknown because retention cut the entries before it. In a
    /// shared journal the offset of the user's first entry is unknown; from the first entry that was read, each has to
    /// follow the last.
    private func isHead(_ place: FeedPosition, _ last: [SourceID: SourcePosition]) -> Bool {
        place.part.isWhole ? last.isEmpty : place.position.offset <= place.raggedUntil
    }

    /// Stops reading a shared journal at the end of the device's epoch: later entries of the user are not for it.
    private func checkLife(_ entry: FeedEntry) throws(CloudError) {
        let isOver =
            switch entry.entry {
            case .unregistered(let mark)?:
                mark.device == identity.device.rawValue && mark.epoch == identity.epoch.rawValue
            case .registered(let mark)?: mark.device == identity.device.rawValue && mark.epoch > identity.epoch.rawValue
            default: false
            }
        if isOver { throw FeedOpening.gone(identity) }
    }

    private mutating func enterFeed() -> Step {
        place.part = .feed
        place.position.offset = 0
        place.raggedUntil = 0
        place.fingerprint = nil
        return .enterFeed
    }

    /// The position of the first retained entry. After a cut, the predecessors of the first entry and of the entry
    /// after it are unknown.
    private static func start(of part: FeedPosition.Part, _ bounds: OffsetBounds, isCut: Bool) -> FeedPosition {
        FeedPosition(
            part: part, position: LogPosition(offset: bounds.start), raggedUntil: isCut ? bounds.end + 1 : 0)
    }

    private static func check(
        _ token: FeedPosition, _ log: String, _ registration: Registration?, feed: OffsetBounds, journal: OffsetBounds?
    ) throws(CloudError) {
        guard token.log.isEmpty || log.isEmpty || token.log == log else {
            throw CloudError(
                .changeTokenExpired,
                "this token is of another log ('\(token.log)', and this is '\(log)'): Kafka's cluster was replaced since; fetch again without a token"
            )
        }
        if token.part == .journal, registration == nil { throw expired }
        if token.part == .journal, journal == nil { throw unseenJournal }
        let bounds = token.part == .feed ? feed : journal ?? feed
        guard token.position.offset >= bounds.start else { throw expired }
        if isAhead(token, feed: feed, journal: journal) { throw restored }
    }

    private func isAfterRegistration(_ name: SourcePosition) -> Bool {
        // A feed that was made again among outputs of one entry bears the name of the last one before.
        if name == registration?.journal { return false }
        if let own = registration?.own, name.source == own.source, !own.isAbove(name) { return true }
        guard let named = registration?.journal else { return true }
        return name.source == named.source && name.isAbove(named)
    }

    /// Indicates whether the journal's last entry before the registration has been met.
    private var hasSeenRegistered: Bool {
        guard let named = registration?.journal else { return true }
        return place.position.seen[named.source].map { !named.isAbove($0) } ?? false
    }

    private func missing(_ name: SourcePosition, after predecessor: SourcePosition?) -> CloudError {
        let what = predecessor.map { "\($0)" } ?? "another"
        return CloudError(
            .internalError,
            "a notification is missing in the feed of \(identity.device): \(name) follows \(what), which did not come")
    }

    /// A reader's own changes are left out, in the journal too: a device may have made one before its registration came
    /// through.
    private func step(for entry: FeedEntry) -> Step {
        let isOwn = entry.device == identity.device.rawValue && entry.epoch == identity.epoch.rawValue
        let isClients = identity.client != nil && entry.device == identity.client?.rawValue
        guard !isOwn, !isClients, let notification = Notification(ofDevice(entry)) else { return .skip }
        return .deliver(notification)
    }

    /// Returns the entry in the form of the device's own feed: with its badge.
    private func ofDevice(_ entry: FeedEntry) -> FeedEntry {
        guard place.part == .shared, case .query(var query)? = entry.entry, !query.badges.isEmpty else { return entry }
        query.badge =
            query.badges.first {
                $0.device == identity.device.rawValue && $0.epoch == identity.epoch.rawValue
            }?.badge
        query.badges = []
        var entry = entry
        entry.entry = .query(query)
        return entry
    }

    static let expired = CloudError(
        .changeTokenExpired,
        "the notifications after this token are not kept any more; fetch again without a token to get all retained ones"
    )

    /// The error for a token that the log has not come to, or not in this way.
    static let restored = CloudError(
        .changeTokenExpired,
        "the log lacks notifications before this token: it was restored from an older copy, or the topic was recreated; fetch again without a token"
    )

    private static let unseenJournal = CloudError(
        .tryAgainLater,
        "the user's earlier notifications cannot be seen to their end at present; send the same request again",
        retryAfterSeconds: 1)
}
