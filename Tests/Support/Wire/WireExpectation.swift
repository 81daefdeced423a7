import HTTPClient
import JSON

/// The demand of a client of CloudKit Web Services that others wrote on what it is answered: where a service does
/// otherwise, the client fails or loses something without a word. A lenient reader never shows that, so that every
/// answer a test sees is held against all of them, beside `docs/openapi.yaml`.
struct WireExpectation: Sendable {
    /// The client, as it is found on GitHub or PyPI.
    var client: String
    /// What it does with an answer of another form.
    var consequence: String
    /// Returns the faults of one dictionary of an answer, anywhere in it; empty if the client can read it.
    var check: @Sendable (JSONObject) -> [String]

    /// Returns the faults of an answer, for any of the clients.
    static func violations(of exchange: Exchange) -> [String] {
        guard exchange.headers["Content-Type"]?.hasPrefix("application/json") == true,
            let answer = exchange.body.flatMap({ try? JSONValue(parsing: $0) })
        else { return [] }
        var found: [String] = []
        visit(answer, at: "the answer") { object, place in
            for expectation in all {
                found += expectation.check(object).map {
                    "\(exchange.name): \(place): \($0); \(expectation.client) then \(expectation.consequence)"
                }
            }
        }
        return found
    }

    private static func visit(_ json: JSONValue, at place: String, _ body: (JSONObject, String) -> Void) {
        if let object = json.object {
            body(object, place)
            for (name, member) in object { visit(member, at: "\(place).\(name)", body) }
        }
        for (index, element) in (json.array ?? []).enumerated() { visit(element, at: "\(place)[\(index)]", body) }
    }
}
