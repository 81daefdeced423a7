import HTTPServer
import RecordService

/// Bodies of assets in HTTP: local files are written and sent by the server, others go through the asset store in parts.
enum AssetBodies {
    /// Bytes of one part of a download.
    private static let partBytes = 64 << 10

    /// The place for an upload's body: a file of the asset store's, or memory.
    static func admission(_ storage: AssetStorage, maximumBytes: Int, account: String) -> HTTPAdmission {
        guard let folder = storage.uploadFolder else { return .body(maximumBytes: maximumBytes, account: account) }
        return .file(directory: folder, maximumBytes: maximumBytes, account: account)
    }

    /// An upload's body as the service takes it.
    static func body(of request: HTTPRequest) -> AssetBody {
        switch request.body {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path, _): .file(path: path)
        }
    }

    /// A download as the server sends it.
    static func response(_ download: AssetDownload) -> HTTPResponse.Body {
        switch download {
        case .file(let path): .file(path: path)
        case .parts(let size, let read): .stream(stream(Int(size), read))
        }
    }

    /// Begins to write parts, no faster than the client takes them; the writing ends with the stream.
    private static func stream(
        _ size: Int, _ read: @escaping @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8]?
    ) -> HTTPResponseStream {
        let stream = HTTPResponseStream(bufferBytesMaximum: 2 * partBytes, length: size)
        let writing = Task {
            var offset = 0
            while offset < size {
                let part = try? await read(Int64(offset), min(partBytes, size - offset))
                // The length was said already: the client learns of the failure by the connection's end.
                guard let part, !part.isEmpty else { return stream.abandon() }
                guard stream.write(part) else { return }
                offset += part.count
                await stream.drained(below: partBytes)
            }
            stream.finish()
        }
        stream.onClose { _ in writing.cancel() }
        return stream
    }
}
