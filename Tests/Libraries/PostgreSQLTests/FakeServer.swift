import Synchronization
import TestSupport
import Waiting

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A server on 127.0.0.1 that writes the bytes that a test gives it, also those that no server should write.
final class FakeServer: Sendable {
    /// One connection of a client, for the thread that serves it.
    struct Peer: Sendable {
        fileprivate let descriptor: Int32
        fileprivate let written: Shared<Int>

        /// Writes all of the bytes. Returns false if the client has left.
        @discardableResult func write(_ bytes: [UInt8]) -> Bool {
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
                guard count > 0 else { return false }
                written.update { $0 += count }
                rest = rest.dropFirst(count)
            }
            return true
        }

        /// Reads so many bytes; nil if the client has left before.
        func read(_ count: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            var have = 0
            while have < count {
                let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + have, count - have, 0) }
                guard got > 0 else { return nil }
                have += got
            }
            return bytes
        }

        /// Reads one message of the client, its kind first; that of the beginning has kind 0.
        func message(isFirst: Bool = false) -> (kind: UInt8, body: [UInt8])? {
            guard let kind = isFirst ? 0 : read(1)?.first, let head = read(4) else { return nil }
            let length = head.reduce(0) { $0 << 8 | Int($1) }
            return read(max(0, length - 4)).map { (kind, $0) }
        }

        /// Waits until the client leaves.
        func waitForEnd() { while read(1) != nil {} }
    }

    let port: UInt16
    /// The bytes written so far.
    let written = Shared(0)
    /// The connections so far.
    let accepted = Shared(0)
    private let listener: Int32

    /// - Parameter serve: called for each connection on a thread of its own; its end closes the connection.
    init(port wanted: UInt16 = 0, _ serve: @escaping @Sendable (Peer) -> Void) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        self.listener = listener
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(listener, address, length) == 0, listen(listener, 512) == 0 else { return }
                getsockname(listener, address, &length)
            }
            return UInt16(bigEndian: pointer.pointee.sin_port)
        }
        DedicatedThread.start { [written, accepted] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                accepted.update { $0 += 1 }
                DedicatedThread.start {
                    serve(Peer(descriptor: descriptor, written: written))
                    close(descriptor)
                }
            }
            close(listener)
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// The address without TLS, as the server speaks none.
    var address: String { "postgresql://user@127.0.0.1:\(port)/test?sslmode=disable" }
}
