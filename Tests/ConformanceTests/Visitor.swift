import Foundation
import JSON

/// An app of CloudKit Web Services, as Apple's JS library sends its requests: bodies as text/plain, the tokens in the
/// query beside items that a service does not know, both escaped.
struct Visitor: Sendable {
    let service: ConformanceService
    var webAuthToken: String?
    var recordName = ""
    var signInName = ""

    func post(_ endpoint: String, in database: String = "private", _ body: JSONValue) async throws -> Reply {
        try await post(path: service.path(endpoint, in: database), body)
    }

    func get(_ endpoint: String, in database: String = "private") async throws -> Reply {
        try await service.send("GET", target(service.path(endpoint, in: database)), nil, headers: [])
    }

    func post(path: String, _ body: JSONValue) async throws -> Reply {
        try await service.send(
            "POST", target(path), try body.serialized(), headers: [("Content-Type", "text/plain")])
    }

    /// A path with the query items of the library.
    func target(_ path: String) -> String {
        var items = [
            ("ckAPIToken", service.apiToken), ("ckjsBuildVersion", "2310ProjectDev27"), ("ckjsVersion", "2.6.4"),
            ("clientId", "735f0c14-9a1c-4b4b-8f4e-33f1f3a1b0c5"),
        ]
        if let webAuthToken { items.append(("ckWebAuthToken", webAuthToken)) }
        return path + "?" + items.map { "\($0)=\(Self.escaped($1))" }.joined(separator: "&")
    }

    /// As `encodeURIComponent` does it: `+`, `/` and `=` of a token are escaped.
    static func escaped(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics.union(CharacterSet(charactersIn: "-_.!~*'()")))
            ?? text
    }

    // MARK: Records

    /// One operation of records/modify; its item.
    func modify(
        _ operation: String, _ record: JSONValue, in database: String = "private", zone: String? = nil
    ) async throws -> JSONValue {
        let reply = try await modify([(operation, record)], in: database, zone: zone)
        return reply.items("records").first ?? reply.json
    }

    /// Operations of records/modify.
    func modify(
        _ operations: [(String, JSONValue)], in database: String = "private", zone: String? = nil,
        _ more: JSONObject = [:]
    ) async throws -> Reply {
        var body = more
        body["operations"] = .array(operations.map { ["operationType": .string($0), "record": $1] })
        if let zone { body["zoneID"] = ["zoneName": .string(zone)] }
        return try await post("records/modify", in: database, .object(body))
    }

    /// Saves a record; its item.
    @discardableResult
    func save(
        _ name: String, _ type: String, _ fields: JSONObject = [:], in database: String = "private", zone: String? = nil
    ) async throws -> JSONValue {
        var values: JSONObject = [:]
        for (key, value) in fields { values[key] = ["value": value] }
        return try await modify(
            "forceUpdate",
            ["recordName": .string(name), "recordType": .string(type), "fields": .object(values)], in: database,
            zone: zone)
    }

    /// Items of records/lookup.
    func lookUp(_ names: String..., in database: String = "private", zone: String? = nil) async throws -> [JSONValue] {
        var body: JSONObject = ["records": .array(names.map { ["recordName": .string($0)] })]
        if let zone { body["zoneID"] = ["zoneName": .string(zone)] }
        return try await post("records/lookup", in: database, .object(body)).items("records")
    }

    /// Makes a custom zone; its name.
    func zone() async throws -> String {
        let name = "zone-\(Unique.text())"
        _ = try await post(
            "zones/modify",
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]]])
        return name
    }
}
