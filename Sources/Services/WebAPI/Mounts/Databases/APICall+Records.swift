import CloudJSON
import CloudModel
import Feeds
import HTTPServer
import JSON
import RecordService

extension APICall {
    /// Bytes of the records that a request of several operations names. One alone is small.
    func bytesToModify() async throws -> Int {
        let operations = parsedBody?["operations"]?.array ?? []
        guard operations.count > 1, operations.count <= Limits.frameworkOperationsMax else { return 0 }
        // Names that are none are refused later; here they have no record.
        let names = operations.compactMap { $0["record"]?["recordName"]?.string.map(RecordName.init(trusted:)) }
        guard let zone = try? requestZone(try body()).zone else { return 0 }
        return try await scope.records.bodyBytes(names, in: database, zone: zone, for: caller)
    }

    func modifyRecords() async throws -> HTTPResponse {
        let body = try body()
        let encoding = try recordEncoding(body)
        let items = try body.required("operations").elements()
        var desiredKeys: [Set<FieldName>?] = []
        for item in items { desiredKeys.append(try RecordDecoding.desiredKeys(item)) }
        let zone = try requestZone(body)
        let results = try await scope.records.modifyRecords(
            try RecordDecoding.operations(body, in: zone), in: database, zone: zone.zone,
            isAtomic: try body["atomic"]?.bool() ?? true,
            isFramework: try RecordDecoding.isFramework(body), for: caller)
        return try await answer(results, desiredKeys, encoding)
    }

    private func answer(
        _ results: [RecordResult], _ desiredKeys: [Set<FieldName>?], _ encoding: RecordEncoding
    ) async throws -> HTTPResponse {
        var encoding = encoding
        encoding.people = try await scope.records.people(
            of: results.compactMap { if case .record(let record) = $0 { record } else { nil } }, for: caller.user)
        return JSONResponse.written { [encoding] writer in
            writer.beginObject()
            writer.array("records", zip(results, desiredKeys)) { encoding.write($0.0, desiredKeys: $0.1, to: &$1) }
            writer.endObject()
        }
    }

    func lookUpRecords() async throws -> HTTPResponse {
        let body = try body()
        let encoding = try recordEncoding(body)
        let zone = try requestZone(body)
        let names = try RecordDecoding.names(body, in: zone)
        var desiredKeys: [Set<FieldName>?] = []
        for item in try body.required("records").elements() {
            desiredKeys.append(try RecordDecoding.desiredKeys(item))
        }
        let results = try await scope.records.lookUpRecords(
            names, in: database, zone: zone.zone, valueBytesMax: try RecordDecoding.valueBytesMax(body), for: caller)
        return try await answer(results, desiredKeys, encoding)
    }
}
