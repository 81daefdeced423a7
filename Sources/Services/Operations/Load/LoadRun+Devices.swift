import CloudCalls
import CloudModel
import JSON

/// The work beside the records and after them: subscriptions that come and go, and devices that are new.
extension LoadRun {
    private static let pageMax = 200

    /// Saves subscriptions that select nothing and deletes them again, at the plan's rate, until the task is cancelled.
    func churn(_ users: [CloudService]) async {
        await withTaskGroup(of: Void.self) { group in
            let began = ContinuousClock.now
            var number = 0
            while !Task.isCancelled {
                let due = began + .seconds(Double(number) / plan.churn)
                try? await Task.sleep(until: due)
                if Task.isCancelled { break }
                let user = users[number % users.count]
                group.addTask { [number] in
                    let id = SubscriptionID(trusted: "churn-\(run)-\(number)")
                    let draft = subscription(selecting: "nothing-\(run)", id: id)
                    let saved = try? await user.modify([.create(draft)], in: plan.database).first
                    let deleted = try? await user.modify([.delete(id)], in: plan.database).first
                    if case .success? = saved, case .success? = deleted {
                        ledger.churned(ContinuousClock.now - due)
                    } else if !Task.isCancelled {
                        ledger.churned(nil)
                    }
                }
                number += 1
            }
        }
    }

    /// Registers new devices, and compares each replay with the saves for its user.
    func replay(_ users: [CloudService]) async throws {
        let saved = ledger.report.saved == plan.count ? plan.count : 0
        _ = try await together(plan.herd) { number in
            let channel = number % users.count
            let began = ContinuousClock.now
            let device = DeviceID(trusted: "herd-\(run)-\(number)")
            try await users[channel].register(device, name: "herd", platform: "load")
            let wanted = (0..<saved).filter { plan.isForAll || $0 % plan.channels == channel }
            let delivered = try await self.notified(users[channel], device)
            let missing = wanted.count { delivered["load-\(run)-\($0)"] == nil }
            ledger.replayed(
                missing: missing, doubled: delivered.values.reduce(0) { $0 + $1 - 1 }, in: ContinuousClock.now - began)
        }
    }

    /// Returns the number of notifications for each record of this run in a device's feed, read from its start to its
    /// end.
    private func notified(_ user: CloudService, _ device: DeviceID) async throws -> [String: Int] {
        var delivered: [String: Int] = [:]
        var token: String?
        while true {
            let page = try await user.notifications(of: device, after: token, limit: Self.pageMax)
            for name in page.json.compactMap({ $0["recordName"]?.string }) where name.hasPrefix("load-\(run)-") {
                delivered[name, default: 0] += 1
            }
            token = page.token
            if !page.moreComing { return delivered }
        }
    }
}
