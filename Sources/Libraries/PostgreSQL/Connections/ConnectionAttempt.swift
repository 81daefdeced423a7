import CPostgreSQL
import Timing

/// Opens a connection: host after host, each within its time.
///
/// libpq would go through the hosts by itself, but has no time for each of them in the calls that do not block; the
/// calls that block print notices of the beginning to standard error.
struct ConnectionAttempt {
    private let configuration: PostgreSQLConfiguration
    private let address: ServerAddress
    private let notices: NoticeHandler

    init(_ configuration: PostgreSQLConfiguration, _ notices: NoticeHandler) throws {
        self.configuration = configuration
        self.notices = notices
        address = try ServerAddress(configuration.address)
    }

    /// Returns the first connection that is made and is as the target demands.
    /// - Throws: the error of the last host.
    func open() throws -> OpaquePointer {
        let target = configuration.target ?? address.target
        // Of one host libpq would take a primary at once.
        let passes = target == "prefer-standby" ? ["standby", "any"] : [target]
        var failure: PostgreSQLError?
        for pass in passes {
            for host in address.hosts {
                do { return try connect(to: host, target: pass) } catch let error as PostgreSQLError { failure = error }
            }
        }
        throw failure ?? PostgreSQLError(.unreachable, "no host", attempt: "connect")
    }

    private func connect(to host: ServerAddress.Host, target: String?) throws -> OpaquePointer {
        let attempt = "connect to \(host.hostAddress ?? host.host ?? "the default host"):\(host.port ?? "5432")"
        let parameters = parameters(host, target)
        guard let handle = Self.start(parameters) else {
            throw PostgreSQLError(.unreachable, "no memory", attempt: attempt)
        }
        do {
            notices.attach(to: handle)
            // The server's code is nowhere else than in this form of the message.
            PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
            try finish(handle, attempt)
            PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
            return handle
        } catch {
            PQfinish(handle)
            throw error
        }
    }

    private func finish(_ handle: OpaquePointer, _ attempt: String) throws {
        guard PQstatus(handle) != CONNECTION_BAD else { throw Self.failure(handle, attempt) }
        let clock = Time.source
        let limit = address.connectSeconds.map { Duration.seconds($0) } ?? configuration.connectTimeout
        let end = clock.now + limit
        var toWrite = true
        var arrived = 0
        while true {
            // The socket of another address of the host may be another one.
            let socket = PQsocket(handle)
            let left = end - clock.now
            guard left > .zero, SocketWait.ready(socket, toWrite: toWrite, within: left) != nil else {
                throw PostgreSQLError(.unreachable, "no connection within \(limit)", attempt: attempt)
            }
            arrived += Int(fanfare_pq_arrived(socket))
            guard arrived <= Self.greetingBytesMaximum else {
                throw PostgreSQLError(.answerTooLarge, "the server's greeting does not end", attempt: attempt)
            }
            switch PQconnectPoll(handle) {
            case PGRES_POLLING_OK: return
            case PGRES_POLLING_WRITING: toWrite = true
            case PGRES_POLLING_READING: toWrite = false
            default: throw Self.failure(handle, attempt)
            }
        }
    }

    /// The most bytes until a connection is ready.
    private static let greetingBytesMaximum = 1 << 20

    /// Of two values for a keyword the later one counts; the address is spread where `dbname` is.
    private func parameters(_ host: ServerAddress.Host, _ target: String?) -> [(String, String)] {
        let silence = max(1, Int(configuration.silenceTimeout.components.seconds))
        var parameters = [
            // Tickets of Kerberos would be fetched from a third server, without a limit of time.
            ("gssencmode", "disable"), ("fallback_application_name", configuration.applicationName),
            ("keepalives_idle", "\(silence)"), ("keepalives_interval", "\(max(1, silence / 3))"),
            ("keepalives_count", "3"), ("tcp_user_timeout", "\(silence * 1000)"),
            ("dbname", configuration.address), ("client_encoding", "UTF8"),
        ]
        if let name = host.host { parameters.append(("host", name)) }
        if let name = host.hostAddress { parameters.append(("hostaddr", name)) }
        if let port = host.port { parameters.append(("port", port)) }
        if let target { parameters.append(("target_session_attrs", target)) }
        if case .verified(let root) = configuration.transport {
            parameters.append(("sslmode", "verify-full"))
            if let root { parameters.append(("sslrootcert", root)) }
        }
        return parameters
    }

    private static func start(_ parameters: [(String, String)]) -> OpaquePointer? {
        let words = parameters.flatMap { [$0.0, $0.1] }
        return withCStrings(words[...], []) { words in
            var keywords = words.indices.filter { $0 % 2 == 0 }.map { words[$0] as UnsafePointer<CChar>? }
            var values = words.indices.filter { $0 % 2 == 1 }.map { words[$0] as UnsafePointer<CChar>? }
            keywords.append(nil)
            values.append(nil)
            return PQconnectStartParams(keywords, values, 1)
        }
    }

    private static func withCStrings<Result>(
        _ texts: ArraySlice<String>, _ pointers: [UnsafePointer<CChar>],
        _ body: ([UnsafePointer<CChar>]) -> Result
    ) -> Result {
        guard let first = texts.first else { return body(pointers) }
        return first.withCString { withCStrings(texts.dropFirst(), pointers + [$0], body) }
    }

    /// The failure of an opening. libpq has the server's code only in the text, as `FATAL:  28P01: …`, the severity in
    /// the server's language.
    private static func failure(_ handle: OpaquePointer, _ attempt: String) -> PostgreSQLError {
        let text = String(cString: PQerrorMessage(handle))
        let message = PostgreSQLError.oneLine(text)
        guard let code = text.matches(of: #/:  ([0-9A-Z]{5}): /#).last.map({ String($0.output.1) }) else {
            return PostgreSQLError(.unreachable, message, attempt: attempt)
        }
        let kind = PostgreSQLError.kind(of: code)
        return PostgreSQLError(
            kind == .other || kind == .connectionLost ? .unreachable : kind, message, sqlstate: code, attempt: attempt)
    }
}
