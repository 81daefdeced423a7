import CloudJSON
package import CloudModel
import JSON

extension CloudService {
    /// Applies operations to records. Returns one result for each operation.
    /// - Parameters:
    ///   - zone: the zone of all records; nil is the default zone.
    ///   - isAtomic: true to apply all or none, where the zone supports it; nil is the service's default.
    package func modify(
        _ operations: [RecordOperation], in database: DatabaseScope, zone: GivenZone? = nil, isAtomic: Bool? = nil
    ) async throws -> [RecordResult] {
        var body: JSONObject = ["operations": .array(operations.map(RecordOperationJSON.operation))]
        if let zone { body["zoneID"] = ZoneJSON.given(zone) }
        if let isAtomic { body["atomic"] = .bool(isAtomic) }
        return try results(try await self.database(database, "records/modify", .object(body)))
    }

    /// Looks records up by name. Returns one result for each name.
    package func records(
        _ names: [RecordName], in database: DatabaseScope, zone: GivenZone? = nil
    ) async throws -> [RecordResult] {
        var body: JSONObject = ["records": .array(names.map(ReferenceJSON.name))]
        if let zone { body["zoneID"] = ZoneJSON.given(zone) }
        return try results(try await self.database(database, "records/lookup", .object(body)))
    }

    /// Returns a page of query results.
    /// - Parameters:
    ///   - zone: the zone to search; nil is all zones.
    ///   - marker: the marker of the previous page; nil is the start.
    /// - Returns: the records, and the marker of the next page; nil after the last.
    package func query(
        _ query: GivenQuery, sortedBy sorts: [Sort] = [], in database: DatabaseScope, zone: GivenZone? = .default,
        limit: Int? = nil, marker: String? = nil
    ) async throws -> (records: [Record], marker: String?) {
        var body: JSONObject = ["query": QueryJSON.given(query, sortedBy: sorts)]
        if let zone { body["zoneID"] = ZoneJSON.given(zone) } else { body["zoneWide"] = true }
        if let limit { body["resultsLimit"] = .integer(Int64(limit)) }
        if let marker { body["continuationMarker"] = .string(marker) }
        let answer = try await self.database(database, "records/query", .object(body))
        return try read(answer) { json throws(CloudError) in
            (try json.required("records").elements(RecordJSON.read), try json["continuationMarker"]?.string())
        }
    }

    private func results(_ answer: JSONValue) throws -> [RecordResult] {
        try read(answer) { json throws(CloudError) in
            try json.required("records").elements(RecordJSON.readResult)
        }
    }
}
