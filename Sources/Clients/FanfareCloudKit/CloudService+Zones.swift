import CloudJSON
import CloudModel
import JSON

/// A page of the change feed of a database.
struct DatabaseChangePage: Sendable {
    var zones: [Zone]
    var token: String
    var moreComing: Bool
}

/// A page of a zone's change feed.
struct ZoneChangePage: Sendable {
    /// The current version of a record, or the name and type of a deleted record.
    enum Change: Sendable {
        case record(RecordItem)
        case deletion(RecordName, RecordType)
    }

    var changes: [Change]
    var token: String
    var moreComing: Bool
}

extension CloudService {
    /// All zones of the caller in a database.
    func zones(in database: DatabaseScope) async throws -> [Zone] {
        try read(try await get("database", "\(database)/zones/list")) { json throws(CloudError) in
            try json.required("zones").elements(ZoneJSON.readZone)
        }
    }

    /// Looks zones up by name. Returns one result for each.
    func zones(_ zones: [GivenZone], in database: DatabaseScope) async throws -> [Result<Zone, FanfareError>] {
        try await divided(zones) { zones in
            let body: JSONValue = ["zones": .array(zones.map(ZoneJSON.given))]
            return try results(try await self.database(database, "zones/lookup", body), count: zones.count)
        }
    }

    /// Creates and deletes zones. Returns one result for each operation.
    func modify(
        _ operations: [ZoneOperation], in database: DatabaseScope
    ) async throws -> [Result<Zone, FanfareError>] {
        try await divided(operations) { operations in
            let body: JSONValue = ["operations": .array(operations.map(ZoneOperationJSON.operation))]
            return try results(try await self.database(database, "zones/modify", body), count: operations.count)
        }
    }

    /// The zones of a database that changed after a token.
    func changes(
        of database: DatabaseScope, after token: String?, limit: Int
    ) async throws -> DatabaseChangePage {
        var body: JSONObject = [:]
        if let token { body["syncToken"] = .string(token) }
        if limit > 0 { body["resultsLimit"] = .integer(Int64(limit)) }
        return try read(try await self.database(database, "changes/database", .object(body))) {
            json throws(CloudError) in
            DatabaseChangePage(
                zones: try json.required("zones").elements(ZoneJSON.readZone),
                token: try json.required("syncToken").string(), moreComing: try json["moreComing"]?.bool() ?? false)
        }
    }

    /// The records of a zone that changed after a token.
    func changes(
        of zone: GivenZone, in database: DatabaseScope, after token: String?, desiredKeys: [String]?, limit: Int
    ) async throws -> ZoneChangePage {
        var request: JSONObject = ["zoneID": ZoneJSON.given(zone)]
        if let token { request["syncToken"] = .string(token) }
        if let desiredKeys { request["desiredKeys"] = .array(desiredKeys.map { .string($0) }) }
        if limit > 0 { request["resultsLimit"] = .integer(Int64(limit)) }
        let answer = try await self.database(database, "changes/zone", ["zones": [.object(request)]])
        guard let item = answer["zones"]?[0] else {
            throw FanfareError(status: 200, code: nil, reason: "the answer has no zone")
        }
        if let error = ErrorJSON.read(item) { throw FanfareError(error) }
        return try read(item) { json throws(CloudError) in
            ZoneChangePage(
                changes: try json.required("records").elements(Self.change),
                token: try json.required("syncToken").string(), moreComing: try json["moreComing"]?.bool() ?? false)
        }
    }

    private static func change(_ json: JSONPath) throws(CloudError) -> ZoneChangePage.Change {
        guard try json["deleted"]?.bool() == true else { return .record(try RecordItem.read(json)) }
        return .deletion(
            RecordName(trusted: try json.required("recordName").string()),
            RecordType(trusted: try json["recordType"]?.string() ?? ""))
    }

    private func results(_ answer: JSONValue, count: Int) throws -> [Result<Zone, FanfareError>] {
        let results = try read(answer) { json throws(CloudError) in
            try json.required("zones").elements { item throws(CloudError) -> Result<Zone, FanfareError> in
                if let error = ErrorJSON.read(item.value) { return .failure(FanfareError(error)) }
                return .success(try ZoneJSON.readZone(item))
            }
        }
        guard results.count == count else {
            throw FanfareError(
                status: 200, code: nil, reason: "the answer has \(results.count) zones for \(count) in the request")
        }
        return results
    }
}
