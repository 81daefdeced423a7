import CloudJSON
import CloudModel
import EventLog
import Feeds
import Identity
import RecordService
import WebAPI

/// One request of an operator, in a container's environment.
struct OperatorCall: Sendable {
    let scope: APIScope
    let system: OperatedSystem
    let who: Operator
    let body: JSONPath

    var records: RecordService { scope.records }
    var identity: IdentityService { scope.identity }

    /// The number of items that the body asks for.
    /// - Throws: `BAD_REQUEST`.
    func limit(_ usual: Int = 200) throws(CloudError) -> Int {
        guard let wanted = try body["limit"]?.integer() else { return usual }
        guard (1...Int64(Limits.operatorPageMax)).contains(wanted) else {
            throw .badRequest("limit is a number from 1 to \(Limits.operatorPageMax), not \(wanted)")
        }
        return Int(wanted)
    }

    /// A member that is a text; empty when it is absent.
    func text(_ key: String) throws(CloudError) -> String { try body[key]?.string() ?? "" }

    /// The user that the body names, by record name, address or development name.
    /// - Throws: `NOT_FOUND`.
    func user() async throws -> UserRecordName {
        let wanted = try body.required("user").string()
        let found = try await identity.users(named: wanted)
        guard let user = found.first, found.count == 1 else {
            throw CloudError(.notFound, "there is no user '\(wanted.prefix(255))'")
        }
        return user
    }
}
