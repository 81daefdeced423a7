import CloudJSON
package import CloudModel
package import JSON

/// The payload of a push: `aps`, plain APNs, and `ck`, CloudKit's (docs/cloudkit.md#push-payload). Never more than
/// `Limits.pushPayloadBytesMax` bytes as JSON: what does not fit is left out, in CloudKit's order. `sent` makes the form
/// of providers, which may be smaller.
package struct PushPayload: Sendable {
    /// The event, by the kind of the subscription.
    package enum Detail: Sendable {
        /// A query subscription fired on a record.
        case query(reason: Change.Kind, record: RecordName, zone: ZoneID, fields: RecordFields)
        /// A zone subscription fired.
        case zone(ZoneID)
        /// A database subscription fired on a change in a zone.
        case database(ZoneID)
        /// More subscriptions fired on a change in a zone than get a notification each.
        case omitted(DatabaseScope, ZoneID, count: Int)
        /// No notification: a badge, or notifications that were read.
        case mark
    }

    /// True when something was left out to make it fit; texts that were only cut do not count.
    package internal(set) var isPruned = false

    /// The bytes that it may have as JSON.
    var bytesMax = Limits.pushPayloadBytesMax
    /// True in the form of providers.
    var isSent = false
    /// Names what a browser shows; a push with the same tag replaces it.
    var tag: String?
    /// The number of changes that the notification stands for. Written as `changes` of the member `fanfare`, and never
    /// left out.
    var changeCount = 1
    var appearance: Appearance<String>
    var parts: PushParts
    var fields: RecordFields
    /// IDs of notifications that were read, the newest first. The first to be left out.
    var read: [String] = []
    private let id: String
    private let container: ContainerIdentifier
    private let user: UserRecordName
    private let subscription: SubscriptionKey?
    let detail: Detail
    private let badge: Int64?

    /// Makes the payload of a notification, as much of it as fits.
    /// - Parameters:
    ///   - id: the notification's ID.
    ///   - badge: the badge of the receiving device; nil leaves it as it is.
    ///   - changeCount: the number of changes that the notification stands for.
    package init(
        id: String, container: ContainerIdentifier, subscription: SubscriptionKey, detail: Detail,
        appearance: Appearance<String>, badge: Int64?, changeCount: Int = 1
    ) {
        self.init(
            whole: id, container: container, user: subscription.user, subscription: subscription, detail: detail,
            appearance: appearance, badge: badge, changeCount: changeCount)
        prune()
    }

    /// Makes the whole payload, which may be too large.
    /// - Parameter subscription: nil where no single one fired.
    init(
        whole id: String, container: ContainerIdentifier, user: UserRecordName, subscription: SubscriptionKey?,
        detail: Detail, appearance: Appearance<String>, badge: Int64?, changeCount: Int = 1
    ) {
        self.id = id
        self.changeCount = changeCount
        self.container = container
        self.user = user
        self.subscription = subscription
        self.detail = detail
        self.appearance = appearance
        self.badge = badge
        parts = [.container, .notificationID, .place, .database]
        fields = RecordFields()
        switch detail {
        case .query(_, _, _, let given):
            fields = given
            parts.insert(.reason)
        case .mark: parts = [.container]
        case .zone, .database, .omitted: break
        }
        parts.formUnion(Self.parts(of: appearance))
        if badge != nil { parts.insert(.badge) }
    }

    /// Writes the object that is sent; if it is too large, as much of it as fits.
    package func write(to writer: inout JSONWriter) {
        let mark = writer.mark
        let first = writer.bytes.count
        writeAll(to: &writer)
        guard !isPruned, writer.bytes.count - first > bytesMax else { return }
        writer.rewind(to: mark)
        var pruned = self
        pruned.prune()
        pruned.writeAll(to: &writer)
    }

    /// The object that is sent.
    package var bytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.takeBytes()
    }

    /// The headers by which APNs would deliver it.
    package var delivery: PushDelivery {
        PushDelivery(isVisible: isVisible, collapseID: appearance.collapseID)
    }

    private var isVisible: Bool { !parts.isDisjoint(with: .visible) }

    /// Returns true for a look with an alert or a sound.
    static func isVisible(_ appearance: Appearance<String>) -> Bool {
        !parts(of: appearance).isDisjoint(with: .visible)
    }

    static func parts(of appearance: Appearance<String>) -> PushParts {
        var parts: PushParts = []
        func add(_ text: AlertText<String>, _ plain: PushParts, _ key: PushParts, _ arguments: PushParts) {
            if text.text != nil { parts.insert(plain) }
            if text.localizationKey != nil { parts.insert(key) }
            if !text.localizationArgs.isEmpty { parts.insert(arguments) }
        }
        add(appearance.title, .title, .titleKey, .titleArguments)
        add(appearance.subtitle, .subtitle, .subtitleKey, .subtitleArguments)
        add(appearance.alert, .body, .bodyKey, .bodyArguments)
        if appearance.actionLocalizationKey != nil { parts.insert(.actionKey) }
        if appearance.launchImage != nil { parts.insert(.launchImage) }
        if appearance.soundName != nil { parts.insert(.sound) }
        if appearance.category != nil { parts.insert(.category) }
        if appearance.isContentAvailable { parts.insert(.contentAvailable) }
        return parts
    }

    // MARK: Pruning

    /// Takes parts away until the rest fits.
    mutating func prune() {
        guard byteCount > bytesMax else { return }
        // A hint, which nobody misses: the feed has it.
        read = []
        for part in PushParts.pruningOrder {
            while byteCount > bytesMax, remove(part) { isPruned = true }
        }
    }

    /// Takes a part away, of the additional fields the largest; false when it is not there.
    private mutating func remove(_ part: PushParts) -> Bool {
        if part == .contentAvailable, isSent, !isVisible { return false }
        guard part == .field else { return parts.remove(part) != nil }
        // Of equals the first by name, in whose order fields stand.
        let sizes = fields.entries.map { ($0.name, Self.byteCount(of: $0.value)) }
        guard let largest = sizes.max(by: { $0.1 < $1.1 }) else { return false }
        fields[largest.0] = nil
        return true
    }

    private var byteCount: Int {
        var writer = JSONWriter()
        writeAll(to: &writer)
        return writer.bytes.count
    }

    private static func byteCount(of value: FieldValue) -> Int {
        var writer = JSONWriter()
        write(value, to: &writer)
        return writer.bytes.count
    }

    // MARK: Writing

    /// Writes all parts that are there.
    private func writeAll(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        writeAPS(to: &writer)
        writer.endObject()
        writer.key("ck")
        writer.beginObject()
        writer.member("ce", 2)
        if parts.contains(.container) { writer.member("cid", container.rawValue) }
        writer.member("ckuserid", user.rawValue)
        if parts.contains(.notificationID) { writer.member("nid", id) }
        if kind == "met" {
            // Whatever it is for: captures have it.
            writer.key("aux")
            writer.beginObject()
            writer.endObject()
        }
        if isPruned { writer.member("p", 1) }
        if case .omitted(_, _, let count) = detail { writer.member("omitted", count) }
        if !read.isEmpty {
            writer.key("read")
            writer.beginArray()
            for id in read { writer.value(id) }
            writer.endArray()
        }
        if let kind {
            writer.key(kind)
            writer.beginObject()
            writeDetail(to: &writer)
            writer.endObject()
        }
        writer.endObject()
        if tag != nil || changeCount > 1 {
            writer.key("fanfare")
            writer.beginObject()
            if let tag { writer.member("tag", tag) }
            if changeCount > 1 { writer.member("changes", changeCount) }
            writer.endObject()
        }
        writer.endObject()
    }

    private func writeAPS(to writer: inout JSONWriter) {
        if parts.contains(.badge), let badge { writer.member("badge", badge) }
        if parts.contains(.sound), let sound = appearance.soundName { writer.member("sound", sound) }
        if parts.contains(.category), let category = appearance.category { writer.member("category", category) }
        let alert = parts.intersection(.alert)
        // A background push without it wakes nothing.
        let isAvailable = parts.contains(.contentAvailable) || isSent && !isVisible
        if isAvailable { writer.member("content-available", 1) }
        if appearance.isContentMutable, !isSent || !alert.isEmpty { writer.member("mutable-content", 1) }
        guard !alert.isEmpty else { return }
        writer.key("alert")
        // The text alone stands for itself.
        if alert == .body, let body = appearance.alert.text { return writer.value(body) }
        writer.beginObject()
        if alert.contains(.title), let text = appearance.title.text { writer.member("title", text) }
        write(appearance.title, .titleKey, "title-loc-key", .titleArguments, "title-loc-args", to: &writer)
        if alert.contains(.subtitle), let text = appearance.subtitle.text { writer.member("subtitle", text) }
        write(
            appearance.subtitle, .subtitleKey, "subtitle-loc-key", .subtitleArguments, "subtitle-loc-args", to: &writer)
        if alert.contains(.body), let text = appearance.alert.text { writer.member("body", text) }
        write(appearance.alert, .bodyKey, "loc-key", .bodyArguments, "loc-args", to: &writer)
        if alert.contains(.actionKey), let key = appearance.actionLocalizationKey {
            writer.member("action-loc-key", key)
        }
        if alert.contains(.launchImage), let image = appearance.launchImage { writer.member("launch-image", image) }
        writer.endObject()
    }

    private func write(
        _ text: AlertText<String>, _ key: PushParts, _ keyName: String, _ arguments: PushParts, _ argumentsName: String,
        to writer: inout JSONWriter
    ) {
        if parts.contains(key), let key = text.localizationKey { writer.member(keyName, key) }
        guard parts.contains(arguments) else { return }
        writer.key(argumentsName)
        writer.beginArray()
        for argument in text.localizationArgs { writer.value(Self.cut(argument)) }
        writer.endArray()
    }

    private func writeDetail(to writer: inout JSONWriter) {
        if parts.contains(.database), let database { writer.member("dbs", Self.number(database)) }
        if let subscription { writer.member("sid", subscription.id.rawValue) }
        switch detail {
        case .query(let reason, let record, let zone, _):
            if parts.contains(.reason) { writer.member("fo", Int64(reason.rawValue)) }
            if parts.contains(.place) { writer.member("rid", record.rawValue) }
            write(zone, to: &writer)
        case .zone(let zone), .database(let zone), .omitted(_, let zone, _): write(zone, to: &writer)
        case .mark: break
        }
        guard !fields.entries.isEmpty else { return }
        writer.key("af")
        writer.beginObject()
        for field in fields.entries {
            writer.key(field.name.rawValue)
            Self.write(field.value, to: &writer)
        }
        writer.endObject()
    }

    private func write(_ zone: ZoneID, to writer: inout JSONWriter) {
        guard parts.contains(.place) else { return }
        writer.member("zid", zone.name.rawValue)
        writer.member("zoid", zone.owner.rawValue)
    }

    private static func write(_ value: FieldValue, to writer: inout JSONWriter) {
        if case .string(let text) = value { return writer.value(cut(text)) }
        FieldJSON().write(value, to: &writer)
    }

    /// The member of `ck` that holds the details; nil without any. Left out notifications have that of a change in a
    /// database, at which apps fetch.
    private var kind: String? {
        switch detail {
        case .query: "qry"
        case .zone: "fet"
        case .database, .omitted: "met"
        case .mark: nil
        }
    }

    private var database: DatabaseScope? {
        if case .omitted(let database, _, _) = detail { database } else { subscription?.database }
    }

    /// The numbers of databases in pushes, which are not `CKDatabaseScope`'s (docs/cloudkit.md#numbers-of-databases).
    private static func number(_ database: DatabaseScope) -> Int64 {
        switch database {
        case .private: 1
        case .public: 2
        case .shared: 3
        }
    }

    private static func cut(_ text: String) -> String { text.cut(to: Limits.pushValueCharactersMax) }
}
