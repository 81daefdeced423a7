import CCurl

/// The loop of a thread that carries many requests on one connection to each origin. All of it belongs to the thread.
final class MultiplexedLoop {
    let configuration: MultiplexingConfiguration
    /// Decides about the addresses to connect to; nil allows all.
    let guarding: OutgoingGuard?
    let log: ConnectionLog
    /// Counts how often libcurl worked.
    private(set) var turn = 0

    private static let tick: Duration = .milliseconds(200)
    private static let idleMaximum = 512

    private let inbox: ClientInbox
    private let multi: MultiHandle
    private var queues: [Substring: OriginQueue] = [:]
    /// The queue of the newest request.
    private var lastQueue: OriginQueue?
    /// The queue of each request that is not answered.
    private var queueOfRequest: [UInt64: OriginQueue] = [:]
    private var idle: [MultiplexedTransfer] = []
    /// The ends of this turn. Their tasks are resumed together: each by itself would wake a thread that sleeps again
    /// before the next.
    private var replies: [(Transfer, Result<Transfer.Reply, any Error>)] = []
    private var lastTick = ContinuousClock.now

    init(
        configuration: MultiplexingConfiguration, guarding: OutgoingGuard?, inbox: ClientInbox, log: ConnectionLog
    ) {
        self.configuration = configuration
        self.guarding = guarding
        self.inbox = inbox
        self.log = log
        multi = MultiHandle(wake: inbox.wake, connectionsKept: configuration.connectionsMaximum)
        curl_set_multiplexing(multi.handle, configuration.connectionsMaximum, configuration.streamsMaximum)
    }

    /// The body of the thread; to be called once. Returns when the inbox says close, with everything freed.
    func run() {
        var isOpen = true
        while isOpen {
            turn += 1
            let pause = inbox.rest() ? (queueOfRequest.isEmpty ? nil : Self.tick) : Duration.zero
            let isWoken = multi.turn(waitingAtMost: pause)
            isOpen = obey(isWoken)
            finishDone()
            if !queueOfRequest.isEmpty && ContinuousClock.now - lastTick >= Self.tick { failOverdue() }
            for (transfer, reply) in replies { transfer.reply(reply) }
            replies.removeAll(keepingCapacity: true)
        }
        for queue in queues.values {
            for transfer in queue.removeWaiting() {
                transfer.reply(.failure(HTTPClientError(closed: transfer.request)))
            }
            for active in queue.active.values {
                release(active).reply(.failure(HTTPClientError(closed: active.transfer.request)))
                active.end()
            }
        }
        idle = []
        multi.close()
    }

    /// False when the client is to close.
    private func obey(_ isWoken: Bool) -> Bool {
        var isOpen = true
        for command in inbox.take(isWoken: isWoken) {
            switch command {
            case .start(let transfer): enqueue(transfer)
            case .cancel(let identity): cancel(identity)
            case .goOn: break
            case .close: isOpen = false
            }
        }
        return isOpen
    }

    private func enqueue(_ transfer: Transfer) {
        guard !transfer.cancellation.isSet else { return transfer.reply(.failure(CancellationError())) }
        let queue = queue(of: transfer.request.origin)
        queueOfRequest[transfer.identity] = queue
        let now = ContinuousClock.now
        if queue.canStartAnother {
            start(transfer, queue, deadline: now + transfer.request.timeout, now: now)
        } else {
            queue.append(transfer, deadline: now + transfer.request.timeout)
        }
    }

    private func queue(of origin: Substring) -> OriginQueue {
        // Most requests go to one host.
        if let lastQueue, lastQueue.origin == origin { return lastQueue }
        let queue = queues[origin] ?? OriginQueue(origin: origin, streamsMaximum: configuration.streamsMaximum)
        queues[origin] = queue
        lastQueue = queue
        return queue
    }

    /// Starts as many requests as the window allows.
    private func fill(_ queue: OriginQueue) {
        while queue.canStart, let (transfer, deadline) = queue.next() {
            start(transfer, queue, deadline: deadline, now: .now)
        }
        if queue.isEmpty && queues.count > configuration.connectionsMaximum {
            queues[queue.origin] = nil
            if lastQueue === queue { lastQueue = nil }
        }
    }

    private func start(
        _ transfer: Transfer, _ queue: OriginQueue, deadline: ContinuousClock.Instant, now: ContinuousClock.Instant
    ) {
        guard let active = idle.popLast() ?? MultiplexedTransfer(loop: self) else {
            return settle(
                transfer, .failure(HTTPClientError(.connection, .always, transfer.request, "There is no memory.")))
        }
        active.begin(transfer, queue, deadline: deadline, now: now)
        queue.add(active, transfer.identity)
        curl_multi_add_handle(multi.handle, active.easy)
    }

    private func settle(_ transfer: Transfer, _ reply: Result<Transfer.Reply, any Error>) {
        queueOfRequest[transfer.identity] = nil
        replies.append((transfer, reply))
    }
}

// MARK: Ends

extension MultiplexedLoop {
    private func cancel(_ identity: UInt64) {
        guard let queue = queueOfRequest[identity] else { return }
        if let transfer = queue.remove(identity) {
            settle(transfer, .failure(CancellationError()))
        } else if let active = queue.active[identity] {
            if active.connection != nil { queue.abandon() }
            finish(active, .failure(CancellationError()))
        }
        fill(queue)
    }

    private func finishDone() {
        while let (context, code) = multi.nextDone() {
            let active = Unmanaged<MultiplexedTransfer>.fromOpaque(context).takeUnretainedValue()
            guard let queue = active.queue else { continue }
            if active.interruption == .windowFull {
                putBack(active, queue)
            } else if code == CURLE_OK || active.interruption == .bodyCut {
                queue.window.answered()
                // libcurl does not reset the stream: the rest would be read with the next answer.
                if active.interruption == .bodyCut { queue.needsConnection = true }
                let response = HTTPClientResponse(
                    status: curl_get_status(active.easy), headers: active.headers, body: active.received)
                finish(active, .success(.response(response)))
            } else {
                fail(active, code, of: queue)
            }
            fill(queue)
        }
    }

    private func fail(_ active: MultiplexedTransfer, _ code: CURLcode, of queue: OriginQueue) {
        let error = active.error(code)
        let isSilent = code == CURLE_OPERATION_TIMEDOUT && active.isSilent
        let isOverdue = code == CURLE_OPERATION_TIMEDOUT && active.deadline <= .now
        if active.connection != nil && (isOverdue || active.interruption == .headTooLarge) { queue.abandon() }
        let isUnconnected = active.connection == nil && queue.window.inFlight == 0 && !isOverdue
        if active.interruption != .headTooLarge { queue.window.failed() }
        finish(active, .failure(error))
        if isSilent {
            queue.needsConnection = true
            for other in queue.active.values {
                if other.connection == nil {
                    putBack(other, queue)
                } else {
                    finish(other, .failure(HTTPClientError(silent: other.transfer.request)))
                }
            }
        } else if isUnconnected {
            // No connection is there for the others either, and each would try to make one.
            for other in queue.active.values { finish(other, .failure(error.forSameHost(other.transfer.request))) }
            for other in queue.removeWaiting() { settle(other, .failure(error.forSameHost(other.request))) }
        }
    }

    /// Lets a request wait again that has not been sent.
    private func putBack(_ active: MultiplexedTransfer, _ queue: OriginQueue) {
        queue.putBack(release(active), deadline: active.deadline)
        recycle(active)
    }

    private func finish(_ active: MultiplexedTransfer, _ reply: Result<Transfer.Reply, any Error>) {
        settle(release(active), reply)
        recycle(active)
    }

    /// Takes a transfer out of libcurl and of its queue.
    private func release(_ active: MultiplexedTransfer) -> Transfer {
        curl_multi_remove_handle(multi.handle, active.easy)
        active.queue.removeActive(active.transfer.identity)
        if let connection = active.connection { active.queue.window.leave(connection) }
        return active.transfer
    }

    private func recycle(_ active: MultiplexedTransfer) {
        active.end()
        if idle.count < Self.idleMaximum { idle.append(active) }
    }

    /// Fails requests that waited for longer than they may.
    private func failOverdue() {
        lastTick = .now
        for queue in queues.values where queue.hasWaiting {
            for transfer in queue.removeWaiting(until: lastTick) {
                settle(
                    transfer,
                    .failure(
                        HTTPClientError(
                            .timedOut, .always, transfer.request,
                            "no place on the connection was free in time. Try again later or allow more time.")))
            }
        }
    }
}
