import CloudModel
import DeviceClient
import HTTPServer
import JSON
import RecordService

extension APICall {
    func modifyRecords() async throws -> HTTPResponse {
        let results = try await scope.records.modifyRecords(
            try RecordDecoding.operations(try body()), in: database, for: caller)
        return JSONResponse.make(["records": .array(results.map { RecordEncoding.result($0, fieldJSON) })])
    }

    func lookUpRecords() async throws -> HTTPResponse {
        let results = try await scope.records.lookUpRecords(
            try RecordDecoding.names(try body()), in: database, for: caller)
        return JSONResponse.make(["records": .array(results.map { RecordEncoding.result($0, fieldJSON) })])
    }

    /// Writes fields, assets with an address to download them from.
    var fieldJSON: FieldJSON {
        guard let storage = scope.records.options.assets else { return FieldJSON() }
        let (address, now) = (assetAddress, scope.records.now())
        return FieldJSON(assetURL: { [scope = scope.scope] asset in
            "\(address)/download/\(storage.tokens.download(asset, in: scope, at: now))"
        })
    }
}
