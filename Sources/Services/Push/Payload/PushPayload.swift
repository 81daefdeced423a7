import CloudJSON
package import CloudModel
package import JSON

/// The payload of a push: `aps`, plain APNs, and `ck`, CloudKit's (spec section 4). Never more than
/// `Limits.pushPayloadBytesMax` bytes as JSON: what does not fit is left out, in CloudKit's order.
package struct PushPayload: Sendable {
    /// The event, by the kind of the subscription.
    package enum Detail: Sendable {
        /// A query subscription fired on a record.
        case query(reason: Change.Kind, record: RecordName, zone: ZoneID, fields: RecordFields)
        /// A zone subscription fired.
        case zone(ZoneID)
        /// A database subscription fired on a change in a zone.
        case database(ZoneID)
    }

    /// True when something was left out to make it fit; texts that were only cut do not count.
    package private(set) var isPruned = false

    // The parts, in which pruning finds what it takes away.
    var aps: JSONObject = [:]
    var alert: JSONObject = [:]
    var ck: JSONObject = [:]
    var detail: JSONObject = [:]
    var fields: JSONObject = [:]
    /// The member of `ck` that holds the details.
    private let kind: String
    private let collapseID: String?

    /// Makes the payload of a notification, as much of it as fits.
    /// - Parameters:
    ///   - id: the notification's ID.
    ///   - badge: the badge of the receiving device; nil leaves it as it is.
    package init(
        id: String, container: ContainerIdentifier, subscription: SubscriptionKey, detail: Detail,
        appearance: Appearance<String>, badge: Int64?
    ) {
        kind = Self.kind(detail)
        collapseID = appearance.collapseID
        ck = [
            "ce": 2, "cid": .string(container.rawValue), "ckuserid": .string(subscription.user.rawValue),
            "nid": .string(id),
        ]
        self.detail = ["dbs": .integer(Self.number(subscription.database)), "sid": .string(subscription.id.rawValue)]
        addDetail(detail)
        addAlert(appearance)
        if let badge { aps["badge"] = .integer(badge) }
        if let sound = appearance.soundName { aps["sound"] = .string(sound) }
        if let category = appearance.category { aps["category"] = .string(category) }
        if appearance.isContentAvailable { aps["content-available"] = 1 }
        if appearance.isContentMutable { aps["mutable-content"] = 1 }
        prune()
    }

    /// The object that is sent.
    package var json: JSONValue {
        var aps = aps
        // The text alone stands for itself.
        if alert.count == 1, let body = alert["body"] {
            aps["alert"] = body
        } else if !alert.isEmpty {
            aps["alert"] = .object(alert)
        }
        var ck = ck
        if isPruned { ck["p"] = 1 }
        var detail = detail
        if !fields.isEmpty { detail["af"] = .object(fields) }
        ck[kind] = .object(detail)
        return ["aps": .object(aps), "ck": .object(ck)]
    }

    /// The headers by which APNs would deliver it.
    package var delivery: PushDelivery {
        let isVisible = !alert.isEmpty || aps["sound"] != nil || aps["badge"] != nil
        return PushDelivery(isVisible: isVisible, collapseID: collapseID)
    }

    private mutating func addDetail(_ detail: Detail) {
        switch detail {
        case .query(let reason, let record, let zone, let fields):
            self.detail["fo"] = .integer(Int64(reason.rawValue))
            self.detail["rid"] = .string(record.rawValue)
            add(zone)
            for field in fields.entries { self.fields[field.name.rawValue] = Self.plain(field.value) }
        case .zone(let zone): add(zone)
        case .database(let zone):
            add(zone)
            // Whatever it is for: captures have it.
            ck["aux"] = [:]
        }
    }

    private mutating func add(_ zone: ZoneID) {
        detail["zid"] = .string(zone.name.rawValue)
        detail["zoid"] = .string(zone.owner.rawValue)
    }

    private mutating func addAlert(_ appearance: Appearance<String>) {
        add(appearance.title, "title", "title-")
        add(appearance.subtitle, "subtitle", "subtitle-")
        add(appearance.alert, "body", "")
        if let key = appearance.actionLocalizationKey { alert["action-loc-key"] = .string(key) }
        if let image = appearance.launchImage { alert["launch-image"] = .string(image) }
    }

    private mutating func add(_ text: AlertText<String>, _ plain: String, _ prefix: String) {
        if let text = text.text { alert[plain] = .string(text) }
        if let key = text.localizationKey { alert["\(prefix)loc-key"] = .string(key) }
        if !text.localizationArgs.isEmpty {
            alert["\(prefix)loc-args"] = .array(text.localizationArgs.map { .string(Self.cut($0)) })
        }
    }

    /// Takes parts away until the rest fits.
    private mutating func prune() {
        for step in PushPruning.order {
            while byteCount > Limits.pushPayloadBytesMax {
                guard step.apply(&self) else { break }
                isPruned = true
            }
        }
    }

    /// Bytes as JSON; 0 for numbers that are not finite, which no request can save and JSON cannot hold.
    private var byteCount: Int { (try? json.serialized().count) ?? 0 }

    private static func kind(_ detail: Detail) -> String {
        switch detail {
        case .query: "qry"
        case .zone: "fet"
        case .database: "met"
        }
    }

    /// The numbers of databases in pushes, which are not `CKDatabaseScope`'s (spec section 2.4).
    private static func number(_ database: DatabaseScope) -> Int64 {
        switch database {
        case .private: 1
        case .public: 2
        case .shared: 3
        }
    }

    private static func plain(_ value: FieldValue) -> JSONValue {
        if case .string(let text) = value { return .string(cut(text)) }
        return FieldJSON().value(value)
    }

    private static func cut(_ text: String) -> String { text.cut(to: Limits.pushValueCharactersMax) }
}
