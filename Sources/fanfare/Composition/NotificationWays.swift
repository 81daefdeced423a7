import CloudModel
import Cryptography
import EventLog
import Feeds
import Inspection
import JSON
import RecordStore

/// The way of a notification, from the log and from the store beside it where one is at hand: for the operator's route
/// and the command.
struct NotificationWays: Sendable {
    let evidence: LogEvidence
    let pushLogs: PushLogs
    let store: (any RecordStore)?
    let keys: KeyRing?

    /// The way as both answer it; nil where nothing of it is kept.
    func json(_ question: WayFinder.Question) async throws -> JSONObject? {
        try await find(question).map(json)
    }

    /// A way with its notification's ID.
    func json(_ way: NotificationWay) -> JSONObject {
        var json = way.json
        if let keys {
            let subject = NotificationSubject(user: way.user, change: way.change)
            json["notificationID"] = .string(NotificationIdentifiers(keys).encode(subject))
        }
        return json
    }

    /// Finds the way of a notification; nil where nothing of it is kept.
    func find(_ question: WayFinder.Question) async throws -> NotificationWay? {
        var question = question
        if let id = question.subscription, let store {
            let databases = question.database.map { [$0] } ?? DatabaseScope.allCases
            let user = question.user
            question.created = try await store.read { store in
                try databases.lazy.compactMap {
                    try store.subscription(SubscriptionKey(user: user, database: $0, id: id))?.created
                }.first
            }
        }
        return try await WayFinder(evidence, pushLogs: pushLogs) { user in
            try await store?.read { try $0.devices(of: user) }.map { stored in
                WayFinder.Device(
                    id: stored.device.id, epoch: stored.device.epoch, lastSeen: stored.lastSeen,
                    place: keys.flatMap { Self.place(of: stored, $0) })
            }
        }.way(question)
    }

    /// The position that a device has read to, by the token that it asked with last; nil where none is known.
    static func place(of stored: StoredDevice, _ keys: KeyRing) -> ReadPlace? {
        guard let token = stored.token, let place = try? ChangeTokens(keys).inspect(token).place else { return nil }
        // The offset of a token of an earlier version counts elsewhere; one of the registration has read nothing.
        guard place.part == .shared || place.position.offset == 0 else { return nil }
        return ReadPlace(epoch: stored.device.epoch, offset: place.position.offset)
    }
}
