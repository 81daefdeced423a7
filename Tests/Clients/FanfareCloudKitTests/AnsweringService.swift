import CloudModel
import FanfareCloudKit
import Foundation
import JSON
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A service that keeps nothing, and answers changes of records and zones by a function.
final class AnsweringService: FanfareTransport {
    /// A request that changes records of one zone, or zones.
    struct Sent: Hashable, Sendable {
        /// The zone of the records; nil for changes of zones.
        var zone: String?
        var saves: [String]
        var deletes: [String]

        var names: [String] { saves + deletes }
    }

    /// The answer to such a request.
    enum Answer: Sendable {
        /// Nobody could be reached.
        case unreachable
        /// The whole request is refused, with a status, CloudKit's code and members of the error.
        case refused(Int, String, String)
        /// Items are refused, by name, with CloudKit's code and members of the error.
        case items([String: (code: String, members: String)])

        static func refused(_ status: Int, _ code: String) -> Answer { .refused(status, code, "") }
        static func items(_ codes: [String: String]) -> Answer { .items(codes.mapValues { (code: $0, members: "") }) }
    }

    private let answer: @Sendable (Sent) -> Answer
    private let log = Mutex<[Sent]>([])
    private let events = AsyncStream<Void>.makeStream()

    init(_ answer: @escaping @Sendable (Sent) -> Answer) { self.answer = answer }

    /// The requests that change something, in order.
    var sent: [Sent] { log.withLock { $0 } }

    func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let endpoint = request.url.prefix { $0 != "?" }.split(separator: "/").suffix(2).joined(separator: "/")
        let body = request.body.isEmpty ? [:] : try JSONValue(parsing: request.body)
        switch endpoint {
        case "development/signin": return .ok(#"{"ckWebAuthToken": "t", "userRecordName": "_u"}"#)
        case "records/modify", "zones/modify": return try changed(body)
        case "records/lookup":
            let names = (body["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
            return .ok(
                #"{"records": [\#(names.map { Self.record($0, in: Self.zone(body)) }.joined(separator: ", "))]}"#)
        case "changes/database": return .ok(#"{"zones": [], "syncToken": "t", "moreComing": false}"#)
        case "subscriptions/modify":
            return .ok(#"{"subscriptions": [{"subscriptionID": "s", "subscriptionType": "database"}]}"#)
        default: return .ok("{}")
        }
    }

    /// A stream without an event.
    func stream(_ request: FanfareRequest) async throws -> FanfareStream {
        FanfareStream(status: 200) { [events] in
            for await _ in events.stream {}
            return nil
        }
    }

    private static func zone(_ body: JSONValue) -> String? { body["zoneID"]?["zoneName"]?.string }

    private func changed(_ body: JSONValue) throws -> FanfareResponse {
        let zone = Self.zone(body)
        let operations = (body["operations"]?.array ?? []).map { operation -> (name: String, isDeletion: Bool) in
            let name = zone == nil ? operation["zone"]?["zoneID"]?["zoneName"] : operation["record"]?["recordName"]
            return (name?.string ?? "", operation["operationType"]?.string?.lowercased().contains("delete") == true)
        }
        let sent = Sent(
            zone: zone, saves: operations.filter { !$0.isDeletion }.map(\.name),
            deletes: operations.filter(\.isDeletion).map(\.name))
        log.withLock { $0.append(sent) }
        switch answer(sent) {
        case .unreachable: throw URLError(.cannotConnectToHost)
        case .refused(let status, let code, let members):
            return FanfareResponse(status: status, body: Array(Self.error(code, members).utf8))
        case .items(let errors):
            let items = operations.map { name, isDeletion in
                if let error = errors[name] { return Self.error(error.code, error.members, name) }
                guard zone != nil else { return #"{"zoneID": {"zoneName": "\#(name)"}, "syncToken": "t"}"# }
                return isDeletion ? #"{"recordName": "\#(name)", "deleted": true}"# : Self.record(name, in: zone)
            }
            return .ok(#"{"\#(zone == nil ? "zones" : "records")": [\#(items.joined(separator: ", "))]}"#)
        }
    }

    private static func error(_ code: String, _ members: String, _ name: String = "") -> String {
        #"{"recordName": "\#(name)", "serverErrorCode": "\#(code)", "reason": "so the test wants it"\#(members)}"#
    }

    private static func record(_ name: String, in zone: String?) -> String {
        let stamp = #"{"timestamp": 5, "userRecordName": "_u", "deviceID": "2"}"#
        return #"{"recordName": "\#(name)", "recordType": "Note", "recordChangeTag": "1", "fields": {}, "#
            + #""zoneID": {"zoneName": "\#(zone ?? "")"}, "created": \#(stamp), "modified": \#(stamp)}"#
    }
}

extension FanfareResponse {
    fileprivate static func ok(_ body: String) -> FanfareResponse {
        FanfareResponse(status: 200, body: Array(body.utf8))
    }
}

extension CKContainer {
    /// A container over such a service, which asks for nothing twice.
    convenience init(_ service: AnsweringService) {
        var configuration = Configuration(
            url: "http://test/", containerIdentifier: "iCloud.test", environment: .development, apiToken: "a",
            signIn: .developmentUser("alice"), deviceID: "phone", transport: service)
        configuration.attemptsMax = 1
        self.init(configuration: configuration)
    }
}
