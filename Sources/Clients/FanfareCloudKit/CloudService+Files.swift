import CloudJSON
package import CloudModel
import Foundation
import JSON

extension CloudService {
    /// Requests upload URLs, one for each field.
    package func uploads(
        _ fields: [(record: String, type: String, field: String)], in database: DatabaseScope
    ) async throws -> [String] {
        let tokens = fields.map { field -> JSONValue in
            [
                "recordName": .string(field.record), "recordType": .string(field.type),
                "fieldName": .string(field.field),
            ]
        }
        let answer = try await self.database(database, "assets/upload", ["tokens": .array(tokens)])
        let urls = try read(answer) { json throws(CloudError) in
            try json.required("tokens").elements { token throws(CloudError) in try token.required("url").string() }
        }
        guard urls.count == fields.count else {
            throw FanfareError(status: 200, code: nil, reason: "the answer has \(urls.count) addresses")
        }
        return urls
    }

    /// Uploads a file to an upload URL.
    package func upload(_ bytes: [UInt8], to url: String) async throws -> Asset {
        let answer = try await answer(
            FanfareRequest(method: "POST", url: url, body: bytes, timeout: .seconds(15 * 60)))
        return try read(answer) { json throws(CloudError) in
            let file = try json.required("singleFile")
            return Asset(
                fileChecksum: try file.required("fileChecksum").string(),
                size: try file.required("size").integer(), receipt: try file.required("receipt").string())
        }
    }

    /// The files of a field with receipts for other fields; none if the field has none any more.
    func rereference(_ source: CKAsset.Source) async throws -> [Asset] {
        let field: JSONValue = ["recordName": .string(source.recordID.recordName), "fieldName": .string(source.key)]
        let answer = try await database(
            source.database, "assets/rereference",
            ["assets": [field], "zoneID": ZoneJSON.given(source.recordID.zoneID.given)])
        return try read(answer) { json throws(CloudError) in
            try json.required("assets").elements().filter { ErrorJSON.read($0.value) == nil }.map {
                file throws(CloudError) in
                Asset(
                    fileChecksum: try file.required("fileChecksum").string(),
                    size: try file.required("size").integer(), receipt: try file.required("receipt").string())
            }
        }
    }

    /// The bytes of a file at its download URL.
    package func contents(of url: String) async throws -> [UInt8] {
        let stream = try await transport.stream(FanfareRequest(url: url, timeout: .seconds(60)))
        var contents: [UInt8] = []
        for try await bytes in stream { contents += bytes }
        guard stream.status == 200 else { throw FanfareError(status: stream.status, body: contents) }
        return contents
    }

    /// Downloads a file to a local URL. The file appears there only when it is complete.
    func download(
        _ file: RecordItem.File, to place: URL, progressed: @Sendable (Double) -> Void
    ) async throws {
        let stream = try await transport.stream(FanfareRequest(url: file.url, timeout: .seconds(60)))
        guard stream.status == 200 else {
            throw CKError(.assetNotAvailable, "the file cannot be downloaded: HTTP \(stream.status)")
        }
        let manager = FileManager.default
        try manager.createDirectory(at: place.deletingLastPathComponent(), withIntermediateDirectories: true)
        let part = place.appendingPathExtension(UUID().uuidString)
        guard manager.createFile(atPath: part.path, contents: nil) else {
            throw CKError(.assetNotAvailable, "\(part.path) cannot be written")
        }
        defer { try? manager.removeItem(at: part) }
        let handle = try FileHandle(forWritingTo: part)
        defer { try? handle.close() }
        var count: Int64 = 0
        for try await bytes in stream {
            try handle.write(contentsOf: Data(bytes))
            count += Int64(bytes.count)
            progressed(min(1, Double(count) / Double(max(1, file.asset.size))))
        }
        guard count == file.asset.size else {
            throw CKError(.networkFailure, "the download ended after \(count) of \(file.asset.size) bytes")
        }
        // A concurrent download may have finished first.
        if !manager.fileExists(atPath: place.path) { try manager.moveItem(at: part, to: place) }
    }
}
