import Foundation
import Synchronization
import TestSupport

/// A TCP client that sends exactly the given bytes. Blocking calls run on threads of their own.
final class RawConnection: Sendable {
    struct Response: Sendable {
        var status: Int
        var headers: [(name: String, value: String)]
        var body: [UInt8]

        var text: String { String(decoding: body, as: UTF8.self) }
        subscript(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
    }

    enum Failure: Error {
        case system(String, Int32)
        case ended(afterBytes: Int)
        case deadline
        case malformed(String)
    }

    private let descriptor: Int32
    private let received = Mutex<[UInt8]>([])
    private let isOpen = Mutex(true)

    /// - Parameter source: the last byte of the address of 127.0.0.0/24 that it comes from.
    init(port: Int, receiveBuffer: Int32? = nil, source: UInt32 = 1) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        if source != 1 {
            address.sin_addr.s_addr = UInt32(0x7F00_0000 + source).bigEndian
            _ = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 { throw Failure.system("connect", errno) }
    }

    deinit { close() }

    func close() {
        isOpen.withLock { isOpen in
            if isOpen { Foundation.close(descriptor) }
            isOpen = false
        }
    }

    /// Closes so that the other end sees a reset.
    func reset() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Sends what the work sends in one piece at its end (`TCP_CORK`), with the end of sending.
    func hold(_ work: () throws -> Void) rethrows {
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CORK, &one, socklen_t(MemoryLayout<Int32>.size))
        try work()
    }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    /// Small things only: it would block on what the other end does not read.
    func send(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure.system("send", errno) }
            rest = rest.dropFirst(count)
        }
    }

    /// One answer, framed by its length, its chunks, or the end of the connection.
    func response(isHead: Bool = false) async throws -> Response {
        try await onThread { [self] in try readResponse(isHead: isHead, until: .now + hangGuard) }
    }

    /// Everything until the other end closes.
    func rest() async throws -> [UInt8] {
        try await onThread { [self] in
            let deadline = ContinuousClock.now + hangGuard
            do {
                while true { try receive(until: deadline) }
            } catch Failure.ended {
                return received.withLock { bytes in
                    defer { bytes = [] }
                    return bytes
                }
            }
        }
    }

    /// Bytes up to and including a text.
    func read(through mark: String, within limit: Duration = hangGuard) async throws -> String {
        try await onThread { [self] in
            String(decoding: try take(through: Array(mark.utf8), until: .now + limit), as: UTF8.self)
        }
    }

    /// Sends one byte each time `pace` passes in which the other end says nothing. Returns when it ends the connection.
    func dribble(_ text: String, pace: Duration) async throws -> String {
        try await onThread { [self] in
            let deadline = ContinuousClock.now + hangGuard
            var bytes = Array(text.utf8)[...]
            while true {
                do {
                    try receive(until: .now + pace)
                } catch Failure.deadline {
                    guard ContinuousClock.now < deadline else { throw Failure.deadline }
                    if let byte = bytes.popFirst() { try? send([byte]) }
                } catch {
                    return String(decoding: received.withLock { $0 }, as: UTF8.self)
                }
            }
        }
    }
}

// MARK: Blocking

extension RawConnection {
    private func readResponse(isHead: Bool, until deadline: ContinuousClock.Instant) throws -> Response {
        let head = String(decoding: try take(through: Array("\r\n\r\n".utf8), until: deadline), as: UTF8.self)
        var lines = head.components(separatedBy: "\r\n")
        let parts = lines.removeFirst().split(separator: " ")
        guard parts.count >= 2, let status = Int(parts[1]) else { throw Failure.malformed(head) }
        let headers = lines.filter { !$0.isEmpty }.map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            return (String(line[..<colon]), line[colon...].dropFirst().trimmingCharacters(in: .whitespaces))
        }
        var response = Response(status: status, headers: headers, body: [])
        if isHead || status < 200 || status == 204 || status == 304 { return response }
        if let length = response["content-length"].flatMap({ Int($0) }) {
            response.body = try take(count: length, until: deadline)
        } else if response["transfer-encoding"] == "chunked" {
            response.body = try takeChunks(until: deadline)
        } else {
            throw Failure.malformed("no length in \(head)")
        }
        return response
    }

    private func takeChunks(until deadline: ContinuousClock.Instant) throws -> [UInt8] {
        var body: [UInt8] = []
        while true {
            let line = String(decoding: try take(through: [13, 10], until: deadline).dropLast(2), as: UTF8.self)
            guard let count = Int(line, radix: 16) else { throw Failure.malformed("chunk size \(line)") }
            body += try take(count: count, until: deadline)
            _ = try take(through: [13, 10], until: deadline)
            if count == 0 { return body }
        }
    }

    private func take(through mark: [UInt8], until deadline: ContinuousClock.Instant) throws -> [UInt8] {
        while true {
            let found: [UInt8]? = received.withLock { bytes in
                guard let range = bytes.firstRange(of: mark) else { return nil }
                defer { bytes.removeFirst(range.upperBound) }
                return Array(bytes[..<range.upperBound])
            }
            if let found { return found }
            try receive(until: deadline)
        }
    }

    private func take(count: Int, until deadline: ContinuousClock.Instant) throws -> [UInt8] {
        while received.withLock({ $0.count }) < count { try receive(until: deadline) }
        return received.withLock { bytes in
            defer { bytes.removeFirst(count) }
            return Array(bytes[..<count])
        }
    }

    private func receive(until deadline: ContinuousClock.Instant) throws {
        let left = (deadline - .now).components
        let milliseconds = left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&entry, 1, Int32(clamping: max(0, milliseconds)))
        // Another test's process ended.
        if ready < 0 && errno == EINTR { return }
        guard ready > 0 else { throw Failure.deadline }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw Failure.ended(afterBytes: received.withLock { $0.count }) }
        received.withLock { $0.append(contentsOf: buffer[..<count]) }
    }
}

/// Runs blocking work where it holds up no task.
func onThread<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Result { try work() }) }.start()
    }
}
