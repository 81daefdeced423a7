import CPostgreSQL
import Timing

/// The libpq connection of one session. No call blocks: each wait is a `poll` of the socket that ends with the
/// request's time, and each arrival counts against the request's bytes.
final class Wire {
    let handle: OpaquePointer
    /// Flushes that an answer was waited for.
    private(set) var roundTrips = 0
    /// The failure after which nothing can be sent.
    private(set) var loss: PostgreSQLError?
    private let clock = Time.source
    let bytesMaximum: Int
    private let isEncrypted: Bool
    private let notices: NoticeHandler
    private var attempt = ""
    private var arrived = 0
    private var timeout = Duration.zero
    private var end: ContinuousClock.Instant

    /// Takes over an open connection.
    init(_ handle: OpaquePointer, _ notices: NoticeHandler, bytesMaximum: Int) {
        self.handle = handle
        self.notices = notices
        self.bytesMaximum = bytesMaximum
        isEncrypted = PQsslInUse(handle) != 0
        end = clock.now
        PQsetnonblocking(handle, 1)
    }

    deinit {
        PQfinish(handle)
        withExtendedLifetime(notices) {}
    }

    /// Begins a request: its name in errors, and its time.
    func begin(_ attempt: String, within timeout: Duration) throws {
        if let loss { throw loss }
        self.attempt = attempt
        self.timeout = timeout
        renew()
    }

    /// Gives the request its time and its bytes once more, as a part of its answer was taken.
    func renew() {
        end = clock.now + timeout
        arrived = 0
    }

    /// Sends all that is queued, and reads meanwhile: a server that cannot write does not read.
    func flush() throws {
        while true {
            switch PQflush(handle) {
            case 0: return
            // A connection that ended is reported by the reading of the answer, with the server's reason.
            case 1: guard try wait(toWrite: true) else { return }
            default: throw lose()
            }
        }
    }

    /// Counts a round trip: an answer is waited for.
    func beginRoundTrip() { roundTrips += 1 }

    /// The next result, waited for; nil at the end of a statement's results.
    func nextResult() throws -> PostgreSQLRows? {
        while PQisBusy(handle) != 0 {
            guard try wait(toWrite: false) else { break }
        }
        // Does not block: an answer is there, or the connection has ended.
        if let result = PQgetResult(handle) { return PostgreSQLRows(result) }
        if PQstatus(handle) == CONNECTION_BAD { throw lose() }
        return nil
    }

    /// Reads the bytes that came between requests, without waiting. Returns false if the connection has ended.
    func poll() -> Bool {
        arrived = 0
        do {
            while SocketWait.ready(PQsocket(handle), toWrite: false, within: .zero) == true {
                guard loss == nil, try consume(isAnswer: false) else { return false }
                // Passes the server's reason for an end on as a notice.
                _ = PQisBusy(handle)
            }
        } catch {}
        return loss == nil && PQstatus(handle) != CONNECTION_BAD
    }

    /// Waits until the socket can be read, and reads; or until it can be written, if that is waited for.
    /// - Returns: false if the connection has ended.
    func wait(toWrite: Bool) throws -> Bool {
        let left = end - clock.now
        guard left > .zero, let canRead = SocketWait.ready(PQsocket(handle), toWrite: toWrite, within: left) else {
            if PQsocket(handle) < 0 { return false }
            throw lose(.timedOut, "no answer within \(timeout)")
        }
        return canRead ? try consume() : true
    }

    /// Waits for bytes that nothing was sent for, and reads them.
    /// - Returns: false if the connection has ended; nil if the request's time is over, which loses nothing here.
    func waitForArrival() throws -> Bool? {
        let left = end - clock.now
        guard SocketWait.ready(PQsocket(handle), toWrite: false, within: left) != nil else {
            return PQsocket(handle) < 0 ? false : nil
        }
        return try consume(isAnswer: false)
    }

    /// Reads the bytes at the socket.
    ///
    /// A record of TLS can have more bytes than libpq's buffer had room for; OpenSSL keeps them, and the socket does
    /// not show them. So it is read until two calls found nothing at the socket: each takes 8 KiB or more, and a record
    /// has at most 16.
    /// - Parameter isAnswer: whether it ends with an answer that is complete.
    private func consume(isAnswer: Bool = true) throws -> Bool {
        var calm = 0
        while true {
            let count = Int(fanfare_pq_arrived(PQsocket(handle)))
            arrived += count
            guard arrived <= bytesMaximum else {
                throw lose(.answerTooLarge, "the answer has more than \(bytesMaximum) bytes")
            }
            guard PQconsumeInput(handle) == 1 else { return false }
            // An answer is taken before the next reading, which may meet the end of the connection: libpq would report
            // that, and not the server's reason in the answer.
            guard isEncrypted, !isAnswer || PQisBusy(handle) != 0 else { return true }
            calm = count == 0 ? calm + 1 : 0
            if calm == 2 { return true }
        }
    }

    /// Ends the connection.
    /// - Returns: the error to throw, which says why; the first one stays.
    @discardableResult func lose(
        _ kind: PostgreSQLError.Kind = .connectionLost, _ reason: String? = nil
    ) -> PostgreSQLError {
        let words = reason ?? PostgreSQLError.oneLine(String(cString: PQerrorMessage(handle)))
        return lose(PostgreSQLError(kind, words.isEmpty ? "the connection ended" : words, attempt: attempt))
    }

    /// Ends the connection, for a reason that the server gave. A server that is writing an answer notices nothing else,
    /// not even a cancellation.
    @discardableResult func lose(_ error: PostgreSQLError) -> PostgreSQLError {
        if let loss { return loss }
        loss = error
        SocketWait.end(PQsocket(handle))
        return error
    }
}
