import CMicroHTTPD
import Synchronization

/// One request and its answer: drives `ExchangeMachine` between a worker, the task of the answer and the watch.
///
/// Retained by the daemon from the first call of its handler until `NOTIFY_COMPLETED`, and by the task of its answer.
final class Exchange: Sendable {
    struct State {
        var machine = ExchangeMachine()
        var collector: BodyCollector
        /// Lives as long as the exchange or its task, whichever is longer.
        var file: TemporaryFile?
        /// Of memory for the body, until the work that may need it is done.
        var bodyReservation: MemoryBudget.Reservation?
        /// Of memory for the answer, until it is sent.
        var answerReservation: MemoryBudget.Reservation?
        var task: Task<Void, Never>?
        /// The object that waits in the place of a task.
        var resting: (any HTTPResting)?
        /// Indicates whether the first task of the work has left already.
        var hasRested = false
        var answerDeadline: ContinuousClock.Instant?
    }

    let core: ServerCore
    let connection: Connection
    /// The address that the request counts to.
    let client: ClientAddress?
    let head: HTTPRequestHead?
    /// Indicates whether nothing more may be read from the connection once this is answered.
    let closes: Bool
    /// To whose share memory counts.
    let accounts: [MemoryBudget.Account]
    /// The value that the handler attached to its admission.
    let admitted: (any Sendable)?
    let state: Mutex<State>

    /// A request whose body is to be collected, or dropped when its answer is settled.
    init(
        core: ServerCore, connection: Connection, client: ClientAddress?, head: HTTPRequestHead?,
        collector: BodyCollector, settled: HTTPResponse? = nil, closes: Bool = false,
        accounts: [MemoryBudget.Account] = [],
        admitted: (any Sendable)? = nil
    ) {
        self.core = core
        self.connection = connection
        self.client = client
        self.head = head
        self.closes = closes
        self.accounts = accounts
        self.admitted = admitted
        var state = State(collector: collector)
        if let settled { state.machine.settle(settled) }
        self.state = Mutex(state)
        core.counters.requests.add(1, ordering: .relaxed)
    }
}

// MARK: On the worker

extension Exchange {
    func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (course, received, refusal) = state.withLock { state in
            let course = state.collector.receive(bytes)
            return (course, state.collector.received, state.collector.refusal)
        }
        let goesOn = course == .readOn
        guard connection.bodyArrived(bytes: received) else {
            core.answerLate(connection)
            return false
        }
        if !goesOn {
            if let refusal { core.answerEarly(connection, refusal) }
            connection.lingerAfterAnswer()
        }
        return goesOn
    }

    /// The whole request is there, or the connection was woken.
    func turn(_ pointer: OpaquePointer) -> MHD_Result {
        switch state.withLock({ $0.machine.turn() }) {
        case .send(let response):
            _ = connection.bodyComplete()
            connection.unregisterWaiter()
            return send(response, on: pointer)
        case .close: return .NO
        case .ask:
            guard connection.bodyComplete() else {
                core.answerLate(connection)
                return .NO
            }
            return ask(pointer)
        }
    }

    private func ask(_ pointer: OpaquePointer) -> MHD_Result {
        let (body, refusal) = state.withLock { state in
            let (body, file) = state.collector.complete()
            state.file = file
            state.bodyReservation = state.collector.reservation
            let refusal = state.collector.refusal
            state.collector = BodyCollector()
            return (body, refusal)
        }
        if let refusal { return answer(core.refusal(refusal), on: pointer) }
        guard let head else { return .NO }
        switch core.handler.answer(HTTPRequest(head: head, body: body, admitted: admitted)) {
        case .now(let response):
            state.withLock { $0.bodyReservation = nil }
            return answer(response, on: pointer)
        case .later(let work): return begin(.later, on: pointer) { self.finish(await work()) }
        case .held(let work): return begin(.held, on: pointer) { await self.finishOrRest(nil, work) }
        }
    }

    private func answer(_ response: HTTPResponse, on pointer: OpaquePointer) -> MHD_Result {
        state.withLock { $0.machine.answered() }
        return send(response, on: pointer)
    }

    /// The work starts here, on the worker, and leaves it at its first suspension; only then is the connection
    /// suspended.
    private func begin(
        _ wait: ExchangeMachine.Wait, on pointer: OpaquePointer, _ work: @escaping @Sendable () async -> Void
    ) -> MHD_Result {
        let limit: ServerCore.Stage = wait == .held ? .stopping : .abandoning
        guard connection.register(.exchange(self), unless: { core.stage >= limit }) else {
            return answer(core.refusal(.stopping), on: pointer)
        }
        state.withLock { $0.machine.work(wait) }
        core.counters.waiting.add(1, ordering: .relaxed)
        let task = Task.immediate { await work() }
        let isSuspended = state.withLock { state in
            guard state.machine.wait() else { return false }
            if !state.hasRested { state.task = task }
            state.answerDeadline = .now + core.configuration.timeouts.answer
            connection.suspend()
            return true
        }
        if isSuspended { return .YES }
        // Done, or somebody else decided meanwhile.
        task.cancel()
        leave(state.withLock { $0.resting.take() })
        return turn(pointer)
    }

    /// The daemon is done with the request, however it went.
    func ended() {
        let (task, resting, unsent) = state.withLock { state in
            state.answerReservation = nil
            return (state.task.take(), state.resting.take(), state.machine.end())
        }
        task?.cancel()
        leave(resting)
        unsent?.discard(.clientLeft)
        connection.answered()
        core.requestEnded()
    }
}

// MARK: From elsewhere

extension Exchange {
    /// The work of the answer is done.
    private func finish(_ response: HTTPResponse) {
        core.counters.waiting.subtract(1, ordering: .relaxed)
        state.withLock { $0.bodyReservation = nil }
        if settle({ $0.finish(response) }).arrival == .late { response.discard(.clientLeft) }
    }

    private typealias HeldWork = @Sendable ((any HTTPResting)?) async -> HTTPResponse

    /// Works, and finishes with the answer, or leaves it to a resting object to continue.
    private func finishOrRest(_ rested: (any HTTPResting)?, _ work: @escaping HeldWork) async {
        let response = await work(rested)
        guard case .resting(let resting) = response.body else {
            rested?.leave()
            return finish(response)
        }
        let isOver = state.withLock { state in
            guard state.machine.isHeld else { return true }
            (state.task, state.resting, state.hasRested) = (nil, resting, true)
            return false
        }
        guard !isOver else { return leave(resting) }
        resting.rest { self.goOn(work) }
    }

    /// Goes on with what rested, and has woken.
    private func goOn(_ work: @escaping HeldWork) {
        state.withLock { state in
            guard let resting = state.resting.take() else { return }
            state.task = Task { await self.finishOrRest(resting, work) }
        }
    }

    /// Lets go of what rested, as nobody goes on with it.
    private func leave(_ resting: (any HTTPResting)?) {
        guard let resting else { return }
        core.counters.waiting.subtract(1, ordering: .relaxed)
        resting.leave()
    }

    func clientLeft() { giveUp { $0.clientLeft() } }

    func stopHolding() {
        if state.withLock({ $0.machine.isHeld }) { abandon(.stopping) }
    }

    func inspect(_ now: ContinuousClock.Instant) {
        let isLate = state.withLock { $0.machine.isWaiting && $0.answerDeadline.map { $0 <= now } ?? false }
        if isLate { abandon(.answerTimedOut) }
    }

    /// Cancels the work and answers with a refusal, unless the answer is there already.
    func abandon(_ refusal: HTTPRefusal) {
        let response = core.refusal(refusal)
        giveUp { $0.finish(response) }
    }

    /// Ends the work, if that comes in time.
    private func giveUp(_ change: (inout ExchangeMachine) -> ExchangeMachine.Arrival) {
        let (_, task, resting) = settle(change)
        task?.cancel()
        leave(resting)
    }

    /// Passes the event to the machine, and wakes the connection if it says so: under the lock, so that it is woken
    /// once, while it is suspended. Returns the task, or the resting object, that is no longer needed.
    private func settle(
        _ change: (inout ExchangeMachine) -> ExchangeMachine.Arrival
    ) -> (arrival: ExchangeMachine.Arrival, task: Task<Void, Never>?, resting: (any HTTPResting)?) {
        state.withLock { state in
            let arrival = change(&state.machine)
            guard arrival == .wake else { return (arrival, nil, nil) }
            connection.resume()
            return (arrival, state.task.take(), state.resting.take())
        }
    }
}
