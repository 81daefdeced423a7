import CloudModel
import FanfareCloudKit
import Foundation
import TestSupport
import Testing

/// An app's way: the client library as others import it, over Foundation's own transport.
@Suite struct ClientLibraryStory {
    @Test("an app signs in, saves, subscribes and follows its notifications")
    func following() async throws {
        let system = try await StorySystem.shared(.embedded)
        let anonymous = FanfareClient(
            url: system.url, container: system.scope.container.rawValue, environment: .development,
            apiToken: system.apiToken)
        let unique = "\(UInt32.random(in: 0 ... .max))"
        let alice = try await anonymous.signedIn(developmentUser: "alice-\(unique)")
        let device = "phone-\(unique)"
        let type = "Note\(unique)"
        try await alice.registerDevice(device, name: "phone")
        let database = alice.database(.private)
        var note = FanfareRecord(type: type, fields: ["text": .string("hello"), "year": .int64(1950)])
        note = try await database.save(note)
        #expect(try await database.fetch(note.recordName) == note)

        var subscription = FanfareSubscription(
            id: "all-\(unique)",
            .records(FanfareQuery(recordType: type, where: "year > %@", [.int64(1900)]), on: [.update, .delete]))
        subscription.additionalFields = ["text"]
        try await database.save(subscription)
        #expect(try await database.subscriptionIDs() == [subscription.id])
        note.fields["text"] = .string("changed")
        note = try await database.save(note)
        await #expect(throws: FanfareError.self) {
            try await database.save(FanfareRecord(type: type, name: note.recordName))
        }
        let query = FanfareQuery(recordType: type, where: "year == %@", [.int64(1950)])
        #expect(try await database.query(query).records == [note])
        try await database.delete(note.recordName)

        let told = try await within(.seconds(60), "two notifications") {
            var told: [FanfareNotification] = []
            for try await notification in alice.notifications(on: device) {
                told.append(notification)
                if told.count == 2 { break }
            }
            return told
        }
        #expect(
            told.map(\.content) == [
                .record(name: note.recordName, type: type, event: .update, fields: ["text": .string("changed")]),
                .record(name: note.recordName, type: type, event: .delete, fields: ["text": .string("changed")]),
            ])
        // A token reads on behind what was read.
        #expect(try await alice.notificationPage(on: device, after: told[0].token).notifications.count == 1)
        try await alice.markRead([told[0].id], on: device)
        try await alice.unregisterDevice(device)
        try await alice.signOut()
    }
}
