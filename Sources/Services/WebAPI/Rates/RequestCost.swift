import CloudModel
import JSON

/// The cost of a request beside its bytes: about the number of records that are read or written for it.
enum RequestCost: Hashable, Sendable {
    /// The same for every request.
    case fixed(Int)
    /// One, and one more for each element of this list in the body.
    case each(String)
    /// A page of a feed, for each element of this list in the body.
    case pages(of: String)
    /// As `each("operations")`, and more for each operation that is a test.
    case operationsWithTests

    /// The cost of a query: it looks at many records to find some.
    static let query = RequestCost.fixed(20)
    /// The cost of a feed's page.
    static let page = RequestCost.fixed(pageCost)
    /// The cost of making or removing a device or web courier, which may make and remove a topic.
    static let device = RequestCost.fixed(50)

    private static let pageCost = 10
    /// The cost of a test of a subscription that looks at as many changes as it may, and of one that looks at none.
    private static let (testCost, parseCost) = (200, 2)

    /// The cost of a request with this body; nil for none.
    func of(_ body: JSONValue?) -> Int {
        switch self {
        case .fixed(let cost): return cost
        case .each(let list): return 1 + Self.count(body, list)
        case .pages(let list): return Self.pageCost * max(1, Self.count(body, list))
        case .operationsWithTests:
            let tests = body?["operations"]?.array?.filter { $0["operationType"]?.string == "test" } ?? []
            return tests.reduce(1 + Self.count(body, "operations")) { $0 + Self.cost(ofTest: $1) }
        }
    }

    private static func cost(ofTest operation: JSONValue) -> Int {
        guard operation["parseOnly"] != true else { return parseCost }
        let changes = operation["changesMax"]?.integer ?? Int64(Limits.testChangesMax)
        let part = Int(min(max(changes, 1), Int64(Limits.testChangesMax)))
        return max(parseCost, testCost * part / Limits.testChangesMax)
    }

    private static func count(_ body: JSONValue?, _ key: String) -> Int { body?[key]?.array?.count ?? 0 }
}
