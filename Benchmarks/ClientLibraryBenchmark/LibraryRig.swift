import FanfareCloudKit
import Foundation

/// One user of a service: through the library, and through a program that sends bytes and counts the answers.
struct LibraryRig {
    private static let batches = 20
    private static let batchSize = 100
    private static let count = batches * batchSize
    private static let streams = 1000

    private let container: CKContainer
    private let bare: BareClient
    private let rounds: Int

    /// - Parameter configuration: the `dev.json` of a service.
    init(configuration: String, rounds: Int) async throws {
        var settings = try CKContainer.Configuration(environment: ["FANFARE_CLIENT_CONFIGURATION": configuration])
        settings.signIn = .developmentUser("bench")
        settings.deviceID = "bench"
        container = CKContainer(configuration: settings)
        try await container.registerDevice()
        bare = try await BareClient(settings)
        self.rounds = rounds
    }

    func run() async throws {
        try await compare("library-saves") {
            try await self.save("Saved")
        } bare: {
            try await self.saveBare("Saved")
        }
        let subscription = CKQuerySubscription(
            recordType: "Delivered", predicate: NSPredicate(value: true), subscriptionID: "delivered",
            options: .firesOnRecordCreation)
        subscription.notificationInfo = CKSubscription.NotificationInfo(alertBody: "delivered")
        try await container.privateCloudDatabase.save(subscription)
        // By a client that is not this device: a device is not notified of its own changes.
        try await saveBare("Delivered")
        // Waits for all of them to be there.
        let end = try await read()
        try await compare("library-notifications") {
            _ = try await self.read()
        } bare: {
            try await self.bare.read(Self.count)
        }
        try await idle(after: end)
    }

    /// Measures both in turns, each first in every other round.
    private func compare(_ name: String, library: () async throws -> Void, bare: () async throws -> Void) async throws {
        var rates: (library: [Double], bare: [Double]) = ([], [])
        for round in 0..<rounds {
            if round % 2 == 0 { rates.library.append(try await rate(library)) }
            rates.bare.append(try await rate(bare))
            if round % 2 == 1 { rates.library.append(try await rate(library)) }
        }
        let (library, bare) = (median(rates.library), median(rates.bare))
        let ratio = median(zip(rates.library, rates.bare).map { $0 / $1 })
        line(name, ["library": library, "bare": bare, "ratio": ratio])
    }

    private func rate(_ work: () async throws -> Void) async throws -> Double {
        let start = ContinuousClock.now
        try await work()
        return Double(Self.count) / ((ContinuousClock.now - start) / .seconds(1))
    }

    private func save(_ type: String) async throws {
        for _ in 0..<Self.batches {
            let records = (0..<Self.batchSize).map { number in
                let record = CKRecord(recordType: type)
                record["number"] = number
                record["text"] = "a text of some length, as notes have it"
                return record
            }
            let results = try await container.privateCloudDatabase.modifyRecords(saving: records, deleting: [])
            for result in results.saveResults.values { _ = try result.get() }
        }
    }

    private func saveBare(_ type: String) async throws {
        for _ in 0..<Self.batches {
            let operations = (0..<Self.batchSize).map { number in
                #"{"operationType":"create","record":{"recordName":"\#(UUID().uuidString)","recordType":"\#(type)","#
                    + #""fields":{"number":{"value":\#(number),"type":"INT64"},"#
                    + #""text":{"value":"a text of some length, as notes have it","type":"STRING"}}}}"#
            }
            try await bare.save(#"{"operations":[\#(operations.joined(separator: ","))]}"#)
        }
    }

    /// Reads the feed from its start; returns the last token.
    private func read() async throws -> CKServerChangeToken? {
        var left = Self.count
        for try await notification in container.notifications() {
            left -= 1
            if left == 0 { return notification.serverChangeToken }
        }
        return nil
    }

    /// The memory of waiting streams. One more record shows that all of them are open.
    private func idle(after token: CKServerChangeToken?) async throws {
        let before = residentBytes()
        try await withThrowingTaskGroup(of: Void.self) { group in
            let opened = Counter()
            for _ in 0..<Self.streams {
                group.addTask { [container] in
                    for try await _ in container.notifications(for: "bench", after: token) {
                        await opened.add()
                        // It waits on, until the task is cancelled.
                    }
                }
            }
            try await bare.save(#"{"operations":[{"operationType":"create","record":{"recordType":"Delivered"}}]}"#)
            await opened.reach(Self.streams)
            line(
                "library-idle-streams",
                [
                    "streams": Double(Self.streams),
                    "kibibytes-each": (residentBytes() - before) / 1024 / Double(Self.streams),
                ])
            group.cancelAll()
            while let _ = await group.nextResult() {}
        }
    }

    private func residentBytes() -> Double {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Double($0) } ?? 0
        return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
    }

    private func line(_ name: String, _ fields: KeyValuePairs<String, Double>) {
        let parts = fields.map { "\"\($0.key)\":\(String(format: "%.4g", $0.value))" }
        let text = "{\"benchmark\":\"\(name)\",\(parts.joined(separator: ","))}\n"
        FileHandle.standardOutput.write(Data(text.utf8))
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}

/// Counts until somebody's number is reached.
private actor Counter {
    private var count = 0
    private var waiting: (number: Int, CheckedContinuation<Void, Never>)?

    func add() {
        count += 1
        guard let (number, continuation) = waiting, count >= number else { return }
        waiting = nil
        continuation.resume()
    }

    func reach(_ number: Int) async {
        guard count < number else { return }
        await withCheckedContinuation { waiting = (number, $0) }
    }
}
