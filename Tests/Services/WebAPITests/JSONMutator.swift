import JSON
import TestSupport

/// Changes JSON at one to three places at random.
struct JSONMutator {
    var random: SeededGenerator

    private static let values: [JSONValue] = [
        nil, true, false, 0, 1, -1, 1.5, .integer(.max), .integer(.min), 1e300, "", "x", "_x", "\u{0}", "ä\u{301}", [],
        [[]],
        [nil], [1], ["x"], ["x", 1], [:], ["value": 1], ["value": nil], ["zoneName": "x"], ["recordName": "r"],
        .string(String(repeating: "y", count: 300)), .string(String(repeating: "y", count: 5000)),
        .array(Array(repeating: [:], count: 250)), "EQUALS", "IN", "STRING_LIST", "TIMESTAMP", "create", "delete",
        "update",
        "_defaultZone", "zone", "phone",
    ]

    mutating func mutated(_ value: JSONValue) -> JSONValue {
        var value = value
        for _ in 0..<Int.random(in: 1...3, using: &random) { value = changed(value) }
        // Most endpoints take objects only; some bodies become something else on the way.
        return value
    }

    private mutating func changed(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object) where !object.isEmpty && Int.random(in: 0..<8, using: &random) > 0:
            var object = object
            let key = object.map(\.key).randomElement(using: &random)!
            switch Int.random(in: 0..<10, using: &random) {
            case 0: object[key] = nil
            case 1: object[["x", "type", "value", "zoneID", "recordName"].randomElement(using: &random)!] = anything()
            default: object[key] = changed(object[key]!)
            }
            return .object(object)
        case .array(var elements) where !elements.isEmpty && Int.random(in: 0..<8, using: &random) > 0:
            let index = Int.random(in: 0..<elements.count, using: &random)
            if Int.random(in: 0..<8, using: &random) == 0 {
                elements.append(elements[index])
            } else {
                elements[index] = changed(elements[index])
            }
            return .array(elements)
        default: return anything()
        }
    }

    private mutating func anything() -> JSONValue { Self.values.randomElement(using: &random)! }
}
