import FanfareCloudKit
import Foundation

/// The list on this device, and what brings it and the service's together.
final class TaskList {
    /// A task as the device keeps it.
    struct Item: Codable {
        var title: String
        var isDone: Bool
    }

    /// The device's copy: the tasks by the names of their records, and the places that were read to.
    struct Copy: Codable {
        var tasks: [String: Item] = [:]
        var changes: CKServerChangeToken?
        var notifications: CKServerChangeToken?
    }

    private static let zone = CKRecordZone(zoneName: "Tasks")
    private static let type = "TodoTask"
    private static let file = URL(
        fileURLWithPath: ProcessInfo.processInfo.environment["TODO_FILE"] ?? "todo.json")

    private let container = CKContainer.default()
    private var database: CKDatabase { container.privateCloudDatabase }
    private(set) var copy: Copy

    private init(_ copy: Copy) { self.copy = copy }

    /// The list, with its zone and subscription made. Both may be there: making them again is harmless.
    static func opened() async throws -> TaskList {
        let kept = try? JSONDecoder().decode(Copy.self, from: Data(contentsOf: file))
        let list = TaskList(kept ?? Copy())
        guard kept == nil else { return list }
        try await list.container.registerDevice()
        try await list.database.save(zone)
        let subscription = CKQuerySubscription(
            recordType: type, predicate: NSPredicate(format: "isDone == %@", NSNumber(value: false)),
            subscriptionID: "open-tasks", options: [.firesOnRecordCreation, .firesOnRecordUpdate])
        subscription.zoneID = zone.zoneID
        let info = CKSubscription.NotificationInfo()
        info.alertLocalizationKey = "NEW_TASK"
        info.alertLocalizationArgs = ["title"]
        info.desiredKeys = ["title"]
        subscription.notificationInfo = info
        try await list.database.save(subscription)
        return list
    }

    /// Keeps the copy for the next run.
    func keep() throws { try JSONEncoder().encode(copy).write(to: Self.file, options: .atomic) }

    /// Brings the copy up to date with the zone's change feed.
    func fetch() async throws {
        var moreComing = true
        while moreComing {
            do {
                let page = try await database.recordZoneChanges(inZoneWith: Self.zone.zoneID, since: copy.changes)
                for result in page.modificationResultsByID.values { take(try result.get().record) }
                for deletion in page.deletions { copy.tasks[deletion.recordID.recordName] = nil }
                copy.changes = page.changeToken
                moreComing = page.moreComing
            } catch CKError.changeTokenExpired {
                copy = Copy(notifications: copy.notifications)
            }
        }
    }

    /// Adds a task.
    func add(_ title: String) async throws {
        let record = CKRecord(recordType: Self.type, zoneID: Self.zone.zoneID)
        record["title"] = title
        record["isDone"] = false
        take(try await database.save(record))
    }

    /// Changes the task of a title; if another device was faster, on top of what that one did.
    func change(_ title: String, _ change: (CKRecord) -> Void) async throws {
        guard let id = id(of: title) else { return print("todo: there is no task '\(title)'") }
        var record = try await database.record(for: id)
        while true {
            change(record)
            do {
                return take(try await database.save(record))
            } catch let error as CKError where error.code == .serverRecordChanged {
                guard let server = error.serverRecord else { throw error }
                record = server
            }
        }
    }

    /// Removes the task of a title.
    func remove(_ title: String) async throws {
        guard let id = id(of: title) else { return print("todo: there is no task '\(title)'") }
        try await database.deleteRecord(withID: id)
        copy.tasks[id.recordName] = nil
    }

    /// Prints what other devices do as it comes, so many notifications.
    func watch(_ count: Int) async throws {
        var left = count
        for try await notification in database.notifications(after: copy.notifications) {
            copy.notifications = notification.serverChangeToken
            if let query = notification as? CKQueryNotification {
                print("* \(query.recordFields?["title"] as? String ?? "a task") (\(query.queryNotificationReason))")
            }
            try await fetch()
            left -= 1
            if left == 0 { break }
        }
    }

    private func take(_ record: CKRecord) {
        copy.tasks[record.recordID.recordName] = Item(
            title: record["title"] as? String ?? "", isDone: record["isDone"] as? Bool ?? false)
    }

    private func id(of title: String) -> CKRecord.ID? {
        copy.tasks.first { $0.value.title == title }.map {
            CKRecord.ID(recordName: $0.key, zoneID: Self.zone.zoneID)
        }
    }
}
