import CloudJSON
import CloudMessages
import CloudModel
import EventLog
import Feeds
import JSON
import ProtocolBuffers

/// Writes entries of journals.
struct DeliveredRowJSON: Sendable {
    private let identifiers: NotificationIdentifiers
    private let hidesPrivate: Bool

    /// - Parameter hidesPrivate: true leaves out what notifications of private and shared databases show.
    init(_ identifiers: NotificationIdentifiers, hidesPrivate: Bool) {
        self.identifiers = identifiers
        self.hidesPrivate = hidesPrivate
    }

    func row(_ entry: LogEntry) -> JSONObject {
        var json: JSONObject = [
            "offset": .integer(entry.offset), "time": .integer(Timestamp(entry.appended).milliseconds),
            "kind": "unreadable",
        ]
        guard let message = entry.value.flatMap({ try? FeedEntry(decoding: $0) }), message.entry != nil else {
            return json
        }
        json["changed"] = .integer(message.time)
        if let device = message.device { json["deviceID"] = .string(device) }
        var database: DatabaseScope?
        switch message.entry {
        case .query(let query)?:
            json["kind"] = "notification"
            json["subscriptionID"] = .string(query.subscription)
            database = DatabaseScope(rawValue: query.database)
        case .omitted(let omitted)?:
            json["kind"] = "omitted"
            database = DatabaseScope(rawValue: omitted.database)
        case .read?: json["kind"] = "read"
        case .badge(let mark)?:
            json["kind"] = "badge"
            json["badge"] = .integer(mark.value)
        case .registered(let mark)?:
            json["kind"] = "registered"
            json["registered"] = ["deviceID": .string(mark.device), "epoch": .integer(mark.epoch)]
        case .unregistered(let mark)?:
            json["kind"] = "unregistered"
            json["registered"] = ["deviceID": .string(mark.device), "epoch": .integer(mark.epoch)]
        case nil: break
        }
        if let database { json["database"] = .string("\(database)") }
        guard let notification = Notification(message) else { return json }
        json["change"] = .integer(notification.subject.change.rawValue)
        json["notificationID"] = .string(identifiers.encode(notification.subject))
        // A mark shows nothing of a record.
        if database == nil || database == .public || !hidesPrivate {
            json["notification"] = try? JSONValue(
                parsing: NotificationJSON(identifier: identifiers.encode, payload: nil).bytes(notification))
        }
        return json
    }
}
