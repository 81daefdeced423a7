import HTTPServer
import RecordService
import Telemetry

/// Bodies of assets in HTTP: local files are written and sent by the server, others go through the asset store in
/// parts.
enum AssetBodies {
    /// Bytes of one part of a download: a request to an object store each, of which two are in memory.
    private static let partBytes = 256 << 10

    /// The place for an upload's body: a file of the asset store's, or memory.
    static func admission(
        _ storage: AssetStorage, maximumBytes: Int, account: String, form: FormPart?
    ) -> HTTPAdmission {
        guard let folder = storage.uploadFolder else {
            return .body(maximumBytes: maximumBytes, account: account, form: form)
        }
        return .file(directory: folder, maximumBytes: maximumBytes, account: account, form: form)
    }

    /// An upload's body as the service takes it.
    static func body(of request: HTTPRequest) -> AssetBody {
        switch request.body {
        case .bytes(let bytes): .bytes(bytes)
        case .file(let path, _): .file(path: path)
        }
    }

    /// A part of a download as the server sends it.
    static func response(_ download: AssetDownload, offset: Int64, count: Int64) -> HTTPResponse.Body {
        switch download {
        case .file(let path): .file(path: path, offset: Int(offset), length: Int(count))
        case .parts(let read): .stream(stream(from: Int(offset), Int(count), read))
        }
    }

    /// Begins to write parts, no faster than the client takes them; the writing ends with the stream.
    private static func stream(
        from start: Int, _ count: Int,
        _ read: @escaping @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8]?
    ) -> HTTPResponseStream {
        let stream = HTTPResponseStream(bufferBytesMaximum: 2 * partBytes, length: count)
        let writing = Task {
            var offset = start
            while offset < start + count {
                guard let part = await part(from: offset, min(partBytes, start + count - offset), read) else {
                    // The length was sent already: the client notices the failure by the connection's end.
                    return stream.abandon()
                }
                guard stream.write(part) else { return }
                offset += part.count
                await stream.drained(below: partBytes)
            }
            stream.finish()
        }
        stream.onClose { _ in writing.cancel() }
        return stream
    }

    /// A part that is not empty; nil when it cannot be had, which is logged.
    private static func part(
        from offset: Int, _ count: Int, _ read: (_ offset: Int64, _ count: Int) async throws -> [UInt8]?
    ) async -> [UInt8]? {
        do {
            if let part = try await read(Int64(offset), count), !part.isEmpty { return part }
            Log.warning("asset.download.failed", ["error": "the file was removed while it was sent"])
        } catch is CancellationError {
            // The client is gone.
        } catch {
            Log.warning("asset.download.failed", ["error": "\(error)"])
        }
        return nil
    }
}
