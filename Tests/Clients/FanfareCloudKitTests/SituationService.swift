import FanfareCloudKit
import Foundation
import JSON
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A service that answers every request about several things, in a situation: things named `bad` or in the zone
/// `gone` fail in it, all others are there.
final class SituationService: FanfareTransport {
    /// The ways in which calls fail.
    enum Situation: CaseIterable, Sendable {
        /// Nothing fails.
        case fine
        /// An item, and a zone with its items, are refused.
        case refused
        /// Nobody answers requests about the zone `gone`, a user `bad` or notifications `bad`.
        case partlyUnreachable
        /// Nobody answers.
        case unreachable
        /// The sign-in has ended.
        case signedOut
    }

    let situation = Mutex(Situation.fine)

    func stream(_ request: FanfareRequest) async throws -> FanfareStream { throw URLError(.cannotConnectToHost) }

    func send(_ request: FanfareRequest) async throws -> FanfareResponse {
        let endpoint = request.url.prefix { $0 != "?" }.split(separator: "/").suffix(2).joined(separator: "/")
        if endpoint == "development/signin" { return .ok(#"{"ckWebAuthToken": "t", "userRecordName": "_u"}"#) }
        if endpoint == "devices/register" { return .ok("{}") }
        let body = request.body.isEmpty ? [:] : try JSONValue(parsing: request.body)
        switch situation.withLock({ $0 }) {
        case .unreachable: throw URLError(.cannotConnectToHost)
        case .signedOut: return .error(401, "AUTHENTICATION_FAILED")
        case .partlyUnreachable where Self.isBad(endpoint, body): throw URLError(.cannotConnectToHost)
        case .refused: return Self.answer(endpoint, body, isRefusing: true)
        case .fine, .partlyUnreachable: return Self.answer(endpoint, body, isRefusing: false)
        }
    }

    /// True for a request about something bad.
    private static func isBad(_ endpoint: String, _ body: JSONValue) -> Bool {
        zone(body) == "gone" || zone(body["zones"]?[0] ?? [:]) == "gone"
            || (body["lookupInfos"]?[0]?["emailAddress"]?.string?.contains("bad") == true)
            || (body["notificationIDs"]?.array ?? []).contains { $0.string == "bad" }
    }

    private static func zone(_ json: JSONValue) -> String? { json["zoneID"]?["zoneName"]?.string }

    private static func answer(_ endpoint: String, _ body: JSONValue, isRefusing: Bool) -> FanfareResponse {
        func items(_ key: String, _ names: [String?], _ item: (String) -> String) -> FanfareResponse {
            let items = names.map { name in
                let name = name ?? ""
                guard isRefusing, name == "bad" || name == "gone" else { return item(name) }
                let code = name == "gone" ? "ZONE_NOT_FOUND" : "NOT_FOUND"
                return #"{"recordName": "\#(name)", "notificationID": "\#(name)", "serverErrorCode": "\#(code)"}"#
            }
            return .ok(#"{"\#(key)": [\#(items.joined(separator: ", "))]}"#)
        }
        let operations = body["operations"]?.array ?? []
        switch endpoint {
        case "records/lookup", "records/modify":
            if isRefusing, zone(body) == "gone" { return .error(404, "ZONE_NOT_FOUND") }
            let names = (body["records"]?.array ?? operations.compactMap { $0["record"] }).map {
                $0["recordName"]?.string
            }
            return items("records", names) { record($0, in: zone(body) ?? "") }
        case "zones/lookup", "zones/modify":
            let zones = body["zones"]?.array ?? operations.compactMap { $0["zone"] }
            return items("zones", zones.map { $0["zoneName"]?.string ?? zone($0) }) {
                #"{"zoneID": {"zoneName": "\#($0)"}, "syncToken": "t"}"#
            }
        case "changes/zone":
            return items("zones", [zone(body["zones"]?[0] ?? [:])]) { name in
                #"{"zoneID": {"zoneName": "\#(name)"}, "records": [], "syncToken": "t", "moreComing": false}"#
            }
        case "subscriptions/lookup", "subscriptions/modify":
            let some = body["subscriptions"]?.array ?? operations.compactMap { $0["subscription"] }
            return items("subscriptions", some.map { $0["subscriptionID"]?.string }) { id in
                #"{"subscriptionID": "\#(id)", "subscriptionType": "database"}"#
            }
        case "records/resolve", "records/accept":
            return items("results", (body["shortGUIDs"]?.array ?? []).map { $0["value"]?.string }) { guid in
                #"{"share": \#(record(guid, in: "there"))}"#
            }
        case "users/discover":
            let address = body["lookupInfos"]?[0]?["emailAddress"]?.string ?? ""
            if isRefusing, address.contains("bad") { return .error(400, "BAD_REQUEST") }
            return .ok(#"{"users": [{"userRecordName": "_0123456789abcdef0123456789abcdef"}]}"#)
        case "notifications/markRead":
            return items("notifications", (body["notificationIDs"]?.array ?? []).map(\.string)) { _ in "{}" }
        default: return .error(400, "BAD_REQUEST")
        }
    }

    private static func record(_ name: String, in zone: String) -> String {
        let stamp = #"{"timestamp": 5, "userRecordName": "_u", "deviceID": "2"}"#
        return #"{"recordName": "\#(name)", "recordType": "Note", "recordChangeTag": "1", "fields": {}, "#
            + #""zoneID": {"zoneName": "\#(zone)"}, "created": \#(stamp), "modified": \#(stamp)}"#
    }
}

extension FanfareResponse {
    fileprivate static func ok(_ body: String) -> FanfareResponse {
        FanfareResponse(status: 200, body: Array(body.utf8))
    }

    fileprivate static func error(_ status: Int, _ code: String) -> FanfareResponse {
        FanfareResponse(status: status, body: Array(#"{"serverErrorCode": "\#(code)", "reason": "a test"}"#.utf8))
    }
}
