import CloudMessages
import CloudModel
import EventLog

/// Decides for each entry of a feed: deliver it or drop it. Pure.
///
/// A feed is read in one place: the user's journal, or the device's topic. The seen positions of each source drop
/// repeats.
struct FeedCursor {
    /// The step to take after an entry.
    enum Step: Equatable {
        case deliver(Notification)
        case skip
    }

    /// The offsets of a cut partition in which repeats of removed entries may be: more than a stage writes before it
    /// commits that it has.
    private static let raggedMax: Int64 = 10_000

    let identity: FeedIdentity
    private(set) var place: FeedPosition

    /// Starts at a token's position, or at the start of the feed.
    /// - Parameters:
    ///     - part: the user's journal, or the device's topic.
    ///     - token: a position in this part; nil is the start.
    ///     - bounds: those of the partition.
    ///     - log: the incarnation of the log.
    /// - Throws: `CHANGE_TOKEN_EXPIRED` if the entries after the token are not retained any more, or the token is of
    ///   another log.
    init(
        of identity: FeedIdentity, in part: FeedPosition.Part, from token: FeedPosition?, journal bounds: OffsetBounds,
        log: String = ""
    ) throws(CloudError) {
        self.identity = identity
        if let token {
            try Self.check(token, log, bounds)
            place = token
            // No entry was met, by which another history of the log would be known. There is none below to be met.
            if token.looked == nil, token.position.seen.isEmpty { place.position.offset = bounds.start }
        } else {
            place = FeedPosition(
                part: part, position: LogPosition(offset: bounds.start),
                raggedUntil: bounds.start > 0 ? min(bounds.end, bounds.start + Self.raggedMax) : 0)
        }
        place.log = log
    }

    /// Passes by the entries of others, up to an offset.
    mutating func pass(to offset: Int64) {
        guard place.part == .shared else { return }
        place.position.offset = max(place.position.offset, offset)
    }

    /// Takes the next entry. One that throws changes nothing.
    /// - Parameter fingerprint: the entry's (`FeedPosition.fingerprint`).
    /// - Throws: `INTERNAL_ERROR` when the entry before it is missing: a gap is an error, never silent.
    ///   `CHANGE_TOKEN_EXPIRED` when it is the first entry after a token without an offset, and the entries between the
    ///   two are not retained any more; `NOT_FOUND` behind the end of the device's epoch.
    mutating func take(
        _ entry: FeedEntry, at offset: Int64, fingerprint: UInt64? = nil
    ) throws(CloudError) -> Step {
        guard let name = entry.source?.position else {
            throw CloudError(.internalError, "the entry at offset \(offset) of \(identity.device)'s feed has no source")
        }
        try checkLife(entry)
        var next = place
        let last = next.position.seen
        next.position.offset = offset + 1
        next.fingerprint = fingerprint
        next.looked = offset
        next.time = Timestamp(milliseconds: entry.time)
        guard next.position.advance(to: name) else {
            place = next
            return .skip
        }
        // A topic of a device is made whole.
        if next.part == .topic, offset == 0, let predecessor = entry.predecessor?.position {
            throw missing(name, after: predecessor)
        }
        // Retention may have taken the one before the first that is met, and before one that follows repeats; from then
        // on each has to follow the last. An entry after the last of its source was read: a process that lost
        // `deliveries` wrote it before its state recorded that.
        if !last.isEmpty, offset >= place.raggedUntil, let predecessor = entry.predecessor?.position,
            last[predecessor.source].map(predecessor.isAbove) ?? true
        {
            // Where nothing was read here yet, retention took what the token had not seen.
            throw place.looked == nil ? Self.expired : missing(name, after: predecessor)
        }
        place = next
        return step(for: entry)
    }

    /// Ends at the end of the device's epoch: later entries of the user are not for it.
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

    private static func check(_ token: FeedPosition, _ log: String, _ bounds: OffsetBounds) throws(CloudError) {
        guard token.log.isEmpty || log.isEmpty || token.log == log else {
            throw CloudError(
                .changeTokenExpired,
                "this token is of another log ('\(token.log)', and this is '\(log)'): Kafka's cluster was replaced since; fetch again without a token"
            )
        }
        guard token.position.offset >= bounds.start else { throw expired }
        if token.position.offset > bounds.end { throw restored }
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
        let isClients = identity.client != nil && entry.device == identity.client?.rawValue
        guard !isClients, let seen = entry.seen(by: identity.device, identity.epoch),
            let notification = Notification(seen)
        else { return .skip }
        return .deliver(notification)
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
}
