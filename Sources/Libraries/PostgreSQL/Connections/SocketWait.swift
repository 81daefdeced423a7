#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Waits at a socket.
enum SocketWait {
    /// Waits until a socket can be read or written or has failed.
    /// - Returns: true if it can be read, or has failed, which a reading reports; false if it can only be written; nil
    ///   after `limit`, or if there is no socket.
    static func ready(_ descriptor: Int32, toWrite: Bool, within limit: Duration) -> Bool? {
        guard descriptor >= 0 else { return nil }
        var entry = pollfd(fd: descriptor, events: Int16(toWrite ? POLLIN | POLLOUT : POLLIN), revents: 0)
        while true {
            let count = poll(&entry, 1, milliseconds(limit))
            if count > 0 { return Int32(entry.revents) & ~POLLOUT != 0 }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Ends a connection in both directions; its descriptor stays open.
    static func end(_ descriptor: Int32) {
        if descriptor >= 0 { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// A duration for `poll`, rounded up.
    private static func milliseconds(_ duration: Duration) -> Int32 {
        let (seconds, attoseconds) = max(duration, .zero).components
        guard seconds < 1_000_000 else { return 1_000_000_000 }
        return Int32(seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
