import CloudModel
import Feeds
import RecordService

/// A device as its app keeps it: what it has read, and tokens to go on from.
struct SimulatedDevice: Sendable {
    /// What one reading came to.
    struct Token: Sendable {
        var place: FeedPosition?
        /// How many it had read by then.
        var count: Int
    }

    let identity: FeedIdentity
    private(set) var read: [Notification] = []
    private(set) var tokens = [Token(place: nil, count: 0)]

    init(_ identity: FeedIdentity) { self.identity = identity }

    /// Reads a page from where it is.
    /// - Returns: false when there is no more for now.
    mutating func readPage(
        _ sources: FeedSources, _ reading: FeedReading, limit: Int
    ) async throws -> Bool {
        let reader = try await FeedReader(
            sources, identity: identity, from: tokens[tokens.count - 1].place, reading: reading)
        let pages: [FeedPage]
        do {
            // Two pages of one reader, as a stream reads them.
            let first = try await reader.page(limit: limit)
            take(first)
            pages = first.moreComing ? [first, try await reader.page(limit: limit)] : [first]
            if pages.count > 1 { take(pages[1]) }
        } catch {
            await reader.close()
            throw error
        }
        await reader.close()
        return pages[pages.count - 1].moreComing
    }

    /// Goes back to an earlier token.
    mutating func restore(_ choice: Int) {
        tokens = Array(tokens.prefix(1 + choice % tokens.count))
        read = Array(read.prefix(tokens[tokens.count - 1].count))
    }

    private mutating func take(_ page: FeedPage) {
        read += page.notifications
        tokens.append(Token(place: page.place, count: read.count))
    }
}
