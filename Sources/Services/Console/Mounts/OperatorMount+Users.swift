import CloudJSON
import CloudMessages
import CloudModel
import Identity
import JSON
import RecordService
import RecordStore
import WebAPI

extension OperatorMount {
    static let users: [OperatorEndpoint] = [
        OperatorEndpoint("users/list", .readsPeople) { try await $0.listUsers() },
        OperatorEndpoint("users/lookup", .readsPeople) { try await $0.lookUpUser() },
        OperatorEndpoint("users/block", .changes) { call in
            try await call.changeUser("block") { try await call.identity.setBlocked(true, $0) }
        },
        OperatorEndpoint("users/unblock", .changes) { call in
            try await call.changeUser("unblock") { try await call.identity.setBlocked(false, $0) }
        },
        OperatorEndpoint("users/signOut", .changes) { call in
            try await call.changeUser("sign-out") { try await call.identity.endSessions(of: $0) }
        },
        OperatorEndpoint("users/delete", .changesInSteps) { try await $0.deleteUser() },
    ]
}

extension OperatorCall {
    /// A page of users by name, or those whom a search names.
    fileprivate func listUsers() async throws -> JSONValue {
        let (search, limit) = (try text("search"), try limit())
        if !search.isEmpty {
            let names = try await identity.users(named: search)
            var found: [JSONValue] = []
            for name in names {
                if let listed = try await listed(name) { found.append(.object(UserReport.json(listed))) }
            }
            return ["users": .array(found)]
        }
        let users = try await identity.listUsers(after: try text("after"), limit: limit)
        var json: JSONObject = ["users": .array(users.map { .object(UserReport.json($0)) })]
        if users.count == limit, let last = users.last { json["next"] = .string(last.profile.name.rawValue) }
        return .object(json)
    }

    /// A user with usage, devices and the number of subscriptions.
    fileprivate func lookUpUser() async throws -> JSONValue {
        let name = try await user()
        guard let listed = try await listed(name) else {
            throw CloudError(.notFound, "the user '\(name)' has no identity")
        }
        return [
            "user": .object(UserReport.json(listed)), "usage": UserReport.json(try await records.usage(of: name)),
            "devices": .array(try await devices(of: name)),
        ]
    }

    private func listed(_ name: UserRecordName) async throws -> ListedUser? {
        // The name without its last character comes before it, with few others between: names are 128 random bits.
        let page = try await identity.listUsers(
            after: String(name.rawValue.dropLast()), limit: Limits.operatorPageMax)
        return page.first { $0.profile.name == name }
    }

    fileprivate func changeUser(
        _ verb: String, _ work: (UserRecordName) async throws -> Void
    ) async throws -> JSONValue {
        let user = try await user()
        try await work(user)
        return ["userRecordName": .string(user.rawValue), "done": .string(verb)]
    }

    /// Removes a user for good; the body has the record name twice, as an operator typed it.
    fileprivate func deleteUser() async throws -> JSONValue {
        let user = try await user()
        guard try body.required("confirm").string() == user.rawValue else {
            throw CloudError.badRequest("confirm is the record name of the user who is to be deleted")
        }
        var json = try await UserDeletion(identity, records).run(user, patience: .seconds(10))
        let remains = UserDeletion.remains(records.layout.retention, json)
        json["userRecordName"] = .string(user.rawValue)
        json["done"] = "delete"
        json["remains"] = .array(remains.map { .string($0) })
        return .object(json)
    }
}
