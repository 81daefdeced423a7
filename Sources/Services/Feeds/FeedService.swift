package import CloudMessages
package import CloudModel
package import Cryptography
import EventLog
import Timing
import Waiting

/// Serves feeds by change tokens: pages, long polls and streams.
package struct FeedService: Sendable {
    let sources: FeedSources
    let tokens: ChangeTokens
    /// The process's part in reading; nil for a service that shares nothing.
    let reading: FeedReading?
    /// True where devices' topics are read that stage 3 makes, and not the journals of which it makes them.
    private let readsTopics: Bool
    /// The IDs of notifications.
    package let identifiers: NotificationIdentifiers

    /// Serves the feeds of one container's environment.
    /// - Parameters:
    ///   - reading: what its readers share; nil for none that share.
    ///   - readsTopics: true where devices' topics are read that stage 3 makes, and not the journals.
    package init(_ sources: FeedSources, keys: KeyRing, reading: FeedReading? = nil, readsTopics: Bool = false) {
        self.readsTopics = readsTopics
        self.sources = sources
        self.reading = reading
        tokens = ChangeTokens(keys)
        identifiers = NotificationIdentifiers(keys)
    }

    private var scope: ContainerEnvironment { sources.layout.scope }

    /// A page as it is answered.
    package struct Answer: Sendable {
        /// The notifications, oldest first.
        package var notifications: [Notification]
        /// The change token for the notifications after these.
        package var token: String
        /// True if there is more already.
        package var moreComing: Bool
    }

    /// The feed of a registered device.
    package func identity(of device: Device) -> FeedIdentity {
        FeedIdentity(scope: scope, user: device.user, device: device.id, epoch: device.epoch)
    }

    /// The token for the notifications after a device's registration, without the history before it.
    package func tokenAfterRegistration(of identity: FeedIdentity) -> String {
        tokens.seal(FeedPosition(part: .feed, position: LogPosition(offset: 0)), of: identity)
    }

    /// A token, if it is one of this feed; nil if it is none, or of another.
    package func good(_ token: String?, of identity: FeedIdentity) -> String? {
        token.flatMap { (try? tokens.open($0, of: identity)) == nil ? nil : $0 }
    }

    /// Says whose a token is, where it stands, and how far behind.
    /// - Throws: `BAD_REQUEST` when it is not one that the key ring sealed.
    package func standing(of token: String) async throws -> TokenStanding {
        let (identity, place) = try tokens.inspect(token)
        var standing = TokenStanding(identity: identity, place: place)
        guard identity.scope == scope else { return standing }
        do {
            let reader = try await FeedReader(
                sources, identity: identity, from: place, readsTopic: place.part == .topic)
            standing.place = await reader.place
            standing = try await reader.count(from: standing)
        } catch let error as CloudError {
            standing.refusal = error
        }
        return standing
    }

    /// Opens a feed at a token; nil is the start.
    /// - Parameter mayWait: true for a caller that waits when there is nothing new.
    package func open(
        _ identity: FeedIdentity, at token: String?, mayWait: Bool = false
    ) async throws -> FeedReader {
        guard mayWait else { return try await opened(identity, at: token, mayWait: false) }
        return try await Task.apart { try await opened(identity, at: token, mayWait: true) }
    }

    private func opened(_ identity: FeedIdentity, at token: String?, mayWait: Bool) async throws -> FeedReader {
        let place = try token.map { text throws(CloudError) in try tokens.open(text, of: identity) }
        do {
            return try await FeedReader(
                sources, identity: identity, from: place, reading: reading, mayWait: mayWait, readsTopic: readsTopics)
        } catch LogError.unavailable {
            throw Self.unavailable
        }
    }

    /// The token of a place.
    package func token(_ place: FeedPosition, of identity: FeedIdentity) -> String { tokens.seal(place, of: identity) }

    /// The error for an outage of the log: the client can only try again, and should.
    private static let unavailable = CloudError(
        .tryAgainLater, "the feeds cannot be read at present; send the same request again", retryAfterSeconds: 5)

    /// The notifications after a token, up to a limit. When there are none, waits for something to come.
    package func changes(
        in identity: FeedIdentity, after token: String?, limit: Int, waiting wait: Duration
    ) async throws -> Answer {
        let reader = try await reader(of: identity, after: token, mayWait: wait > .zero)
        do {
            return await answer(try await page(of: reader, limit, wait), of: reader, identity)
        } catch {
            await reader.close()
            throw Self.clientError(error)
        }
    }

    /// Users' journals.
    package var journals: any Journals { sources.journals }

    /// The place where readers wait for news; nil where each waits by itself.
    package var news: FeedWakeups? { reading?.news }

    /// Returns the reader that continues after a token: a cached one, or a new one. The caller calls `answer` or
    /// `FeedReader.close` afterwards.
    /// - Parameter mayWait: true for a caller that waits when there is nothing new.
    package func reader(
        of identity: FeedIdentity, after token: String?, mayWait: Bool = false
    ) async throws -> FeedReader {
        if let token, let kept = reading?.kept.take(identity, at: token) { return kept }
        return try await open(identity, at: token, mayWait: mayWait)
    }

    /// The error that a client gets for a failure.
    package static func clientError(_ error: any Error) -> any Error {
        if case LogError.unavailable = error { unavailable } else { error }
    }

    /// The answer with a reader's page. The reader is kept for the next one, or closed.
    package func answer(_ page: FeedPage, of reader: FeedReader, _ identity: FeedIdentity) async -> Answer {
        let answer = Answer(
            notifications: page.notifications, token: tokens.seal(page.place, of: identity), moreComing: page.moreComing
        )
        if page.moreComing, let reading {
            await reading.kept.keep(reader, identity, at: answer.token)
        } else {
            await reader.close()
        }
        return answer
    }

    private func page(of reader: FeedReader, _ limit: Int, _ wait: Duration) async throws -> FeedPage {
        // A reader with wakeups reads when it is woken.
        if wait > .zero, reading?.news != nil { return try await next(reader, limit, wait) }
        let page = try await reader.page(limit: limit)
        return page.items.isEmpty && wait > .zero ? try await next(reader, limit, wait) : page
    }

    /// The next notifications, or after the wait an empty page that stands where the reader got to.
    private func next(_ reader: FeedReader, _ limit: Int, _ wait: Duration) async throws -> FeedPage {
        // A page that comes after the time counts: the reader's place is behind it already.
        let page = try await Time.race(within: wait) { try await reader.next(limit: limit) }
        try Task.checkCancellation()
        if let page { return page }
        return await reader.emptyPage
    }
}
