package import CloudMessages
package import CloudModel
package import EventLog
package import Feeds
package import JSON

/// Pages of journals by offset, as operators read them: for the routes and the commands. Reading moves no token and
/// marks nothing.
package struct DeliveredReport: Sendable {
    private let feeds: FeedService
    private let log: any EventLog
    private let layout: TopicLayout
    private let hidesPrivate: Bool

    /// - Parameters:
    ///   - log: the log of the feeds, which change tokens name.
    ///   - hidesPrivate: true leaves out what notifications of private and shared databases show.
    package init(_ feeds: FeedService, on log: any EventLog, _ layout: TopicLayout, hidesPrivate: Bool = false) {
        self.feeds = feeds
        self.log = log
        self.layout = layout
        self.hidesPrivate = hidesPrivate
    }

    /// A page of a user's journal.
    /// - Parameter reader: a device of the user, for which each entry has the token of the place behind it; nil for
    ///   none.
    /// - Returns: nil where there are no journals.
    package func journal(
        of user: UserRecordName, from start: PartitionPage.Start, limit: Int, reader: FeedIdentity? = nil
    ) async throws -> JSONObject? {
        guard var json = try await page(of: user, from: start, limit: limit, reader) else { return nil }
        json["userRecordName"] = .string(user.rawValue)
        if let reader { json["deviceID"] = .string(reader.device.rawValue) }
        return json
    }

    /// A page of the journal that a device reads, each entry with the change token of the place behind it.
    /// - Returns: nil where there are no journals.
    package func feed(
        of identity: FeedIdentity, from start: PartitionPage.Start, limit: Int
    ) async throws -> JSONObject? {
        guard var json = try await page(of: identity.user, from: start, limit: limit, identity) else { return nil }
        json["userRecordName"] = .string(identity.user.rawValue)
        json["deviceID"] = .string(identity.device.rawValue)
        json["epoch"] = .integer(identity.epoch.rawValue)
        return json
    }

    /// The place of a device's own token.
    package func place(of token: String) async throws -> JSONValue? {
        guard let standing = try? await feeds.standing(of: token) else { return nil }
        return .object(DeviceReport.json(standing))
    }

    private func page(
        of user: UserRecordName, from start: PartitionPage.Start, limit: Int, _ reader: FeedIdentity?
    ) async throws -> JSONObject? {
        let page: PartitionPage
        do {
            page = try await PartitionPage.read(feeds.journals.reader(of: user), from: start, limit: limit)
        } catch LogError.unknownTopic {
            return nil
        }
        let name = reader == nil ? "" : try await log.identity()
        let writer = DeliveredRowJSON(feeds.identifiers, hidesPrivate: hidesPrivate)
        let rows = page.entries.map { entry -> JSONValue in
            var json = writer.row(entry)
            if let reader, let token = feeds.token(after: entry, in: .shared, of: reader, on: name) {
                json["token"] = .string(token)
            }
            return .object(json)
        }
        let place = layout.journals(of: user)
        return [
            "topic": .string(layout.shortName(place.topic)), "partition": .integer(Int64(place.partition)),
            "start": .integer(page.bounds.start), "end": .integer(page.bounds.end), "next": .integer(page.next),
            "entries": .array(rows), "valuesLeftOut": .bool(hidesPrivate),
        ]
    }
}
