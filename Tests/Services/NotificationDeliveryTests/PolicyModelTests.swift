import CloudMessages
import CloudModel
import Foundation
import ProtocolBuffers
import TestSupport
import Testing

@testable import NotificationDelivery

/// Random histories of a user with policies, against a model in Python that shares no code with stage 2.
@Suite struct PolicyModelTests {
    private static let names = ["phone", "tablet"]
    private static let subscriptions = ["s", "t", "u"]

    /// A history: its lines for the model, and what the machine delivered for each.
    private struct Run {
        var feeder: PolicyFeeder
        var random: SeededGenerator
        var lines: [String] = []
        var delivered: [[String]] = []
        var now: Int64 = 1_700_000_000_000
        var number: Int64 = 0
        var epoch: Int64 = 0
        var devices: [String] = []
        /// Scheduled deliveries: when they are published, and their times.
        var scheduled: [(time: Int64, at: Int64)] = []
        /// Changes that each device has to hear of, and those that pushes stood for.
        var expected: [String: Set<Int64>] = [:]
        var pushed: [String: [Int64]] = [:]

        mutating func pick<Element>(_ elements: [Element]) -> Element { elements.randomElement(using: &random)! }

        mutating func policy() -> DeliveryPolicy? {
            guard Int.random(in: 0..<6, using: &random) > 0 else { return nil }
            let window = pick([5, 60, 600, 7200])
            let grouping: DeliveryPolicy.Grouping = pick([
                .everyChange, .latestPerRecord(windowSeconds: window),
                .digest(windowSeconds: window, count: pick([nil, 2, 4])),
            ])
            let quiet = pick([nil, nil, QuietHours(from: 1320, to: 420), QuietHours(from: 60, to: 75)])
            return DeliveryPolicy(
                grouping, quietHours: quiet, hourlyMax: pick([nil, nil, 1, 3]),
                shapesFeed: grouping != .everyChange && Int.random(in: 0..<3, using: &random) == 0)
        }

        mutating func record(_ line: String, _ result: PolicyFeeder.Delivered) {
            lines.append(line)
            var texts = result.feed.map { "feed\t\($0.subscription)\t\(Self.text($0))" }
            for push in result.pushes {
                let notification = push.notification!
                for target in push.targets {
                    texts.append("push\t\(target.device)\t\(notification.subscription)\t\(Self.text(notification))")
                    pushed[target.device, default: []] += notification.allChanges
                }
            }
            for order in result.schedules {
                texts.append("schedule\t\(order.at)\t\(order.delay)")
                scheduled.append((now + order.delay + Int64.random(in: -20...400, using: &random), order.at))
            }
            delivered.append(texts.sorted())
        }

        private static func text(_ notification: QueryNotification) -> String {
            let changes = notification.allChanges.map { "\($0)" }.joined(separator: ",")
            return "\(changes)\t\(max(1, notification.changeCount))"
        }

        mutating func step() throws {
            if Int.random(in: 0..<5, using: &random) == 0 { try feeder.restart() }
            now += pick([0, 10, 1000, 30_000, 900_000, 5_000_000])
            // Another clock may lag behind.
            try publishDue()
            switch Int.random(in: 0..<12, using: &random) {
            case 0 where devices.count < 3: try register()
            case 1 where !devices.isEmpty && Int.random(in: 0..<3, using: &random) == 0: try unregister()
            case 2 where !devices.isEmpty: try choose()
            case 3 where !devices.isEmpty && number > 0: try read()
            default: try change()
            }
        }

        mutating func publishDue() throws {
            while let index = scheduled.indices.filter({ scheduled[$0].time <= now }).min(by: {
                scheduled[$0].time < scheduled[$1].time
            }) {
                let due = scheduled.remove(at: index)
                record("due\t\(now)\t\(due.at)", try feeder.due(due.at, at: now))
            }
        }

        mutating func register() throws {
            epoch += 1
            let name = "\(pick(PolicyModelTests.names))\(epoch)"
            devices.append(name)
            record(
                "device\t\(now)\t\(name)\t\(epoch)", try feeder.register(name, epoch: epoch, at: now))
        }

        mutating func unregister() throws {
            let name = pick(devices)
            devices.removeAll { $0 == name }
            expected[name] = nil
            record(
                "gone\t\(now)\t\(name)",
                try feeder.apply(
                    .unregistered(DeviceUnregistered(device: name, epoch: Self.epoch(of: name))), at: now))
        }

        static func epoch(of name: String) -> Int64 { Int64(name.filter(\.isNumber))! }

        mutating func choose() throws {
            let name = pick(devices)
            var policies = DevicePolicies()
            var line = "choose\t\(now)\t\(name)\t"
            if Bool.random(using: &random) {
                let change = (now / 60_000 + Int64.random(in: -600...600, using: &random)) * 60_000
                policies.clock.offsets = [
                    .init(from: 0, minutes: pick([0, -300, 345])), .init(from: change, minutes: 60),
                ]
                line += policies.clock.offsets.map { "\($0.from):\($0.minutes)" }.joined(separator: ";")
            }
            policies.general = policy().map { DeliveryPolicy($0.grouping, quietHours: $0.quietHours) }
            line += "\t" + (policies.general?.line ?? "-")
            if Bool.random(using: &random) {
                let chosen = policy().map { DeliveryPolicy($0.grouping, hourlyMax: $0.hourlyMax) } ?? DeliveryPolicy()
                let subscription = pick(PolicyModelTests.subscriptions)
                policies.chosen = [
                    .init(database: .public, subscription: SubscriptionID(trusted: subscription), policy: chosen)
                ]
                line += "\t\(subscription)=\(chosen.line)"
            }
            record(
                line,
                try feeder.apply(
                    .policiesChanged(
                        PoliciesChanged(
                            device: name, epoch: Self.epoch(of: name), policies: DevicePoliciesMessage(policies))),
                    at: now))
        }

        mutating func read() throws {
            let name = pick(devices)
            let changes = (0..<3).map { _ in Int64.random(in: max(1, number - 8)...number, using: &random) }
            for device in devices { expected[device]?.subtract(changes) }
            let list = changes.map { "\($0)" }.joined(separator: ",")
            record(
                "read\t\(now)\t\(name)\t\(list)",
                try feeder.apply(
                    .read(NotificationsRead(device: name, changes: changes)), at: now))
        }

        mutating func change() throws {
            number += 1
            let (record, subscription, policy) = (
                pick(["a", "b", "c"]), pick(PolicyModelTests.subscriptions), policy()
            )
            for device in devices { expected[device, default: []].insert(number) }
            self.record(
                "change\t\(now)\t\(number)\t\(record)\t\(subscription)\t\(policy?.line ?? "-")",
                try feeder.change(number, of: record, policy, subscription: subscription, at: now))
        }
    }

    @Test(
        "the machine delivers at the times that the model names; each change is in one push",
        arguments: 1...30 as ClosedRange<UInt64>)
    func model(seed: UInt64) throws {
        print("seed \(seed)")
        var run = Run(feeder: try PolicyFeeder(), random: SeededGenerator(seed: seed))
        for _ in 0..<250 { try run.step() }
        // All windows, hours and nights pass.
        while let next = run.scheduled.map(\.time).min() {
            run.now = max(run.now, next)
            try run.publishDue()
        }
        #expect(run.feeder.stored?.holds.allSatisfy { $0.held.isEmpty } == true)
        let folder = TemporaryFolder()
        let (input, output) = (folder.path("in"), folder.path("out"))
        try run.lines.map { $0 + "\n" }.joined().write(toFile: input, atomically: false, encoding: .utf8)
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let model = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Policies/policy_model.py").path
        let python = ChildProcess(
            "/usr/bin/env", ["python3", model], input: FileHandle(forReadingAtPath: input),
            output: FileHandle(forWritingAtPath: output))
        #expect(try python.runToEnd() == 0)
        let answers = try String(contentsOfFile: output, encoding: .utf8).components(separatedBy: "end\n").dropLast()
            .map { $0.split(separator: "\n").map(String.init) }
        #expect(answers.count == run.lines.count)
        for (number, (answer, delivered)) in zip(answers, run.delivered).enumerated() where answer != delivered {
            Issue.record("event \(number), \(run.lines[number]): the model has \(answer), the machine \(delivered)")
            return
        }
        for (device, changes) in run.expected {
            let pushed = run.pushed[device] ?? []
            #expect(Set(pushed).count == pushed.count, "\(device): a change was pushed twice")
            #expect(changes.isSubset(of: pushed), "\(device): \(changes.subtracting(pushed)) were not pushed")
        }
    }
}

extension DeliveryPolicy {
    /// The policy as the model reads it.
    fileprivate var line: String {
        let name =
            switch grouping {
            case .everyChange: "every"
            case .latestPerRecord: "latest"
            case .digest: "digest"
            }
        return [
            name, "\(window)", "\(countMax ?? 0)", "\(hourlyMax ?? 0)", "\(quietHours?.from ?? 0)",
            "\(quietHours?.to ?? 0)", shapesFeed ? "1" : "0",
        ].joined(separator: ":")
    }
}
