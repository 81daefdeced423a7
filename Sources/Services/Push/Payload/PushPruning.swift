import JSON

/// A part that is taken away from a payload that is too large. The order is that of CloudKit's page on `isPruned` (spec
/// section 2.5): the container, what changed, how it is shown, the notification's ID. Parts that the page does not name
/// stand as in the SDK's header among their kind: the additional fields before the other details, subtitle, title and
/// `content-available` before the rest of what is shown. `category`, which neither names, comes after the action key. The
/// subscription's ID, `mutable-content` and the user always stay: they are small.
enum PushPruning {
    case container
    /// The largest of the additional fields; repeated until there is none.
    case largestField
    case detail([String])
    case alert(String)
    case aps(String)
    case notificationID

    /// The order in which parts go.
    static let order: [PushPruning] = [
        .container,
        .largestField, .detail(["rid", "zid", "zoid"]), .detail(["fo"]), .detail(["dbs"]),
        .alert("subtitle"), .alert("subtitle-loc-args"), .alert("subtitle-loc-key"),
        .alert("title"), .alert("title-loc-args"), .alert("title-loc-key"),
        .aps("content-available"), .aps("sound"), .alert("launch-image"), .alert("action-loc-key"), .aps("category"),
        .alert("body"), .alert("loc-args"), .alert("loc-key"), .aps("badge"),
        .notificationID,
    ]

    /// Takes the part away; false when it is not there.
    func apply(_ payload: inout PushPayload) -> Bool {
        switch self {
        case .container: Self.remove("cid", from: &payload.ck)
        case .largestField: Self.removeLargest(from: &payload.fields)
        case .detail(let keys): keys.reduce(false) { Self.remove($1, from: &payload.detail) || $0 }
        case .alert(let key): Self.remove(key, from: &payload.alert)
        case .aps(let key): Self.remove(key, from: &payload.aps)
        case .notificationID: Self.remove("nid", from: &payload.ck)
        }
    }

    private static func remove(_ key: String, from object: inout JSONObject) -> Bool {
        guard object[key] != nil else { return false }
        object[key] = nil
        return true
    }

    private static func removeLargest(from fields: inout JSONObject) -> Bool {
        // Of equals the first by name, in whose order fields stand.
        let largest = fields.map { ($0.key, (try? $0.value.serialized().count) ?? 0) }.max { $0.1 < $1.1 }
        guard let largest else { return false }
        return remove(largest.0, from: &fields)
    }
}
