import CCurl

#if canImport(Glibc)
    import Glibc
#endif

/// The client's thread: one libcurl multi handle, with an epoll set for ready sockets, so that an idle transfer costs
/// nothing. All of it belongs to the thread.
final class ClientLoop {
    let configuration: HTTPClientConfiguration
    let inbox: ClientInbox

    private static let tick: Duration = .milliseconds(500)
    private static let idleHandlesMaximum = 64

    private let multi = curl_multi_init()
    private let poll = curl_poll_create()
    private var transfers: [UInt64: ActiveTransfer] = [:]
    private var streams: Set<UInt64> = []
    private var idleHandles: [UnsafeMutableRawPointer] = []
    /// The time at which libcurl wants to be called though no socket is ready.
    private var timer: ContinuousClock.Instant?
    private var lastTick = ContinuousClock.now

    init(configuration: HTTPClientConfiguration, inbox: ClientInbox) {
        self.configuration = configuration
        self.inbox = inbox
        curl_set_multi(
            multi, Unmanaged.passUnretained(self).toOpaque(), watchSocket, armTimer,
            configuration.connectionsKeptMaximum)
        curl_poll_set(poll, inbox.wake, CURL_POLL_IN, 0)
    }

    /// The body of the thread; to be called once. Returns when the inbox says close, with everything freed.
    func run() {
        var sockets = [Int32](repeating: 0, count: 256)
        var readiness = [Int32](repeating: 0, count: 256)
        var isOpen = true
        while isOpen {
            let count = curl_poll_wait(poll, &sockets, &readiness, Int32(sockets.count), waitMilliseconds())
            for index in 0..<Int(max(0, count)) {
                if sockets[index] == inbox.wake {
                    isOpen = obey()
                } else {
                    act(sockets[index], readiness[index])
                }
            }
            if let due = timer, due <= .now {
                timer = nil
                act(CURL_SOCKET_TIMEOUT, 0)
            }
            finishDone()
            if !streams.isEmpty && ContinuousClock.now - lastTick >= Self.tick { failSilentStreams() }
        }
        for active in transfers.values { finish(active, .failure(HTTPClientError(closed: active.transfer.request))) }
        // Not in `deinit`: closing connections calls back.
        for easy in idleHandles { curl_easy_cleanup(easy) }
        curl_multi_cleanup(multi)
        close(poll)
    }

    private func waitMilliseconds() -> Int32 {
        let tick = streams.isEmpty ? nil : Self.tick.milliseconds
        // Rounded up, or the last part of a millisecond is spent spinning.
        let timer = timer.map { max(0, ($0 - .now + .microseconds(999)).milliseconds) }
        return Int32(clamping: min(tick ?? Int.max, timer ?? Int.max, 60_000))
    }

    private func act(_ socket: Int32, _ readiness: Int32) {
        var running: Int32 = 0
        curl_multi_socket_action(multi, socket, readiness, &running)
    }
}

// MARK: Commands

extension ClientLoop {
    /// False when the client is to close.
    private func obey() -> Bool {
        var isOpen = true
        for command in inbox.take() {
            switch command {
            case .start(let transfer): start(transfer)
            case .cancel(let identity):
                if let active = transfers[identity] { finish(active, .failure(CancellationError())) }
            case .goOn(let identity): transfers[identity]?.goOn()
            case .close: isOpen = false
            }
        }
        return isOpen
    }

    private func start(_ transfer: Transfer) {
        guard !transfer.cancellation.isSet else { return transfer.reply(.failure(CancellationError())) }
        do throws(UnreadableBody) {
            let body = try RequestBody(transfer.request.body)
            guard let easy = idleHandles.popLast() ?? curl_easy_init() else {
                body.close()
                throw UnreadableBody(reason: "there is no memory for the transfer")
            }
            let active = ActiveTransfer(transfer, easy: easy, body: body, loop: self)
            transfers[transfer.identity] = active
            if transfer.isStream { streams.insert(transfer.identity) }
            curl_multi_add_handle(multi, easy)
        } catch {
            transfer.reply(
                .failure(HTTPClientError(.invalidRequest, .never, transfer.request, "\(error.reason). Check the file."))
            )
        }
    }
}

// MARK: Ends

extension ClientLoop {
    private func finishDone() {
        var code = CURLE_OK
        while let easy = curl_next_done(multi, &code) {
            guard let context = curl_get_private(easy) else { continue }
            let active = Unmanaged<ActiveTransfer>.fromOpaque(context).takeUnretainedValue()
            finish(active, outcome(of: active, code))
        }
    }

    private func outcome(of active: ActiveTransfer, _ code: CURLcode) -> Result<Void, any Error> {
        if code == CURLE_OK { return .success(()) }
        let error =
            active.failure
            ?? HTTPClientError(
                code, active.transfer.request, detail: active.detail,
                wasSent: curl_get_was_connected(active.easy) != 0)
        return .failure(error)
    }

    private func finish(_ active: ActiveTransfer, _ outcome: Result<Void, any Error>) {
        let transfer = active.transfer
        let status = curl_get_status(active.easy)
        transfers[transfer.identity] = nil
        streams.remove(transfer.identity)
        curl_multi_remove_handle(multi, active.easy)
        recycle(active.easy)
        switch outcome {
        case .failure(let error):
            active.channel?.finish(.failed(error))
            transfer.reply(.failure(error))
        case .success where transfer.isStream:
            active.channel?.finish(.finished)
            transfer.reply(
                .failure(
                    HTTPClientError(.malformedResponse, .ifIdempotent, transfer.request, "the answer has no head.")))
        case .success:
            transfer.reply(
                .success(
                    .response(HTTPClientResponse(status: status, headers: active.headers, body: active.received))))
        }
    }

    private func recycle(_ easy: UnsafeMutableRawPointer) {
        guard idleHandles.count < Self.idleHandlesMaximum else { return curl_easy_cleanup(easy) }
        curl_easy_reset(easy)
        idleHandles.append(easy)
    }

    private func failSilentStreams() {
        lastTick = .now
        for identity in streams {
            guard let active = transfers[identity], let deadline = active.deadline, deadline <= lastTick else {
                continue
            }
            let reason =
                active.channel == nil
                ? "no answer came in time. Try again later or allow more time."
                : "the stream was silent for too long. Connect again from where it stopped."
            finish(active, .failure(HTTPClientError(.timedOut, .ifIdempotent, active.transfer.request, reason)))
        }
    }
}

// MARK: Callbacks, on the client's thread

extension ClientLoop {
    fileprivate func watch(_ socket: Int32, _ what: Int32, isKnown: Bool) {
        curl_poll_set(poll, socket, what, isKnown ? 1 : 0)
        if !isKnown && what != CURL_POLL_REMOVE {
            curl_multi_assign(multi, socket, Unmanaged.passUnretained(self).toOpaque())
        }
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
    Unmanaged<ClientLoop>.fromOpaque(context).takeUnretainedValue().watch(socket, what, isKnown: known != nil)
    return 0
}

private func armTimer(multi: UnsafeMutableRawPointer?, milliseconds: Int, context: UnsafeMutableRawPointer?) -> Int32 {
    guard let context else { return 0 }
    Unmanaged<ClientLoop>.fromOpaque(context).takeUnretainedValue().setTimer(milliseconds: milliseconds)
    return 0
}
