import CloudModel
package import FanfareCloudKit
import JSON

/// Saves real records at a set rate, however slow the answers are, and follows the notifications that come of them.
package struct LoadRun: Sendable {
    private let client: CloudService
    private let plan: LoadPlan
    private let ledger = LoadLedger()
    /// Distinguishes this run's records and users from other runs'.
    private let run = String(UInt32.random(in: 0 ... .max), radix: 36)
    private static let recordType = RecordType(trusted: "LoadItem")
    private static let channel = FieldName(trusted: "channel")
    private static let number = FieldName(trusted: "number")

    /// A run against a service.
    package init(client: CloudService, plan: LoadPlan) {
        self.client = client
        self.plan = plan
    }

    /// Makes users, devices and subscriptions, then saves and waits.
    package func execute() async throws -> LoadReport {
        let publisher = try await client.signedIn(as: plan.user).client
        var seconds = 0.0
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            for number in 0..<channels {
                let follower = try await subscribe(number, publisher)
                group.addTask { try await follow(follower) }
            }
            seconds = try await save(publisher)
            let deadline = ContinuousClock.now + plan.patience
            while !ledger.isSettled, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(20)) }
        }
        var report = ledger.report
        report.wanted = plan.count
        report.seconds = seconds
        return report
    }

    /// In the private database there is one subscriber: the publisher itself, on a device of its own.
    private var channels: Int { plan.database == .public ? plan.subscribers : 1 }

    private func subscribe(_ number: Int, _ publisher: CloudService) async throws -> (CloudService, DeviceID) {
        let device = DeviceID(trusted: "load-\(run)-\(number)")
        let subscriber =
            plan.database == .public ? try await client.signedIn(as: "\(plan.user)-\(run)-\(number)").client : publisher
        try await subscriber.register(device, name: "load", platform: "load")
        let filter = GivenFilter(
            field: .field(Self.channel), comparator: .equals,
            operand: .value(GivenValue(.string("\(run)-\(number)"), isTypeExplicit: false)))
        let draft = SubscriptionDraft(
            id: SubscriptionID(trusted: "load-\(run)-\(number)"),
            query: GivenQuery(recordType: Self.recordType, filters: [filter]), zone: nil, firesOn: .create,
            firesOnce: false, notificationInfo: NotificationInfo())
        if case .failure(let error)? = try await subscriber.modify([.create(draft)], in: plan.database).first {
            throw ImportError("the subscription was refused: \(error.reason)")
        }
        return (subscriber, device)
    }

    /// Follows a stream; connects again where it ended, from the last event that came.
    private func follow(_ follower: (client: CloudService, device: DeviceID)) async throws {
        var token: String?
        while !Task.isCancelled {
            do {
                for try await event in try await follower.client.events(of: follower.device, after: token) {
                    let now = ContinuousClock.now
                    token = event.token
                    if let name = event.json["recordName"]?.string { ledger.received(name, at: now) }
                }
            } catch is CancellationError {
                return
            } catch {
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    /// Saves each record when it is due, whether or not earlier ones are answered. Returns how long that took in seconds.
    private func save(_ publisher: CloudService) async throws -> Double {
        let began = ContinuousClock.now
        let interval = Duration.seconds(1) / plan.rate
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<plan.count {
                let due = began + interval * number
                if due > ContinuousClock.now { try? await Task.sleep(until: due) }
                group.addTask { await saveOne(number, due, publisher) }
            }
        }
        return Double((ContinuousClock.now - began).microseconds) / 1e6
    }

    private func saveOne(_ number: Int, _ due: ContinuousClock.Instant, _ publisher: CloudService) async {
        let name = "load-\(run)-\(number)"
        ledger.begin(name, due: due)
        var operation = RecordOperation(
            kind: .create, recordName: RecordName(trusted: name), recordType: Self.recordType)
        operation.fields[Self.channel] = .some(
            GivenValue(.string("\(run)-\(number % channels)"), isTypeExplicit: false))
        operation.fields[Self.number] = .some(GivenValue(.int64(Int64(number)), isTypeExplicit: false))
        if let result = try? await publisher.modify([operation], in: plan.database).first, !result.isFailure {
            return ledger.saved(name, due: due, at: .now)
        }
        ledger.failed(name)
    }
}
