import CCurl

#if canImport(Glibc)
    import Glibc
#endif

/// A multi handle of libcurl with an epoll set for ready sockets, so that an idle transfer costs nothing. All of it
/// belongs to one thread.
final class MultiHandle {
    let handle = curl_multi_init()

    /// The readiness of a socket that libcurl awaits (`CURL_POLL_…`).
    private struct Interest {
        var wanted: Int32
        /// As the epoll set has it; nil before the first time.
        var set: Int32?
        var isListed = false
    }

    private let poll = curl_poll_create()
    private var interests: [Int32: Interest] = [:]
    /// The sockets whose interest may have changed since the last wait: libcurl changes it twice a request.
    private var changed: [Int32] = []
    private let wake: Int32
    private var sockets = [Int32](repeating: 0, count: 256)
    private var readiness = [Int32](repeating: 0, count: 256)
    /// The time at which libcurl wants to be called though no socket is ready.
    private var timer: ContinuousClock.Instant?

    /// - Parameters:
    ///   - wake: a descriptor that is readable when the thread has to do something else.
    ///   - connectionsKept: the number of connections that libcurl keeps open, those in use included.
    init(wake: Int32, connectionsKept: Int) {
        self.wake = wake
        curl_set_multi(handle, Unmanaged.passUnretained(self).toOpaque(), watchSocket, armTimer, connectionsKept)
        curl_poll_set(poll, wake, CURL_POLL_IN, 0)
    }

    /// Waits for sockets, libcurl's timer or the wake-up, and lets libcurl work. Returns true for the wake-up.
    func turn(waitingAtMost maximum: Duration?) -> Bool {
        var isWoken = false
        setInterests()
        let count = curl_poll_wait(poll, &sockets, &readiness, Int32(sockets.count), waitMilliseconds(maximum))
        for index in 0..<Int(max(0, count)) {
            if sockets[index] == wake {
                isWoken = true
            } else {
                act(sockets[index], readiness[index])
            }
        }
        if let due = timer, due <= .now {
            timer = nil
            act(CURL_SOCKET_TIMEOUT, 0)
        }
        return isWoken
    }

    /// The context of the next transfer that is done, with its code; nil when there is none.
    func nextDone() -> (context: UnsafeMutableRawPointer, code: CURLcode)? {
        var code = CURLE_OK
        while let easy = curl_next_done(handle, &code) {
            if let context = curl_get_private(easy) { return (context, code) }
        }
        return nil
    }

    /// Frees everything, once no transfer is left. Not in `deinit`: closing connections calls back.
    func close() {
        curl_multi_cleanup(handle)
        Glibc.close(poll)
    }

    private func waitMilliseconds(_ maximum: Duration?) -> Int32 {
        // Rounded up, or the last part of a millisecond is spent spinning.
        let timer = timer.map { max(0, ($0 - .now + .microseconds(999)).milliseconds) }
        return Int32(clamping: min(maximum?.milliseconds ?? Int.max, timer ?? Int.max, 60_000))
    }

    private func setInterests() {
        for socket in changed {
            guard var interest = interests[socket] else { continue }
            interest.isListed = false
            if interest.set != interest.wanted {
                curl_poll_set(poll, socket, interest.wanted, interest.set == nil ? 0 : 1)
                interest.set = interest.wanted
            }
            interests[socket] = interest
        }
        changed.removeAll(keepingCapacity: true)
    }

    private func act(_ socket: Int32, _ readiness: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(handle, socket, readiness, &running)
    }
}

// MARK: Callbacks, on the handle's thread

extension MultiHandle {
    fileprivate func watch(_ socket: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            // At once: libcurl may close the socket, and another one get its number.
            if interests.removeValue(forKey: socket)?.set != nil { curl_poll_set(poll, socket, what, 1) }
            return
        }
        var interest = interests[socket] ?? Interest(wanted: what)
        interest.wanted = what
        if !interest.isListed { changed.append(socket) }
        interest.isListed = true
        interests[socket] = interest
    }

    fileprivate func setTimer(milliseconds: Int) {
        timer = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }
}

private func watchSocket(
    easy: UnsafeMutableRawPointer?, socket: curl_socket_t, what: Int32, context: UnsafeMutableRawPointer?,
    known: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().watch(socket, what)
    return 0
}

private func armTimer(multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<MultiHandle>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
    return 0
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int { Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000) }
}
