import CMicroHTTPD
import Glibc

/// The libmicrohttpd daemon of one server. Its callbacks run on its workers, each connection's on one of them.
///
/// Sendable because libmicrohttpd allows adding connections from any thread, and only the stop sequence stops it.
struct Daemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: Unmanaged<ServerCore>
    private let tls: TLSMaterial?

    /// Starts the workers. The core is retained until `stop` returns. Throws `HTTPServerError`.
    init(core: ServerCore) throws(HTTPServerError) {
        let configuration = core.configuration
        tls = try configuration.tls.map { (tls) throws(HTTPServerError) in try TLSMaterial(tls) }
        // It wants a listening socket for its pool. We accept ourselves, as its quiescing may abort the process when a
        // worker is busy (see DESIGN.md); so it listens on one end of a pair whose other end is closed last and silent.
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
            throw HTTPServerError(
                .resources, "Cannot start the HTTP server: \(String(cString: strerror(errno))). Raise ulimit -n.")
        }
        silentEnd = pair[1]
        context = Unmanaged.passRetained(core)
        var callbacks = microhttpd_callbacks(
            context: context.toOpaque(), answer: answerCallback, completed: completedCallback,
            connection: connectionCallback, request_line: requestLineCallback, log: logCallback)
        // The workers get twice what we let in, as it divides the limit among them.
        let connections = 2 * (configuration.connectionsMaximum + configuration.connectionsReserve)
        var limits = microhttpd_limits(
            workers: UInt32(configuration.workers), connections: UInt32(connections),
            idle_seconds: UInt32(clamping: configuration.timeouts.idle.components.seconds),
            connection_memory_bytes: configuration.memoryPerConnection)
        guard let pointer = microhttpd_start(pair[0], &callbacks, &limits, tls?.certificate, tls?.key) else {
            context.release()
            tls?.deallocate()
            close(pair[1])
            throw Self.startError(isEncrypted: configuration.tls != nil)
        }
        self.pointer = pointer
    }

    private let silentEnd: Int32

    /// Hands over an accepted socket, which is closed if the daemon does not want it.
    func add(_ descriptor: Int32, _ address: UnsafePointer<sockaddr_storage>, _ length: socklen_t) {
        address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            _ = MHD_add_connection(pointer, descriptor, $0, length)
        }
    }

    /// Closes all connections and joins the workers: blocks. No connection may be suspended, or the process aborts.
    func stop() {
        MHD_stop_daemon(pointer)
        close(silentEnd)
        tls?.deallocate()
        context.release()
    }

    static func reasonPhrase(_ status: Int) -> String {
        MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? "Unknown"
    }

    private static func startError(isEncrypted: Bool) -> HTTPServerError {
        isEncrypted
            ? HTTPServerError(
                .certificate,
                "Cannot start the HTTPS server: the certificate and the key were read but not accepted. Check that both "
                    + "are PEM, that the key has no password and that it belongs to the first certificate.")
            : HTTPServerError(
                .resources,
                "Cannot start the HTTP server's threads. Check the limits of open files and processes (ulimit -n, -u).")
    }
}

// MARK: Callbacks

private func core(_ context: UnsafeMutableRawPointer?) -> ServerCore? {
    context.map { Unmanaged<ServerCore>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(_ pointer: OpaquePointer?) -> Connection? {
    guard let pointer, let context = microhttpd_socket_context(pointer) else { return nil }
    return Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
}

/// A connection was accepted, or is about to be closed.
private func connectionCallback(
    context: UnsafeMutableRawPointer?, pointer: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_ConnectionNotificationCode
) {
    guard let core = core(context), let pointer, let slot else { return }
    if code.rawValue == MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_STARTED.rawValue {
        slot.pointee = Unmanaged.passRetained(core.opened(pointer)).toOpaque()
    } else if let stored = slot.pointee {
        slot.pointee = nil
        core.closed(Unmanaged<Connection>.fromOpaque(stored).takeRetainedValue())
    }
}

/// The request line is there; the target has not been cut at its query yet. What this returns is the request's context.
private func requestLineCallback(
    context: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, pointer: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    if let target { connection(pointer)?.requestLine(String(cString: target)) }
    return nil
}

/// Called with the head, then with each part of the body, then when all is there, and again after each resumption.
private func answerCallback(
    context: UnsafeMutableRawPointer?, pointer: OpaquePointer?, url: UnsafePointer<CChar>?,
    method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, upload: UnsafePointer<CChar>?,
    uploadSize: UnsafeMutablePointer<Int>?, slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let pointer, let uploadSize, let slot else { return .NO }
    guard let stored = slot.pointee else {
        guard let core = core(context), let connection = connection(pointer), let method, let version else {
            return .NO
        }
        let intake = Intake(core: core, connection: connection, pointer: pointer)
        let (exchange, isAnswered) = intake.begin(
            method: String(cString: method), isHTTP10: strcmp(version, "HTTP/1.0") == 0)
        guard let exchange else { return .NO }
        slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
        return isAnswered ? exchange.turn(pointer) : .YES
    }
    let exchange = Unmanaged<Exchange>.fromOpaque(stored).takeUnretainedValue()
    guard uploadSize.pointee > 0 else { return exchange.turn(pointer) }
    let bytes = UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee)
    uploadSize.pointee = 0
    return exchange.receive(bytes) ? .YES : .NO
}

/// The request is over, answered or not.
private func completedCallback(
    context: UnsafeMutableRawPointer?, pointer: OpaquePointer?,
    slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, code: MHD_RequestTerminationCode
) {
    guard let slot, let stored = slot.pointee else { return }
    slot.pointee = nil
    Unmanaged<Exchange>.fromOpaque(stored).takeRetainedValue().ended()
}

private func logCallback(context: UnsafeMutableRawPointer?, format: UnsafePointer<CChar>?, arguments: CVaListPointer?) {
    guard let core = core(context), let format, let arguments else { return }
    var text = [CChar](repeating: 0, count: 512)
    vsnprintf(&text, text.count, format, arguments)
    let message = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    core.log(.debug, String(message.drop { $0 == "\n" }.prefix { $0 != "\n" }))
}
