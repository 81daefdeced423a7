import CloudJSON
package import CloudModel
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

    /// The bytes of a file at its download URL.
    package func contents(of url: String) async throws -> [UInt8] {
        let stream = try await transport.stream(FanfareRequest(url: url, timeout: .seconds(60)))
        var contents: [UInt8] = []
        for try await bytes in stream { contents += bytes }
        guard stream.status == 200 else { throw FanfareError(status: stream.status, body: contents) }
        return contents
    }
}
