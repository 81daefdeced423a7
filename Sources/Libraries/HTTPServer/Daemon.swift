import CMicroHTTPD
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// One worker of a server: a libmicrohttpd daemon of one thread, on which all callbacks of its connections run.
///
/// Sendable because libmicrohttpd takes connections from any thread, and only the stop sequence stops it.
struct Daemon: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let context: Unmanaged<Worker>
    let worker: Worker

    /// Starts the thread. The worker is retained until `stop` returns. Nil when the system or the certificate refuses.
    init?(core: ServerCore, tls: TLSMaterial?) {
        let configuration = core.configuration
        worker = Worker(core: core)
        context = Unmanaged.passRetained(worker)
        var callbacks = microhttpd_callbacks(
            context: context.toOpaque(), answer: answerCallback, completed: completedCallback,
            connection: connectionCallback, request_line: requestLineCallback, log: logCallback)
        var limits = microhttpd_limits(
            // Any worker may have to take them all; the accepting thread counts them.
            connections: UInt32(2 * (configuration.connectionsMaximum + configuration.connectionsReserve)),
            idle_seconds: UInt32(clamping: configuration.timeouts.idle.components.seconds),
            connection_memory_bytes: configuration.memoryPerConnection)
        guard let pointer = microhttpd_start(&callbacks, &limits, tls?.certificate, tls?.key) else {
            context.release()
            return nil
        }
        self.pointer = pointer
    }

    /// Hands over an accepted socket, which is closed if the daemon cannot take it: then this is false.
    func add(_ descriptor: Int32, _ address: UnsafePointer<sockaddr_storage>, _ length: socklen_t) -> Bool {
        worker.assigned.add(1, ordering: .relaxed)
        let isTaken = address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            MHD_add_connection(pointer, descriptor, $0, length)
        }
        if isTaken != .YES { worker.assigned.subtract(1, ordering: .relaxed) }
        return isTaken == .YES
    }

    /// Closes all connections and joins the thread: blocks. No connection may be suspended and none may be added any
    /// more, or the process aborts.
    func stop() {
        MHD_stop_daemon(pointer)
        context.release()
    }

    static func reasonPhrase(_ status: Int) -> String {
        MHD_get_reason_phrase_for(UInt32(clamping: status)).map { String(cString: $0) } ?? "Unknown"
    }
}

/// The context that the callbacks of a daemon receive.
final class Worker: Sendable {
    let core: ServerCore
    /// Connections handed to the daemon and not yet closed.
    let assigned = Atomic(0)

    init(core: ServerCore) { self.core = core }
}

// MARK: Callbacks

private func worker(_ context: UnsafeMutableRawPointer?) -> Worker? {
    context.map { Unmanaged<Worker>.fromOpaque($0).takeUnretainedValue() }
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
    guard let worker = worker(context), let pointer, let slot else { return }
    if code.rawValue == MHD_ConnectionNotificationCode.CONNECTION_NOTIFY_STARTED.rawValue {
        slot.pointee = Unmanaged.passRetained(worker.core.opened(pointer)).toOpaque()
    } else if let stored = slot.pointee {
        slot.pointee = nil
        worker.assigned.subtract(1, ordering: .relaxed)
        worker.core.closed(Unmanaged<Connection>.fromOpaque(stored).takeRetainedValue())
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
        guard let core = worker(context)?.core, let connection = connection(pointer), let method, let version else {
            return .NO
        }
        let intake = Intake(core: core, connection: connection, pointer: pointer)
        let (exchange, isAnswered) = intake.begin(
            line: method, version: version)
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
    guard let core = worker(context)?.core, let format, let arguments else { return }
    var text = [CChar](repeating: 0, count: 512)
    vsnprintf(&text, text.count, format, arguments)
    let message = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    core.log(.debug, String(message.drop { $0 == "\n" }.prefix { $0 != "\n" }))
}
