import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    /// The beginning of the addresses of assets.
    var assetAddress: String {
        "\(publicURL)/assets/1/\(scope.scope.container)/\(scope.scope.environment)"
    }

    /// The address at which the client reaches the service.
    var publicURL: String { scope.url(asSeenBy: request.head) }

    /// Returns the encoding of records that a body wants, assets with an address to download them from.
    func recordEncoding(_ body: JSONPath) throws(CloudError) -> RecordEncoding {
        var encoding = try RecordEncoding(body, seals: scope.records.seals, assetURL: assetURL)
        encoding.viewer = caller.user
        return encoding
    }

    /// Gives an address to download an asset from for some time; nil where assets are not kept.
    var assetURL: (@Sendable (Asset) -> String)? {
        guard let storage = scope.records.assets else { return nil }
        return { [address = assetAddress, now = scope.records.now(), scope = scope.scope] asset in
            "\(address)/download/\(storage.tokens.download(asset, in: scope, at: now))"
        }
    }

    func makeAssetUploads() async throws -> HTTPResponse {
        let storage = try scope.records.assetStorage()
        let user = try caller.signedIn(to: "uploading assets")
        let body = try body()
        let tokens = try body.required("tokens").elements()
        guard (1...Limits.assetTokensMax).contains(tokens.count) else {
            let reason = "tokens takes 1 to \(Limits.assetTokensMax) fields, not \(tokens.count)"
            throw tokens.isEmpty
                ? .badRequest(reason)
                : CloudError.exceeded(ExceededLimit("assetTokensMax", Limits.assetTokensMax), reason)
        }
        if let zone = try body.member("zoneID", ZoneJSON.readGiven) {
            try await scope.records.checkZone(zone, in: database, for: caller)
        }
        let now = scope.records.now()
        let uploads = try tokens.map { token throws(CloudError) -> JSONValue in
            let field = AssetField(
                type: try token.object().required("recordType").identifier(),
                name: try token.required("fieldName").identifier())
            let name: RecordName =
                try token["recordName"].map { name throws(CloudError) in try name.identifier() }
                ?? RecordService.makeRecordName()
            let upload = AssetUpload(user: user, database: database, field: field)
            let sealed = storage.tokens.upload(upload, in: scope.scope, at: now)
            return [
                "recordName": .string(name.rawValue), "fieldName": .string(field.name.rawValue),
                "url": .string("\(assetAddress)/upload/\(sealed)"),
            ]
        }
        return JSONResponse.make(["tokens": .array(uploads)])
    }

    func rereferenceAssets() async throws -> HTTPResponse {
        let body = try body()
        let zone = try ZoneDecoding.requestZone(body)
        var fields: [(record: RecordName, field: FieldName)] = []
        for item in try body.required("assets").elements() {
            fields.append(
                (try item.object().required("recordName").identifier(), try item.required("fieldName").identifier()))
        }
        let found = try await scope.records.rereferenceAssets(fields, in: database, zone: zone, for: caller)
        let assets = zip(fields, found).flatMap { field, result -> [JSONValue] in
            switch result {
            case .success(let assets): return assets.map(AssetJSON.uploaded)
            case .failure(let error):
                let item: JSONObject = [
                    "recordName": .string(field.record.rawValue), "fieldName": .string(field.field.rawValue),
                ]
                return [.object(ErrorEncoding.item(error, into: item))]
            }
        }
        return JSONResponse.make(["assets": .array(assets)])
    }
}
