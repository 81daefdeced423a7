import CCurl

/// The loop of the client's thread. All of it belongs to the thread.
final class ClientLoop {
    let configuration: HTTPClientConfiguration
    let inbox: ClientInbox

    private static let tick: Duration = .milliseconds(500)
    private static let idleHandlesMaximum = 64

    private let multi: MultiHandle
    private var transfers: [UInt64: ActiveTransfer] = [:]
    private var streams: Set<UInt64> = []
    private var idleHandles: [UnsafeMutableRawPointer] = []
    private var lastTick = ContinuousClock.now

    init(configuration: HTTPClientConfiguration, inbox: ClientInbox) {
        self.configuration = configuration
        self.inbox = inbox
        multi = MultiHandle(wake: inbox.wake, connectionsKept: configuration.connectionsKeptMaximum)
    }

    /// The body of the thread; to be called once. Returns when the inbox says close, with everything freed.
    func run() {
        var isOpen = true
        while isOpen {
            let pause = inbox.rest() ? (streams.isEmpty ? nil : Self.tick) : Duration.zero
            let isWoken = multi.turn(waitingAtMost: pause)
            isOpen = obey(isWoken)
            finishDone()
            if !streams.isEmpty && ContinuousClock.now - lastTick >= Self.tick { failSilentStreams() }
        }
        for active in transfers.values { finish(active, .failure(HTTPClientError(closed: active.transfer.request))) }
        for easy in idleHandles { curl_easy_cleanup(easy) }
        multi.close()
    }
}

// MARK: Commands

extension ClientLoop {
    /// False when the client is to close.
    private func obey(_ isWoken: Bool) -> Bool {
        var isOpen = true
        for command in inbox.take(isWoken: isWoken) {
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
            curl_multi_add_handle(multi.handle, easy)
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
        while let (context, code) = multi.nextDone() {
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
        curl_multi_remove_handle(multi.handle, active.easy)
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
