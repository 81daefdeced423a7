import CloudModel
import Foundation

/// The payload of a push, read: `aps`, and CloudKit's `ck`.
struct PushedNotification {
    let content: CKNotification.Content

    /// Reads a payload; nil for one that is none of CloudKit's.
    init?(_ dictionary: [AnyHashable: Any]) {
        guard let cloud = Self.object(dictionary["ck"]) else { return nil }
        let kinds = Self.kinds.lazy.compactMap { kind in Self.object(cloud[kind.key]).map { (kind.type, $0) } }
        // A payload without a kind may say that notifications were read, the newest first.
        let read = cloud["read"] as? [String] ?? []
        guard let (type, detail) = kinds.first ?? read.first.map({ _ in (.readNotification, [:]) }) else { return nil }
        var content = CKNotification.Content(type: type)
        content.id = Self.text(cloud["nid"]) ?? (type == .readNotification ? read.first : nil)
        content.omittedCount = Int(clamping: Self.number(cloud["omitted"]) ?? 0)
        content.container = Self.text(cloud["cid"])
        content.owner = Self.text(cloud["ckuserid"])
        content.isPruned = Self.number(cloud["p"]) == 1
        content.subscriptionID = Self.text(detail["sid"])
        let scope = Self.scopes[Self.number(detail["dbs"]) ?? 0] ?? .public
        content.scope = CKDatabase.Scope(scope)
        if let name = Self.text(detail["zid"]) {
            let owner = Self.text(detail["zoid"]) ?? UserRecordName.defaultOwner.rawValue
            content.zoneID = CKNotification.zoneID(
                ZoneID(name: ZoneName(trusted: name), owner: UserRecordName(trusted: owner)), in: scope)
        }
        if type == .query {
            content.reason =
                CKQueryNotification.Reason(rawValue: Int(Self.number(detail["fo"]) ?? 2)) ?? .recordUpdated
            content.recordID = Self.text(detail["rid"]).map {
                CKRecord.ID(recordName: $0, zoneID: content.zoneID ?? .default)
            }
            content.fields = Self.fields(detail["af"])
        }
        Self.addLook(Self.object(dictionary["aps"]) ?? [:], to: &content)
        self.content = content
    }

    private static let kinds: [(key: String, type: CKNotification.NotificationType)] = [
        ("qry", .query), ("fet", .recordZone), ("met", .database),
    ]

    /// The databases by their numbers in pushes, which are not `CKDatabase.Scope`'s.
    private static let scopes: [Int64: DatabaseScope] = [1: .private, 2: .public, 3: .shared]

    private static func addLook(_ aps: [AnyHashable: Any], to content: inout CKNotification.Content) {
        content.badge = number(aps["badge"])
        content.look.soundName = text(aps["sound"])
        content.look.category = text(aps["category"])
        content.look.isContentAvailable = number(aps["content-available"]) == 1
        content.look.isContentMutable = number(aps["mutable-content"]) == 1
        content.look.alert.text = text(aps["alert"])
        guard let alert = object(aps["alert"]) else { return }
        content.look.alert = AlertText(
            text(alert["body"]), localizationKey: text(alert["loc-key"]), localizationArgs: texts(alert["loc-args"]))
        content.look.title = AlertText(
            text(alert["title"]), localizationKey: text(alert["title-loc-key"]),
            localizationArgs: texts(alert["title-loc-args"]))
        content.look.subtitle = AlertText(
            text(alert["subtitle"]), localizationKey: text(alert["subtitle-loc-key"]),
            localizationArgs: texts(alert["subtitle-loc-args"]))
        content.look.actionLocalizationKey = text(alert["action-loc-key"])
        content.look.launchImage = text(alert["launch-image"])
    }

    /// Additional fields: texts and numbers as they are, positions and references as objects. A payload does not
    /// distinguish dates from numbers.
    private static func fields(_ value: Any?) -> [String: FieldContent] {
        var fields: [String: FieldContent] = [:]
        for (key, value) in object(value) ?? [:] {
            guard let key = key.base as? String else { continue }
            if let object = object(value) {
                if let name = text(object["recordName"]) {
                    fields[key] = .reference(
                        CKRecord.Reference(recordID: CKRecord.ID(recordName: name), action: .none))
                } else if let latitude = double(object["latitude"]), let longitude = double(object["longitude"]) {
                    fields[key] = .location(CLLocation(latitude: latitude, longitude: longitude))
                }
            } else {
                fields[key] = FieldContent(any: value)
            }
        }
        return fields
    }

    // What a payload says in another form than it should is as if it were not there.

    private static func object(_ value: Any?) -> [AnyHashable: Any]? {
        value as? [AnyHashable: Any] ?? (value as? [String: Any]).map { $0.reduce(into: [:]) { $0[$1.key] = $1.value } }
    }

    private static func text(_ value: Any?) -> String? { value as? String }

    private static func texts(_ value: Any?) -> [String] { value as? [String] ?? [] }

    private static func number(_ value: Any?) -> Int64? { (value as? NSNumber)?.int64Value }

    private static func double(_ value: Any?) -> Double? { (value as? NSNumber)?.doubleValue }
}
