import CloudModel
package import Feeds
import HTTPClient
import JSON

/// Saves real records at a set rate, however slow the answers are, and follows the notifications that come of them.
package struct LoadRun: Sendable {
    private let client: CloudClient
    private let plan: LoadPlan
    private let ledger = LoadLedger()
    /// Distinguishes this run's records and users from other runs'.
    private let run = String(UInt32.random(in: 0 ... .max), radix: 36)
    private static let recordType = "LoadItem"

    /// A run against a service.
    package init(client: CloudClient, plan: LoadPlan) {
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

    private func subscribe(_ number: Int, _ publisher: CloudClient) async throws -> (CloudClient, DeviceID) {
        let device = DeviceID(trusted: "load-\(run)-\(number)")
        let subscriber =
            plan.database == .public ? try await client.signedIn(as: "\(plan.user)-\(run)-\(number)").client : publisher
        try await HTTPFeed(subscriber, device: device).register(name: "load", platform: "load")
        let answer = try await subscriber.database(
            plan.database, "subscriptions/modify",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionID": .string("load-\(run)-\(number)"), "subscriptionType": "query",
                            "query": [
                                "recordType": .string(Self.recordType),
                                "filterBy": [
                                    [
                                        "fieldName": "channel", "comparator": "EQUALS",
                                        "fieldValue": ["value": .string("\(run)-\(number)")],
                                    ]
                                ],
                            ],
                            "firesOn": ["create"], "notificationInfo": [:],
                        ],
                    ]
                ]
            ])
        if let reason = answer["subscriptions"]?[0]?["reason"]?.string {
            throw ImportError("the subscription was refused: \(reason)")
        }
        return (subscriber, device)
    }

    /// Follows a stream; connects again where it ended, from the last event that came.
    private func follow(_ follower: (client: CloudClient, device: DeviceID)) async throws {
        var token: String?
        while !Task.isCancelled {
            var events = ServerSentEvents()
            do {
                for try await bytes in try await follower.client.stream(device: follower.device, after: token) {
                    let now = ContinuousClock.now
                    for event in try events.feed(bytes) where event.event == "notification" {
                        token = event.id
                        receive(event.data, at: now)
                    }
                }
            } catch is CancellationError {
                return
            } catch {
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }

    private func receive(_ data: String, at now: ContinuousClock.Instant) {
        guard let json = try? JSONValue(parsing: Array(data.utf8)), let name = json["recordName"]?.string else {
            return
        }
        ledger.received(name, at: now)
    }

    /// Saves each record when it is due, whether or not earlier ones are answered. Returns how long that took in seconds.
    private func save(_ publisher: CloudClient) async throws -> Double {
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

    private func saveOne(_ number: Int, _ due: ContinuousClock.Instant, _ publisher: CloudClient) async {
        let name = "load-\(run)-\(number)"
        ledger.begin(name, due: due)
        let record: JSONValue = [
            "operationType": "create",
            "record": [
                "recordName": .string(name), "recordType": .string(Self.recordType),
                "fields": [
                    "channel": ["value": .string("\(run)-\(number % channels)")],
                    "number": ["value": .integer(Int64(number))],
                ],
            ],
        ]
        do {
            let answer = try await publisher.database(plan.database, "records/modify", ["operations": [record]])
            if answer["records"]?[0]?["serverErrorCode"] == nil {
                return ledger.saved(name, due: due, at: .now)
            }
        } catch {}
        ledger.failed(name)
    }
}
