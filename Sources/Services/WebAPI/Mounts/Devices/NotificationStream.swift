import CloudJSON
import CloudModel
import Feeds
import HTTPServer
import Identity
import JSON
import RecordService
import Telemetry
import Timing

/// Writes a feed as server-sent events for as long as the client listens.
struct NotificationStream: Sendable {
    static let open = Gauge("fanfare_web_api_notification_streams", "Streams of notifications that are open.")

    /// Comments keep proxies from ending a quiet stream; at least one every 15 s is promised.
    private static let heartbeat = Duration.seconds(10)
    /// Bytes that may wait for the client before the next notification is written; a larger one waits alone.
    private static let backlogBytes = 64 << 10
    /// Bytes of notifications that are read at once: those that are not written yet are held as long as the client takes
    /// nothing.
    private static let pageBytes = 32 << 10
    /// The time for which entries that were read ahead are held for a client that takes nothing.
    private static let aheadPatience = Duration.seconds(1)
    /// Bytes that are handed on together, where so many are there: each hand-over wakes the client's connection.
    private static let blockBytes = 32 << 10
    /// The heartbeats for which a client may read nothing of the waiting bytes.
    private static let patienceHeartbeats = 6

    let reader: FeedReader
    let identity: FeedIdentity
    let feeds: FeedService
    let scope: APIScope
    /// The session that the stream ends with.
    let session: UserSession?
    /// Throws when the credentials that it was opened with are good no longer.
    let recheck: @Sendable () async throws -> Void
    let wantsPayloads: Bool

    /// Begins to write; the writing ends with the stream.
    func start() -> HTTPResponseStream {
        let stream = HTTPResponseStream(bufferBytesMaximum: Limits.notificationEventBytesMax + 2 * Self.backlogBytes)
        Self.open.add(1)
        let writing = Task {
            await withTaskGroup(of: CloudError?.self) { group in
                group.addTask { await write(to: stream) }
                group.addTask { await beat(stream) }
                if let session { group.addTask { await end(of: session) } }
                // What ends first says why.
                if let error = await group.next() ?? nil {
                    send(error, stream)
                }
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

    /// Writes notifications; returns the reason of the end, for the client.
    private func write(to stream: HTTPResponseStream) async -> CloudError? {
        let encoder = scope.encoder(withPayloads: wantsPayloads)
        do {
            while true {
                // Little is read ahead of a client that takes nothing: it may have hundreds of streams.
                await waitForClient(of: stream)
                let page = try await reader.next(
                    limit: Limits.notificationsPageMax, bytesMax: Self.pageBytes, isEager: true)
                var block: [UInt8] = []
                for (number, item) in page.items.enumerated() {
                    write(item, encoder, to: &block)
                    guard block.count >= Self.blockBytes || number == page.items.count - 1 else { continue }
                    await waitForClient(of: stream)
                    guard stream.write(block) else { return nil }
                    block.removeAll(keepingCapacity: true)
                }
            }
        } catch let error as CloudError {
            return await reason(for: error)
        } catch is CancellationError {
            return nil
        } catch {
            Log.warning("stream.failed", ["error": "\(error)"])
            return CloudError(.tryAgainLater, "the stream was interrupted; connect again", retryAfterSeconds: 1)
        }
    }

    /// Waits until the client has taken enough; the reader holds nothing meanwhile if that takes long.
    private func waitForClient(of stream: HTTPResponseStream) async {
        guard stream.bufferedBytes >= Self.backlogBytes else { return }
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await stream.drained(below: Self.backlogBytes)
                return true
            }
            group.addTask {
                try? await Time.sleep(for: Self.aheadPatience)
                return false
            }
            if await group.next() == false {
                await reader.letGo()
                _ = await group.next()
            }
            group.cancelAll()
        }
    }

    /// The end of the sign-in where that is why the feed could not be read: a user who is removed loses the device as
    /// well.
    private func reason(for error: CloudError) async -> CloudError {
        guard let session else { return error }
        do {
            try await scope.identity.check(session)
            try await recheck()
            return error
        } catch let end {
            return end as? CloudError ?? error
        }
    }

    /// Returns when the user's sign-in is over.
    private func end(of session: UserSession) async -> CloudError? {
        do {
            try await scope.identity.untilOver(
                session, end: scope.webAuthTokens.end(of: session), recheck: recheck)
        } catch {
            return error as? CloudError
        }
    }

    /// Sends comments while there is nothing else; a client that reads none of the waiting bytes loses its connection.
    private func beat(_ stream: HTTPResponseStream) async -> CloudError? {
        var sent = 0
        var standing = 0
        while true {
            let isStanding = stream.bufferedBytes > 0 && stream.sentBytes == sent
            standing = isStanding ? standing + 1 : 0
            sent = stream.sentBytes
            if standing >= Self.patienceHeartbeats {
                stream.abandon()
                return nil
            }
            if stream.bufferedBytes == 0, !stream.write(Array(": \n\n".utf8)) { return nil }
            do { try await Time.sleep(for: Self.heartbeat) } catch { return nil }
        }
    }

    /// Appends the event of a notification.
    private func write(_ item: FeedPage.Item, _ encoder: NotificationJSON, to block: inout [UInt8]) {
        block += "event: notification\nid: ".utf8
        block += feeds.token(item.place, of: identity).utf8
        block += "\ndata: ".utf8
        var writer = JSONWriter(after: exchange(&block, with: []))
        encoder.write(item.notification, to: &writer)
        block = writer.takeBytes()
        block += "\n\n".utf8
    }

    private func send(_ error: CloudError, _ stream: HTTPResponseStream) {
        let data = (try? JSONValue.object(ErrorEncoding.item(error, into: [:])).serialized()) ?? []
        stream.write(Array("event: error\ndata: ".utf8) + data + Array("\n\n".utf8))
    }
}
