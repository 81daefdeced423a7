import CloudModel
import JSON
import TextForms

/// A session of an operator, of which the process knows the token's digest alone.
struct OperatorSession: Hashable, Sendable {
    /// Hours after which a session ends, however much it is used.
    static let hoursMax: Int64 = 12
    /// Minutes without a request after which it ends.
    static let idleMinutesMax: Int64 = 30

    let who: Operator
    let begun: Timestamp
    var used: Timestamp

    /// The time at which it ends in any case.
    var expires: Timestamp { Timestamp(milliseconds: begun.milliseconds + Self.hoursMax * 3_600_000) }

    func isOver(at now: Timestamp) -> Bool {
        now >= expires || now.milliseconds - used.milliseconds >= Self.idleMinutesMax * 60_000
    }

    init(_ who: Operator, at now: Timestamp) {
        self.who = who
        begun = now
        used = now
    }

    /// Reads what `json` wrote; nil for anything else.
    init?(_ json: JSONValue) {
        guard let name = json["operator"]?.string, let rights = json["rights"]?.array?.compactMap(Self.right),
            !rights.isEmpty, let begun = json["begun"]?.integer, let used = json["used"]?.integer
        else { return nil }
        who = Operator(name: name, rights: rights)
        self.begun = Timestamp(milliseconds: begun)
        self.used = Timestamp(milliseconds: used)
    }

    var json: JSONObject {
        [
            "operator": .string(who.name), "rights": .array(who.rights.map(Self.json)),
            "begun": .integer(begun.milliseconds), "used": .integer(used.milliseconds),
        ]
    }

    /// A right, as files and answers have it: `{"role", "place"?}`.
    static func json(_ right: Operator.Right) -> JSONValue {
        var json: JSONObject = ["role": .string(right.role.rawValue)]
        if let place = right.place { json["place"] = .string(place) }
        return .object(json)
    }

    private static func right(_ json: JSONValue) -> Operator.Right? {
        json["role"]?.string.flatMap(Operator.Role.init).map { Operator.Right($0, place: json["place"]?.string) }
    }
}
