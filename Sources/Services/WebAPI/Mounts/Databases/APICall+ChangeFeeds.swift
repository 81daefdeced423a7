import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func databaseChanges() async throws -> HTTPResponse { try await databaseChanges(.changes, token: "syncToken") }

    /// The older form of `changes/database`.
    func metaChanges() async throws -> HTTPResponse {
        guard database != .shared else {
            throw CloudError.badRequest("zones/changes is of the private database; use changes/database")
        }
        return try await databaseChanges(.metaChanges, token: "metaSyncToken")
    }

    private func databaseChanges(_ feed: RecordService.DatabaseFeed, token name: String) async throws -> HTTPResponse {
        let body = try body()
        let page = try await scope.records.databaseChanges(
            since: try body[name]?.string(), limit: try FeedDecoding.limit(body) ?? Limits.feedPageMax, feed: feed,
            in: database, for: caller)
        return JSONResponse.make([
            "zones": .array(page.zones.map(ZoneEncoding.zone)), name: .string(page.syncToken),
            "moreComing": .bool(page.moreComing),
        ])
    }

    func zoneChanges() async throws -> HTTPResponse {
        let body = try body()
        var requests: [ZoneFeedRequest] = []
        var encodings: [RecordEncoding] = []
        let zones = try body.required("zones").elements()
        try scope.records.checkCount(zones.count)
        for zone in zones {
            requests.append(try FeedDecoding.request(try zone.object(), defaults: body))
            encodings.append(
                try FeedDecoding.encoding(
                    zone, defaults: body, viewer: caller.user, seals: scope.records.seals, assetURL: assetURL))
        }
        let results = try await scope.records.zoneChanges(requests, in: database, for: caller)
        let people = try await scope.records.people(of: results.flatMap(\.records), for: caller.user)
        return JSONResponse.written { writer in
            writer.beginObject()
            writer.array("zones", zip(results, encodings)) { item, writer in
                switch item.0 {
                case .page(let page):
                    var encoding = item.1
                    encoding.people = people
                    FeedEncoding.write(page, namesZone: true, encoding, to: &writer)
                case .failed(let zone, let error): writer.ownValue(ZoneEncoding.failure(zone, error))
                }
            }
            writer.endObject()
        }
    }

    /// The older form of `changes/zone`, for one zone.
    func recordChanges() async throws -> HTTPResponse {
        let body = try body()
        _ = try body.required("zoneID")
        let request = try FeedDecoding.request(body, defaults: body)
        var encoding = try recordEncoding(body)
        let result = try await scope.records.zoneChanges([request], in: database, for: caller)[0]
        encoding.people = try await scope.records.people(of: result.records, for: caller.user)
        switch result {
        case .page(let page):
            return JSONResponse.written { [encoding] in FeedEncoding.write(page, encoding, to: &$0) }
        case .failed(_, let error): throw error
        }
    }
}
