import CloudJSON
import CloudModel
import Feeds
import Identity
import JSON
import Matching
import RecordService
import RecordStore
import WebAPI

extension OperatorMount {
    static let devices: [OperatorEndpoint] = [
        OperatorEndpoint("devices/list", .readsPeople) { call in
            try await call.ofUsers("devices") { try await call.devices(of: $0) }
        },
        OperatorEndpoint("devices/remove", .changes) { call in
            let id = try call.body.required("deviceID").identifier(DeviceID.self)
            guard let stored = try await call.records.store.read({ try $0.device(id) }) else {
                throw CloudError(.notFound, "there is no device '\(id)'")
            }
            try await call.records.unregisterDevice(id, for: Caller(user: stored.device.user))
            return [
                "deviceID": .string(id.rawValue), "userRecordName": .string(stored.device.user.rawValue),
                "done": "remove",
            ]
        },
    ]

    static let subscriptions: [OperatorEndpoint] = [
        OperatorEndpoint("subscriptions/list", .readsPeople) { call in
            try await call.ofUsers("subscriptions") { try await call.subscriptions(of: $0) }
        },
        OperatorEndpoint("subscriptions/remove", .changes) { try await $0.removeSubscription() },
    ]
}

extension OperatorCall {
    /// Users whose lists one page has.
    private static let usersOfPage = 50

    /// A list of what one user has, or a page of what all have, by users. A page ends after the user with whom it has
    /// `queryPageBytesMax` bytes.
    func ofUsers(
        _ list: String, _ items: (UserRecordName) async throws -> [JSONValue]
    ) async throws -> JSONValue {
        guard body["user"] == nil else { return [list: .array(try await items(try await user()))] }
        let limit = min(try limit(Self.usersOfPage), Self.usersOfPage)
        let users = try await identity.listUsers(after: try text("after"), limit: limit)
        var found: [JSONValue] = []
        var (bytes, count) = (0, 0)
        for user in users where bytes < Limits.queryPageBytesMax {
            let own = try await items(user.profile.name)
            bytes += try own.reduce(0) { try $0 + $1.serialized().count }
            count += 1
            found += own
        }
        var json: JSONObject = [list: .array(found)]
        if count == limit || count < users.count { json["next"] = .string(users[count - 1].profile.name.rawValue) }
        return .object(json)
    }

    /// A user's devices, with where each is.
    func devices(of user: UserRecordName) async throws -> [JSONValue] {
        let (devices, addresses) = try await records.store.read {
            (try $0.devices(of: user), try $0.pushAddresses(of: user))
        }
        var found: [JSONValue] = []
        for stored in devices {
            var standing: TokenStanding?
            if let token = stored.token { standing = try? await scope.feeds.standing(of: token) }
            let own = addresses.filter { $0.device == stored.device.id }
            found.append(.object(DeviceReport.json(stored, own, standing)))
        }
        return found
    }

    fileprivate func subscriptions(of user: UserRecordName) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        for database in DatabaseScope.allCases {
            let subscriptions = try await records.listSubscriptions(in: database, for: Caller(user: user))
            found += subscriptions.map { subscription in
                [
                    "userRecordName": .string(user.rawValue), "database": .string("\(database)"),
                    "cost": .integer(Int64(subscription.standingCost)),
                    "subscription": SubscriptionJSON.subscription(subscription),
                ]
            }
        }
        return found
    }

    fileprivate func removeSubscription() async throws -> JSONValue {
        let user = try await user()
        let name = try body.required("database").string()
        guard let database = DatabaseScope(name) else {
            throw CloudError.badRequest("database is public, private or shared, not '\(name.prefix(80))'")
        }
        let id = try body.required("subscriptionID").identifier(SubscriptionID.self)
        let results = try await records.modifySubscriptions([.delete(id)], in: database, for: Caller(user: user))
        if case .failed(_, let error) = results.first { throw error }
        return [
            "userRecordName": .string(user.rawValue), "database": .string("\(database)"),
            "subscriptionID": .string(id.rawValue), "done": "remove",
        ]
    }
}
