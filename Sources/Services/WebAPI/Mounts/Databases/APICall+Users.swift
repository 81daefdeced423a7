import CloudJSON
import CloudModel
import HTTPServer
import JSON
import RecordService

extension APICall {
    func currentUser() async throws -> HTTPResponse {
        _ = try bodyIfAny()
        if let user = caller.user { try? await scope.records.makeUserRecord(of: user) }
        let profile = try await scope.records.currentUser(for: caller)
        return JSONResponse.make(
            UserEncoding.caller(profile, isDiscoverable: try await scope.records.isDiscoverable(caller)))
    }

    /// Lets others find the caller, or not any more.
    func setDiscoverable() async throws -> HTTPResponse {
        try await scope.records.setDiscoverable(try body().required("isDiscoverable").bool(), for: caller)
        return try await currentUser()
    }

    /// Answers with the users that the lookups find; without lookups, with those that the caller may know of.
    func discoverUsers() async throws -> HTTPResponse {
        guard request.method == "POST" else {
            let users = try await scope.records.discoverableUsers(for: caller)
            return JSONResponse.make(["users": .array(users.map { UserEncoding.found($0, by: nil) })])
        }
        var lookups: [UserLookup] = []
        for info in try body().required("lookupInfos").elements() { lookups.append(try Self.lookup(info)) }
        let found = try await scope.records.lookUpUsers(lookups, for: caller)
        let users = zip(found, lookups).compactMap { user, lookup in user.map { UserEncoding.found($0, by: lookup) } }
        return JSONResponse.make(["users": .array(users)])
    }

    /// Answers with an item for each lookup: the user, or that there is none.
    func lookUpUsers(byEmail: Bool) async throws -> HTTPResponse {
        var lookups: [UserLookup] = []
        for item in try body().required("users").elements() {
            let key = byEmail ? "emailAddress" : "userRecordName"
            let value = try item.object().required(key)
            lookups.append(byEmail ? .email(try value.string()) : .recordName(try value.identifier()))
        }
        return try await users(lookups)
    }

    /// Answers the same for entries of an address book.
    func lookUpContacts() async throws -> HTTPResponse {
        var lookups: [UserLookup] = []
        for contact in try body().required("contacts").elements() { lookups.append(try Self.lookup(contact)) }
        return try await users(lookups)
    }

    private func users(_ lookups: [UserLookup]) async throws -> HTTPResponse {
        let found = try await scope.records.lookUpUsers(lookups, for: caller)
        let users = zip(found, lookups).map { user, lookup -> JSONValue in
            if let user { return UserEncoding.found(user, by: lookup) }
            let error = CloudError(.notFound, "there is no discoverable user of this address, number or name")
            return .object(ErrorEncoding.item(error, into: UserEncoding.info(lookup)))
        }
        return JSONResponse.make(["users": .array(users)])
    }

    private static func lookup(_ json: JSONPath) throws(CloudError) -> UserLookup {
        _ = try json.object()
        if let name = json["userRecordName"] { return .recordName(try name.identifier()) }
        if let email = json["emailAddress"] { return .email(try email.string()) }
        if let number = json["phoneNumber"] { return .phoneNumber(try number.string()) }
        throw .badRequest("\(json.path) needs 'emailAddress', 'phoneNumber' or 'userRecordName'")
    }
}
