package import CloudCalls
import CloudModel
import JSON

/// Saves real records at a set rate, however slow the answers are, and follows the notifications that come of them.
package struct LoadRun: Sendable {
    /// A device that follows its feed.
    struct Follower: Sendable {
        var client: CloudService
        var device: DeviceID
        /// Its number among the devices that are notified of a record.
        var number: Int
    }

    private let client: CloudService
    let plan: LoadPlan
    let ledger = LoadLedger()
    /// Distinguishes this run's records and users from other runs'.
    let run = String(UInt32.random(in: 0 ... .max), radix: 36)
    static let recordType = RecordType(trusted: "LoadItem")
    static let channel = FieldName(trusted: "channel")
    private static let number = FieldName(trusted: "number")
    /// Users that are prepared at once, and devices that replay at once.
    static let togetherMax = 16

    /// A run against a service.
    package init(client: CloudService, plan: LoadPlan) {
        self.client = client
        self.plan = plan
    }

    /// Makes users, devices and subscriptions, then saves and waits.
    /// - Parameter progress: called about once a second with the report, and the number of records that are still to
    ///   come.
    package func execute(progress: @escaping @Sendable (LoadReport, Int) -> Void = { _, _ in }) async throws
        -> LoadReport
    {
        let publisher = try await client.signedIn(as: plan.user).client
        let subscribers = try await together(plan.channels) { try await subscriber($0, publisher) }
        var seconds = 0.0
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for follower in subscribers.flatMap(\.self) { group.addTask { try await follow(follower) } }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: .seconds(1))
                    progress(ledger.report, ledger.waiting)
                }
            }
            if plan.churn > 0 { group.addTask { await churn(subscribers.compactMap { $0.first?.client }) } }
            seconds = await save(publisher)
            let deadline = ContinuousClock.now + plan.patience
            while !ledger.isSettled, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        }
        if plan.herd > 0 { try await replay(subscribers.compactMap { $0.first?.client }) }
        var report = ledger.report
        report.name = plan.name
        report.wanted = plan.count
        report.seconds = seconds
        return report
    }

    /// Does something for each number, some of them at once.
    func together<Value: Sendable>(
        _ count: Int, _ body: @escaping @Sendable (Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var values: [Int: Value] = [:]
            for number in 0..<count {
                if number >= Self.togetherMax, let (done, value) = try await group.next() { values[done] = value }
                group.addTask { (number, try await body(number)) }
            }
            for try await (done, value) in group { values[done] = value }
            return (0..<count).compactMap { values[$0] }
        }
    }

    /// A user with devices and a subscription.
    private func subscriber(_ number: Int, _ publisher: CloudService) async throws -> [Follower] {
        let user =
            plan.database == .public ? try await client.signedIn(as: "\(plan.user)-\(run)-\(number)").client : publisher
        var followers: [Follower] = []
        for place in 0..<plan.devices {
            let device = DeviceID(trusted: "load-\(run)-\(number)-\(place)")
            try await user.register(device, name: "load", platform: "load")
            let among = plan.isForAll ? number * plan.devices + place : place
            followers.append(Follower(client: user, device: device, number: among))
        }
        let id = SubscriptionID(trusted: "load-\(run)-\(number)")
        let draft = subscription(selecting: plan.isForAll ? run : "\(run)-\(number)", id: id)
        if case .failure(let error)? = try await user.modify([.create(draft)], in: plan.database).first {
            throw ImportError("the subscription was refused: \(error.reason)")
        }
        return followers
    }

    /// A subscription to new records of a channel.
    func subscription(selecting channel: String, id: SubscriptionID) -> SubscriptionDraft {
        let filter = GivenFilter(
            field: .field(Self.channel), comparator: .equals,
            operand: .value(GivenValue(.string(channel), isTypeExplicit: false)))
        return SubscriptionDraft(
            id: id, query: GivenQuery(recordType: Self.recordType, filters: [filter]), zone: nil,
            firesOn: .create, firesOnce: false, notificationInfo: NotificationInfo())
    }

    /// Follows a stream; connects again where it ended, from the last event that came.
    private func follow(_ follower: Follower) async throws {
        var token: String?
        while !Task.isCancelled {
            do {
                for try await event in try await follower.client.events(of: follower.device, after: token) {
                    let now = ContinuousClock.now
                    token = event.token
                    if let name = event.json["recordName"]?.string {
                        ledger.received(name, by: follower.number, at: now)
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Saves each record when it is due, without waiting for earlier answers. Returns the duration in seconds.
    private func save(_ publisher: CloudService) async -> Double {
        let began = ContinuousClock.now
        await withTaskGroup(of: Void.self) { group in
            var phaseBegan = began
            var number = 0
            for phase in plan.phases {
                for place in 0..<phase.count {
                    let due = phaseBegan + .seconds(phase.due(place))
                    if due > ContinuousClock.now { try? await Task.sleep(until: due) }
                    group.addTask { [number] in await saveOne(number, due, isCounted: !phase.isWarmUp, publisher) }
                    number += 1
                }
                phaseBegan += .seconds(phase.seconds)
            }
        }
        return Double((ContinuousClock.now - began).microseconds) / 1e6
    }

    private func saveOne(
        _ number: Int, _ due: ContinuousClock.Instant, isCounted: Bool, _ publisher: CloudService
    ) async {
        let name = "load-\(run)-\(number)"
        ledger.begin(name, due: due, receivers: plan.receivers, isCounted: isCounted)
        let channel = plan.isForAll ? run : "\(run)-\(number % plan.channels)"
        var operation = RecordOperation(
            kind: .create, recordName: RecordName(trusted: name), recordType: Self.recordType)
        operation.fields[Self.channel] = .some(GivenValue(.string(channel), isTypeExplicit: false))
        operation.fields[Self.number] = .some(GivenValue(.int64(Int64(number)), isTypeExplicit: false))
        if await isSaved(operation, publisher) { return ledger.saved(name, due: due, at: .now) }
        ledger.failed(name)
    }

    /// Saves a record, again without an answer or after `TRY_AGAIN_LATER`, as an app would. A record that exists
    /// already is the result of an earlier try.
    private func isSaved(_ operation: RecordOperation, _ publisher: CloudService) async -> Bool {
        let deadline = ContinuousClock.now + plan.patience
        var pause = Duration.milliseconds(100)
        var isFirst = true
        while true {
            do {
                guard let result = try await publisher.modify([operation], in: plan.database).first else {
                    return false
                }
                guard case .failed(_, let error) = result else { return true }
                if error.code == .exists, !isFirst { return true }
                guard error.code.httpStatus >= 500 || error.code == .throttled else { return false }
            } catch let error as FanfareError where !error.isTransient {
                return false
            } catch {
                if Task.isCancelled { return false }
            }
            guard ContinuousClock.now + pause < deadline else { return false }
            ledger.retried()
            isFirst = false
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(2))
        }
    }
}
