package import CloudModel
package import FanfareCloudKit
package import JSON

/// What a user of an app does in a story.
package struct StoryUser: Sendable {
    package let client: CloudService
    package let record: UserRecordName

    /// A notification as a device reads it.
    package struct Note: Hashable, Sendable, CustomStringConvertible {
        package var id: String
        package var type: String
        package var subscription: String?
        package var reason: String?
        package var record: String?
        package var alert: String?
        package var badge: Int64?
        /// The fields as JSON text.
        package var fields: String?

        package init(_ json: JSONValue) {
            id = json["notificationID"]?.string ?? ""
            type = json["notificationType"]?.string ?? ""
            subscription = json["subscriptionID"]?.string
            reason = json["queryNotificationReason"]?.string
            record = json["recordName"]?.string
            alert = json["alertBody"]?.string
            badge = json["badge"]?.integer
            fields = (try? json["recordFields"]?.serialized()).map { String(decoding: $0, as: UTF8.self) }
        }

        package var description: String { "\(type) \(record ?? "") \(reason ?? "") \(subscription ?? "")" }

        /// Without the badge, which history does not carry.
        package var content: Note {
            var copy = self
            copy.badge = nil
            return copy
        }
    }

    /// One page of a feed.
    package struct Page: Sendable {
        package var notes: [Note]
        package var token: String
        package var moreComing: Bool
    }

    /// Registers a device; its ID is unique among all tests'.
    package func register(_ name: String) async throws -> String {
        let id = "\(name)-\(UInt32.random(in: 0 ... .max))"
        try await client.register(DeviceID(trusted: id), name: name, platform: "")
        return id
    }

    /// Subscribes to a record type.
    /// - Parameter filters: entries of `filterBy`.
    package func subscribe(
        _ id: String, to type: String, filters: [JSONValue] = [], on events: [String] = ["create", "update", "delete"],
        once: Bool = false, info: JSONValue = ["alertBody": "changed"], in database: DatabaseScope = .public
    ) async throws {
        let answer = try await client.database(
            database, "subscriptions/modify",
            [
                "operations": [
                    [
                        "operationType": "create",
                        "subscription": [
                            "subscriptionID": .string(id), "subscriptionType": "query",
                            "query": ["recordType": .string(type), "filterBy": .array(filters)],
                            "firesOn": .array(events.map { .string($0) }), "firesOnce": .bool(once),
                            "notificationInfo": info,
                        ],
                    ]
                ]
            ])
        try Self.check(answer["subscriptions"]?[0])
    }

    /// Deletes a subscription.
    package func unsubscribe(_ id: String, in database: DatabaseScope = .public) async throws {
        for result in try await client.modify([.delete(SubscriptionID(trusted: id))], in: database) {
            _ = try result.get()
        }
    }

    /// The IDs of the user's subscriptions.
    package func subscriptions(in database: DatabaseScope = .public) async throws -> [String] {
        try await client.subscriptions(in: database).compactMap { $0.id?.rawValue }
    }

    /// Saves records in one request, over any stored ones.
    /// - Parameter device: the `clientId`; the device that makes the change.
    package func save(
        _ records: [(name: String, fields: JSONObject)], type: String, from device: String? = nil,
        in database: DatabaseScope = .public
    ) async throws {
        var client = client
        client.clientID = device
        for start in stride(from: 0, to: records.count, by: Limits.operationsMax) {
            let part = records[start..<min(start + Limits.operationsMax, records.count)]
            let operations = part.map { record -> JSONValue in
                var fields: JSONObject = [:]
                for (key, value) in record.fields { fields[key] = ["value": value] }
                return [
                    "operationType": "forceUpdate",
                    "record": [
                        "recordName": .string(record.name), "recordType": .string(type), "fields": .object(fields),
                    ],
                ]
            }
            let answer = try await client.database(database, "records/modify", ["operations": .array(operations)])
            for item in answer["records"]?.array ?? [] { try Self.check(item) }
        }
    }

    /// Saves one record in the public database with typed values, over any stored one.
    package func save(_ name: String, typed fields: JSONValue, type: String) async throws {
        let record: JSONValue = ["recordName": .string(name), "recordType": .string(type), "fields": fields]
        let answer = try await client.database(
            .public, "records/modify", ["operations": [["operationType": "forceUpdate", "record": record]]])
        try Self.check(answer["records"]?[0])
    }

    /// One page of a device's feed.
    package func changes(
        _ device: String, after token: String? = nil, limit: Int = 200, wait: Int = 0
    ) async throws -> Page {
        try await answer("device \(device)'s page") {
            do {
                let page = try await client.notifications(
                    of: DeviceID(trusted: device), after: token, limit: limit, waitSeconds: wait)
                return Page(notes: page.json.map(Note.init), token: page.token, moreComing: page.moreComing)
            } catch let error as FanfareError where error.code == .tryAgainLater {
                // As clients do: delivery is behind, for as long as the group misses a member that was killed.
                return nil
            }
        }
    }

    /// Everything in a device's feed after a token; nil is the start.
    package func feed(_ device: String, after token: String? = nil, limit: Int = 200) async throws -> Page {
        var all = Page(notes: [], token: token ?? "", moreComing: true)
        var position = token
        while all.moreComing {
            let page = try await changes(device, after: position, limit: limit)
            all.notes += page.notes
            all.token = page.token
            all.moreComing = page.moreComing
            position = page.token
        }
        return all
    }

    /// Waits until a device's feed has so many notifications, and returns all of it.
    package func feed(_ device: String, atLeast count: Int, after token: String? = nil) async throws -> Page {
        try await within("\(count) notifications on \(device)") {
            while true {
                let page = try await feed(device, after: token)
                if page.notes.count >= count { return page }
                _ = try await changes(device, after: page.token, wait: 5)
            }
        }
    }

    /// Marks notifications as read on a device; returns the error codes by ID.
    package func markRead(_ ids: [String], on device: String) async throws -> [String: String] {
        try await client.markRead(ids, on: DeviceID(trusted: device)).compactMapValues(\.serverErrorCode)
    }

    /// The badge of a device.
    package func badge(_ device: String) async throws -> Int64 {
        try await answer("the badge of \(device)") {
            do {
                return try await client.badge(of: DeviceID(trusted: device))
            } catch let error as FanfareError where error.code == .tryAgainLater {
                return nil
            }
        }
    }

    /// Sets the badge of all devices.
    package func setBadge(_ value: Int64, on device: String) async throws {
        try await client.setBadge(value, on: DeviceID(trusted: device))
    }

    /// Removes a device.
    package func unregister(_ device: String) async throws {
        try await client.unregister(DeviceID(trusted: device))
    }

    private static func check(_ item: JSONValue?) throws {
        guard let code = item?["serverErrorCode"]?.string else { return }
        throw StorySystem.Failed("\(code): \(item?["reason"]?.string ?? "")")
    }
}
