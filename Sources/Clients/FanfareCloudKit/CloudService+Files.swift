import CloudCalls
import CloudJSON
import CloudModel
import Foundation
import JSON

extension CloudService {
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
