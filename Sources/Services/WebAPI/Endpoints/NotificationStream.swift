import CloudModel
import DeviceClient
import HTTPServer
import JSON
import Telemetry

/// Writes a feed as server-sent events for as long as the client listens.
struct NotificationStream: Sendable {
    static let open = Gauge("fanfare_web_api_notification_streams", "Streams of notifications that are open.")

    /// Comments keep proxies from ending a quiet stream; at least one every 15 s is promised.
    private static let heartbeat = Duration.seconds(10)
    /// What may wait for the client before the next notification is written; a larger one waits alone.
    private static let backlogBytes = 128 << 10
    /// For how many heartbeats a client may take nothing of what waits for it.
    private static let patienceHeartbeats = 6

    let reader: FeedReader
    let identity: FeedIdentity
    let feeds: FeedService

    /// Begins to write; the writing ends with the stream.
    func start() -> HTTPResponseStream {
        let stream = HTTPResponseStream(bufferBytesMaximum: Limits.notificationEventBytesMax + 2 * Self.backlogBytes)
        Self.open.add(1)
        let writing = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await write(to: stream) }
                group.addTask { await beat(stream) }
                await group.next()
                group.cancelAll()
            }
            await reader.close()
            stream.finish()
        }
        stream.onClose { _ in
            Self.open.add(-1)
            writing.cancel()
        }
        return stream
    }

    private func write(to stream: HTTPResponseStream) async {
        let encoder = feeds.encoder
        do {
            while true {
                // Little is read ahead of a client that takes nothing.
                let page = try await reader.next(limit: Limits.notificationsPageMax, bytesMax: Self.backlogBytes)
                for item in page.items {
                    await stream.drained(below: Self.backlogBytes)
                    let data = encoder.json(item.notification)
                    guard send("notification", id: feeds.token(item.place, of: identity), data, stream) else { return }
                }
            }
        } catch let error as CloudError {
            send("error", id: nil, .object(ErrorEncoding.item(error, into: [:])), stream)
        } catch is CancellationError {
        } catch {
            Log.warning("stream.failed", ["error": "\(error)"])
            let error = CloudError(.tryAgainLater, "the stream was interrupted; connect again", retryAfterSeconds: 1)
            send("error", id: nil, .object(ErrorEncoding.item(error, into: [:])), stream)
        }
    }

    /// Comments while nothing else is on its way; a client that takes nothing of what is loses its connection.
    private func beat(_ stream: HTTPResponseStream) async {
        var sent = 0
        var standing = 0
        while true {
            let isStanding = stream.bufferedBytes > 0 && stream.sentBytes == sent
            standing = isStanding ? standing + 1 : 0
            sent = stream.sentBytes
            if standing >= Self.patienceHeartbeats { return stream.abandon() }
            if stream.bufferedBytes == 0, !stream.write(Array(": \n\n".utf8)) { return }
            do { try await Task.sleep(for: Self.heartbeat) } catch { return }
        }
    }

    @discardableResult
    private func send(_ event: String, id: String?, _ data: JSONValue, _ stream: HTTPResponseStream) -> Bool {
        var bytes = Array("event: \(event)\n".utf8)
        if let id { bytes += Array("id: \(id)\n".utf8) }
        bytes += Array("data: ".utf8) + ((try? data.serialized()) ?? []) + Array("\n\n".utf8)
        return stream.write(bytes)
    }
}
