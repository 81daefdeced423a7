package import CloudModel
import FanfareCloudKit
package import JSON

extension StoryUser {
    /// Operations of `subscriptions/modify` in one request; an item for each.
    package func modifySubscriptions(
        _ operations: [(kind: String, subscription: JSONValue)], in database: DatabaseScope = .public
    ) async throws -> [JSONValue] {
        let answer = try await client.database(
            database, "subscriptions/modify",
            [
                "operations": .array(
                    operations.map { ["operationType": .string($0.kind), "subscription": $0.subscription] })
            ])
        guard let items = answer["subscriptions"]?.array, items.count == operations.count else {
            throw StorySystem.Failed("no item for each operation: \(answer)")
        }
        return items
    }

    /// Deletes records in one request.
    package func delete(_ names: [String], in database: DatabaseScope = .public) async throws {
        let names = names.map { RecordName(trusted: $0) }
        let results = try await client.modify(
            names.map { RecordOperation(kind: .forceDelete, recordName: $0) }, in: database)
        guard results == names.map({ .deleted($0) }) else {
            throw StorySystem.Failed("not all were deleted: \(results)")
        }
    }

    /// All notifications of a device as the service wrote them, once there are so many.
    package func notifications(_ device: String, atLeast count: Int) async throws -> [JSONValue] {
        try await within("\(count) notifications on \(device)") {
            var all: [JSONValue] = []
            var token: String?
            while true {
                do {
                    let isEnd = all.count >= count
                    let page = try await client.notifications(
                        of: DeviceID(trusted: device), after: token, limit: 200, waitSeconds: isEnd ? 0 : 5)
                    all += page.json
                    token = page.token
                    if isEnd, !page.moreComing { return all }
                } catch let error as FanfareError where error.code == .tryAgainLater {
                    continue
                }
            }
        }
    }

    // MARK: The end of a record's changes

    /// Subscribes to what `settled` saves.
    package func subscribeToFence(_ type: String, in database: DatabaseScope = .public) async throws {
        try await subscribe(
            Self.fence, to: type,
            filters: [["fieldName": "fence", "comparator": "EQUALS", "fieldValue": ["value": 1]]],
            on: ["create", "update"], in: database)
    }

    /// All record notifications of a device: saves each record once more and waits for the notifications of these
    /// saves, which come after all earlier saves of the same record. They are left out.
    package func settled(
        _ names: [String], of type: String, on device: String, in database: DatabaseScope = .public
    ) async throws -> [Note] {
        try await save(names.map { ($0, ["fence": 1]) }, type: type, in: database)
        return try await within("the fences of \(names.count) records on \(device)") {
            var notes: [Note] = []
            var token: String?
            while notes.count(where: { $0.subscription == Self.fence }) < names.count {
                let page = try await changes(device, after: token, wait: 5)
                notes += page.notes
                token = page.token
            }
            return notes.filter { $0.subscription != Self.fence }
        }
    }

    private static let fence = "fence"
}
