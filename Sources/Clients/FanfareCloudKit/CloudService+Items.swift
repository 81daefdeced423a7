import CloudJSON
import CloudModel
import JSON

/// A record result with the download URLs of its files, which `RecordResult` does not have.
struct RecordItem: Sendable {
    /// A file of a record and its download URL.
    struct File: Sendable {
        var asset: Asset
        var url: String
    }

    var result: RecordResult
    var files: [File] = []

    /// The record.
    /// - Throws: the error of the item; `unknownItem` for a deleted record.
    func record() throws(CKError) -> Record {
        switch result {
        case .record(let record): return record
        case .deleted(let name): throw CKError(.unknownItem, "the record '\(name)' is deleted")
        case .failed(_, let error): throw CKError(FanfareError(error), ofItem: true)
        }
    }

    /// The ID of the record.
    /// - Parameter zone: the zone of an item that does not say its own; nil is the default zone.
    /// - Throws: the error of an item without a name.
    func id(in zone: CKRecordZone.ID?, _ reader: RecordReader) throws(CKError) -> CKRecord.ID {
        switch result {
        case .record(let noun): return CKRecord.ID(noun.name, in: zone ?? reader.zoneID(noun.zone))
        case .deleted(let name), .failed(let name?, _): return CKRecord.ID(name, in: zone ?? .default)
        case .failed(nil, let error): throw CKError(FanfareError(error), ofItem: true)
        }
    }

    static func read(_ json: JSONPath) throws(CloudError) -> RecordItem {
        var item = RecordItem(result: try RecordJSON.readResult(json))
        guard case .record(let record) = item.result, let fields = json.value["fields"] else { return item }
        for entry in record.fields.entries {
            let assets = entry.value.assets
            guard !assets.isEmpty, let value = fields[entry.name.rawValue]?["value"] else { continue }
            for (asset, json) in zip(assets, value.array ?? [value]) {
                if let url = json["downloadURL"]?.string { item.files.append(File(asset: asset, url: url)) }
            }
        }
        return item
    }
}

extension CloudService {
    /// Applies operations to records. Returns one item for each operation.
    func modifyItems(
        _ operations: [RecordOperation], in database: DatabaseScope, zone: GivenZone, isAtomic: Bool
    ) async throws -> [RecordItem] {
        var body: JSONObject = [
            "operations": .array(operations.map(RecordOperationJSON.operation)), "zoneID": ZoneJSON.given(zone),
            "atomic": .bool(isAtomic),
        ]
        if operations.count > Limits.operationsMax { body["limits"] = "framework" }
        return try items(try await self.database(database, "records/modify", .object(body)), count: operations.count)
    }

    /// Looks records up by name. Returns one item for each name.
    func lookUpItems(
        _ names: [RecordName], in database: DatabaseScope, zone: GivenZone, desiredKeys: [String]? = nil
    ) async throws -> [RecordItem] {
        var body: JSONObject = [
            "records": .array(names.map(ReferenceJSON.name)), "zoneID": ZoneJSON.given(zone),
        ]
        if let desiredKeys { body["desiredKeys"] = .array(desiredKeys.map { .string($0) }) }
        return try items(try await self.database(database, "records/lookup", .object(body)), count: names.count)
    }

    /// Returns a page of query results, the marker of the next page, nil after the last, and of the first page the token
    /// of the state that it shows.
    func queryItems(
        _ query: JSONValue, in database: DatabaseScope, zone: GivenZone?, desiredKeys: [String]?, limit: Int,
        marker: String?
    ) async throws -> (items: [RecordItem], marker: String?, token: String?) {
        var body: JSONObject = ["query": query]
        if let zone { body["zoneID"] = ZoneJSON.given(zone) } else { body["zoneWide"] = true }
        if let desiredKeys { body["desiredKeys"] = .array(desiredKeys.map { .string($0) }) }
        if limit > 0 { body["resultsLimit"] = .integer(Int64(limit)) }
        if let marker { body["continuationMarker"] = .string(marker) }
        let answer = try await self.database(database, "records/query", .object(body))
        return try read(answer) { json throws(CloudError) in
            (
                try json.required("records").elements(RecordItem.read), try json["continuationMarker"]?.string(),
                try json["syncToken"]?.string()
            )
        }
    }

    private func items(_ answer: JSONValue, count: Int) throws -> [RecordItem] {
        let items = try read(answer) { json throws(CloudError) in
            try json.required("records").elements(RecordItem.read)
        }
        guard items.count == count else {
            throw FanfareError(
                status: 200, code: nil, reason: "the answer has \(items.count) records for \(count) in the request")
        }
        return items
    }
}
