import CloudMessages
import CloudModel
import EventLog
import ProtocolBuffers
import Timing

/// The facts that a reader of a feed begins with.
struct FeedOpening {
    /// The log that is read.
    var log: String
    /// The reader of the journal, or of the topic.
    var entries: any EntryReader
    /// The place to begin at instead of the token's, which has no offset.
    var begin: FeedPosition?

    /// The pauses before bounds that a token is ahead of are read again: a broker that comes back reports stale bounds
    /// at first.
    private static let pauses: [Duration] = [.milliseconds(100), .milliseconds(300), .milliseconds(600)]

    /// Opens what a feed is read from, and finds the place of a token without an offset.
    /// - Parameters:
    ///     - part: the user's journal, or the device's topic.
    ///     - reading: the process's shared part of reading.
    ///     - mayWait: true for a caller that waits when the feed has nothing new.
    /// - Throws: `TRY_AGAIN_LATER` if the feed is not visible.
    static func look(
        at identity: FeedIdentity, in part: FeedPosition.Part, from token: FeedPosition?, _ sources: FeedSources,
        _ reading: FeedReading? = nil, mayWait: Bool = false
    ) async throws -> FeedOpening {
        let name = if let reading { try await reading.logName() } else { try await sources.log.identity() }
        func ask(notOlderThan age: Duration = .zero) async throws -> FeedOpening {
            guard let entries = try await sources.reader(of: identity, in: part, notOlderThan: age) else {
                throw unseen(identity)
            }
            return FeedOpening(log: name, entries: entries)
        }
        // The place of a token without an offset is looked for between the bounds.
        let age = mayWait && token?.part ?? .shared == .shared ? reading?.endAge ?? .zero : .zero
        var opening = try await ask(notOlderThan: age)
        guard let token else { return opening }
        // An end of a while ago says nothing of a token from behind it.
        if age > .zero, opening.isBehind(token) { opening = try await ask() }
        guard token.part.isWhole else {
            opening.begin = try await place(of: token, identity, part, opening.entries, reading)
            return opening
        }
        for pause in pauses where opening.isBehind(token) {
            try await Time.sleep(for: pause)
            opening = try await ask()
        }
        // A token of another log says nothing of the end.
        if let doubts = reading?.doubts, token.log.isEmpty || token.log == name {
            if opening.isBehind(token) { try doubts.hear(of: identity) } else { doubts.clear(identity) }
        }
        return opening
    }

    /// The bounds of the partition that is read.
    var bounds: OffsetBounds { entries.bounds }

    /// Returns true if a token is ahead of the reported end: either the end or the log is old.
    private func isBehind(_ token: FeedPosition) -> Bool { token.position.offset > bounds.end }

    /// Maps a token without an offset to a position: of an earlier version, or right behind the device's registration.
    /// Entries keep their names, so entries that were seen stay seen.
    private static func place(
        of token: FeedPosition, _ identity: FeedIdentity, _ part: FeedPosition.Part, _ entries: any EntryReader,
        _ reading: FeedReading?
    ) async throws -> FeedPosition {
        let bounds = entries.bounds
        var place = FeedPosition(
            part: part, position: LogPosition(offset: bounds.start, seen: token.position.seen), log: token.log,
            time: token.time)
        guard token.part == .feed else { return place }
        var next = bounds.start
        while true {
            let batch = try await entries.batch(from: next)
            for entry in batch.entries {
                guard let value = entry.value else { continue }
                let read = try FeedEntry(decoding: value)
                guard case .registered(let mark)? = read.entry, mark.device == identity.device.rawValue,
                    mark.epoch == identity.epoch.rawValue
                else { continue }
                place.position.offset = entry.offset + 1
                if let name = read.source?.position { _ = place.position.advance(to: name) }
                (place.looked, place.fingerprint) = (entry.offset, FeedPosition.fingerprint(value))
                place.time = place.time ?? Timestamp(milliseconds: read.time)
                return place
            }
            next = batch.nextOffset
            guard batch.isAtEnd else { continue }
            // Either retention took the registration and all remaining entries are behind it, or the reported end is
            // stale.
            if place.position.seen.isEmpty {
                guard bounds.start == 0 else { throw FeedCursor.expired }
                guard let doubts = reading?.doubts else { throw unseen(identity) }
                try doubts.hear(of: identity)
            }
            return place
        }
    }

    /// Refuses a token of the other kind of reader: offsets of a topic mean nothing in the journal, nor the other way.
    static func check(_ token: FeedPosition, readsTopic: Bool) throws(CloudError) {
        guard token.part.isWhole, (token.part == .topic) != readsTopic else { return }
        throw .badRequest(
            readsTopic
                ? "the change token is of the feed over HTTP, and this reads the device's topic: begin without a token"
                : "serverChangeToken is of the device's topic on Kafka, which 'device-client --bootstrap-servers' reads; fetch without a token"
        )
    }

    /// The error for a feed that is not to be seen. Whether the device is registered, the store knows, which is asked
    /// before each request.
    static func unseen(_ identity: FeedIdentity) -> CloudError {
        CloudError(
            .tryAgainLater, "the feed of '\(identity.device)' cannot be seen at present; send the same request again",
            retryAfterSeconds: 1)
    }

    /// The error for a feed that was deleted while it was read.
    static func gone(_ identity: FeedIdentity) -> CloudError {
        CloudError(.notFound, "the device '\(identity.device)' has no feed any more; was it unregistered?")
    }
}
