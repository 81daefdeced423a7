import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// The laws of a client: whatever a network does to its requests and answers, nothing is lost and nothing done twice.
@Suite struct FaultTests {
    /// The changes that an app made, as it believes.
    private struct Model {
        var records: [CKRecord] = []
        var texts: [CKRecord.ID: String] = [:]
        var received: [String] = []
    }

    @Test(
        "the service has the result of each save, and each change makes one notification",
        arguments: [1, 2, 3] as [UInt64])
    func saves(seed: UInt64) async throws {
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        let devices = try await Devices()
        let type = devices.name("Note")
        let observer = devices.device("pad")
        try await observer.registerDevice()
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(value: true), subscriptionID: "all",
            options: [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion])
        subscription.notificationInfo = CKSubscription.NotificationInfo(desiredKeys: ["text"])
        let network = FaultyTransport(seed: seed, share: 0.25)
        var configuration = devices.configuration(network)
        configuration.signIn = .developmentUser(devices.name("alice"))
        configuration.deviceID = "phone-\(devices.unique)"
        configuration.attemptsMax = 12
        let phone = CKContainer(configuration: configuration)
        let database = phone.privateCloudDatabase
        try await database.save(subscription)

        var model = Model()
        for step in 0..<40 {
            let text = "text \(step)"
            if model.records.count < 3 || Int.random(in: 0..<4, using: &generator) == 0 {
                let record = CKRecord(recordType: type)
                record["text"] = text
                try await database.save(record)
                model.records.append(record)
                model.texts[record.recordID] = text
                model.received.append("recordCreated \(text)")
            } else if Int.random(in: 0..<5, using: &generator) == 0 {
                let record = model.records.removeLast()
                try await database.deleteRecord(withID: record.recordID)
                model.received.append("recordDeleted \(model.texts.removeValue(forKey: record.recordID) ?? "")")
            } else if let record = model.records.randomElement(using: &generator) {
                record["text"] = text
                try await database.save(record)
                model.texts[record.recordID] = text
                model.received.append("recordUpdated \(text)")
            }
        }
        #expect(network.count.value > 0)

        let found = try await observer.privateCloudDatabase.perform(
            CKQuery(recordType: type, predicate: NSPredicate(value: true)), inZoneWith: nil)
        let texts = Dictionary(uniqueKeysWithValues: found.map { ($0.recordID, $0["text"] as? String ?? "") })
        #expect(texts == model.texts, "seed \(seed)")

        // The device behind the same network hears of each once and in order, however often it connects.
        configuration.deviceID = "watch-\(devices.unique)"
        configuration.transport = FaultyTransport(seed: seed + 100, share: 0.25)
        let watch = CKContainer(configuration: configuration)
        let received = try await next(model.received.count, watch.privateCloudDatabase.notifications()).map {
            notification in
            let query = notification as? CKQueryNotification
            return
                "\(query.map { "\($0.queryNotificationReason)" } ?? "-") \(query?.recordFields?["text"] as? String ?? "")"
        }
        #expect(received == model.received, "seed \(seed)")
    }

    @Test("answers of any kind make errors, never more", arguments: [1, 2, 3, 4] as [UInt64])
    func garbage(seed: UInt64) async throws {
        print("seed \(seed)")
        let generator = Guarded(SeededGenerator(seed: seed))
        let bodies = [
            "", "{}", "[]", "null", "5", "{\"records\": [{}]}", "{\"records\": [{\"recordName\": 5}]}",
            "{\"zones\": [[]]}", "{\"serverErrorCode\": \"NEW\"}",
            "{\"records\": [], \"zones\": [], \"subscriptions\": []}",
            "{\"zones\": [{\"records\": [{\"deleted\": true}], \"syncToken\": \"\"}]}", "\u{0}", "<html>",
            "{\"notifications\": [{\"notificationType\": \"new\"}], \"serverChangeToken\": \"\"}",
        ]
        let transport = AnsweringTransport { _ in
            generator.update { generator in
                FanfareResponse(
                    status: [200, 200, 400, 409, 500].randomElement(using: &generator)!,
                    body: Array(bodies.randomElement(using: &generator)!.utf8))
            }
        }
        var configuration = CKContainer.Configuration(
            url: "http://test", containerIdentifier: "iCloud.test", apiToken: "", transport: transport)
        configuration.attemptsMax = 1
        let container = CKContainer(configuration: configuration)
        let database = container.privateCloudDatabase
        let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "z"))
        for _ in 0..<30 {
            for work in [
                { _ = try await database.record(for: id) },
                { try await database.save(CKRecord(recordType: "A", recordID: id)) },
                {
                    _ = try await database.perform(
                        CKQuery(recordType: "A", predicate: .init(value: true)), inZoneWith: nil)
                },
                { _ = try await database.recordZoneChanges(inZoneWith: id.zoneID, since: nil) },
                { _ = try await database.databaseChanges(since: nil) },
                { _ = try await database.allSubscriptions() }, { _ = try await database.allRecordZones() },
                { _ = try await container.notificationPage() },
            ] as [@Sendable () async throws -> Void] {
                do { try await work() } catch { #expect(error is CKError, "seed \(seed): \(error)") }
            }
        }
    }

    @Test("a sign-in that has ended is begun again, with the token that the app's closure gives")
    func signIn() async throws {
        let calls = Guarded(0)
        let tokens = Guarded<[String]>([])
        let transport = AnsweringTransport { request in
            if request.url.contains("/signin") {
                let number = calls.update { count in
                    count += 1
                    return count
                }
                let user = "_" + String(repeating: "0", count: 32)
                return FanfareResponse(
                    status: 200,
                    body: Array(#"{"ckWebAuthToken": "token\#(number)", "userRecordName": "\#(user)"}"#.utf8))
            }
            let token = request.url.components(separatedBy: "ckWebAuthToken=").last?.prefix { $0 != "&" } ?? ""
            tokens.update { $0.append(String(token)) }
            if token == "token1" {
                return FanfareResponse(
                    status: 401, body: Array(#"{"serverErrorCode": "AUTHENTICATION_FAILED", "reason": "ended"}"#.utf8))
            }
            return FanfareResponse(
                status: 200, headers: [(name: "x-apple-cloudkit-web-auth-token", value: "fresh\(tokens.value.count)")],
                body: Array(#"{"zones": []}"#.utf8))
        }
        var configuration = CKContainer.Configuration(
            url: "http://test", containerIdentifier: "iCloud.test", apiToken: "",
            signIn: .idToken { "an ID token" }, deviceID: "phone", transport: transport)
        configuration.attemptsMax = 1
        let database = CKContainer(configuration: configuration).privateCloudDatabase
        for _ in 0..<3 { #expect(try await database.allRecordZones().isEmpty) }
        #expect(tokens.value == ["token1", "token2", "fresh2", "fresh3"])
        #expect(calls.value == 2)
    }
}

/// A transport that answers by a function.
private struct AnsweringTransport: FanfareTransport {
    let answer: @Sendable (FanfareRequest) -> FanfareResponse

    func send(_ request: FanfareRequest) async throws -> FanfareResponse { answer(request) }

    func stream(_ request: FanfareRequest) async throws -> FanfareStream {
        let answer = answer(request)
        return FanfareStream(status: answer.status) { nil }
    }
}
