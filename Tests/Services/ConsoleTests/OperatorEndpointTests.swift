import CloudMessages
import CloudModel
import HTTPClient
import Identity
import JSON
import RecordService
import RecordStore
import TestSupport
import Testing

@testable import Console

/// What operators see and do, and that it is on record.
@Suite struct OperatorEndpointTests {
    @Test("users are listed, looked up, blocked, signed out and deleted; each act is on record")
    func users() async throws {
        try await ConsoleBench.run { bench in
            let alice = try #require(try await bench.system.user("alice").user)
            let list = try await bench.ask("users/list")
            #expect(list.json["users"]?.array?.compactMap { $0["userRecordName"]?.string } == [alice.rawValue])
            #expect(list.json["next"] == nil)
            let first = try await bench.ask("users/list", ["limit": 1])
            #expect(first.json["next"]?.string == alice.rawValue)
            #expect(try await bench.ask("users/list", ["after": .string(alice.rawValue)]).json["users"] == [])
            #expect(try await bench.ask("users/list", ["search": "alice"]).json["users"]?.array?.count == 1)
            #expect(try await bench.ask("users/list", ["search": "bob"]).json["users"] == [])
            let lookup = try await bench.ask("users/lookup", ["user": "alice"])
            #expect(lookup.json["user"]?["userRecordName"]?.string == alice.rawValue)
            #expect(lookup.json["usage"]?["privateRecords"]?["used"] == 0)
            for act in ["block", "unblock", "signOut"] {
                let answer = try await bench.ask("users/\(act)", ["user": "alice"])
                #expect(answer.status == 200)
                let last = try #require(try await bench.actions().first)
                #expect(last.act == "users/\(act)" && last.outcome == "done" && last.subject == #"{"user":"alice"}"#)
                #expect(last.request == answer.headers["X-Apple-Request-UUID"])
                let isBlocked = try await bench.ask("users/lookup", ["user": "alice"]).json["user"]?["isBlocked"]
                #expect(isBlocked == .bool(act == "block"))
            }
            let typed = try await bench.ask("users/delete", ["user": "alice", "confirm": "alice"])
            #expect(typed.code == "BAD_REQUEST")
            #expect(try await bench.actions().first?.outcome == "BAD_REQUEST")
            let deleted = try await bench.ask(
                "users/delete", ["user": "alice", "confirm": .string(alice.rawValue)])
            #expect(deleted.json["done"] == "delete" && deleted.json["remains"]?.array?.isEmpty == false)
            #expect(try await bench.actions().first?.outcome == "done")
            #expect(try await bench.ask("users/lookup", ["user": "alice"]).code == "NOT_FOUND")
        }
    }

    @Test("tokens and keys are made, listed and revoked; no secret is on record")
    func credentials() async throws {
        try await ConsoleBench.run { bench in
            let made = try await bench.ask("tokens/create", ["note": "n", "origins": ["https://app.example"]])
            let (token, digest) = (
                try #require(made.json["apiToken"]?.string), try #require(made.json["digest"]?.string)
            )
            #expect(try await bench.system.identity.apiToken(token) != nil)
            let listed = try await bench.ask("tokens/list").json["tokens"]?.array?.last
            #expect(listed?["digest"]?.string == digest && listed?["origins"] == ["https://app.example"])
            #expect(try await bench.ask("tokens/revoke", ["digest": .string(digest)]).json["done"] == "revoke")
            #expect(try await bench.system.identity.apiToken(token) == nil)
            #expect(try await bench.ask("tokens/revoke", ["digest": .string(digest)]).code == "NOT_FOUND")
            let wrong = try await bench.ask("tokens/create", ["origins": ["nonsense"]])
            #expect(wrong.code == "BAD_REQUEST")

            let key = try await bench.ask("keys/create", ["note": "k"])
            let id = try #require(key.json["keyID"]?.string)
            #expect(key.json["privateKey"]?.string?.contains("PRIVATE KEY") == true)
            #expect(try await bench.ask("keys/list").json["keys"]?.array?.map { $0["keyID"] } == [.string(id)])
            #expect(try await bench.ask("keys/revoke", ["keyID": .string(id)]).json["done"] == "revoke")
            #expect(try await bench.ask("keys/list").json["keys"] == [])

            let actions = try await bench.actions()
            #expect(
                actions.map(\.act).reversed() == [
                    "tokens/create", "tokens/revoke", "tokens/revoke", "tokens/create", "keys/create", "keys/revoke",
                ])
            #expect(
                actions.map(\.outcome).reversed() == [
                    "done", "done", "NOT_FOUND", "BAD_REQUEST", "done", "done",
                ])
            #expect(!actions.contains { $0.subject.contains(token) || $0.subject.contains("PRIVATE") })
        }
    }

    @Test("a schema is changed as it was seen, and refused when it is another one by then")
    func schema() async throws {
        try await ConsoleBench.run { bench in
            let text: JSONValue = "DEFINE SCHEMA\n RECORD TYPE Artwork (title STRING QUERYABLE, year INT64);"
            let seen = try await bench.ask("schema/difference", ["text": text])
            #expect(seen.json["changes"]?.array?.count == 3, "\(seen.text)")
            let digest = try #require(seen.json["digest"])
            #expect(try await bench.ask("schema/modify", ["text": text, "digest": "0"]).code == "CONFLICT")
            #expect(try await bench.ask("schema/modify", ["text": text]).code == "BAD_REQUEST")
            #expect(try await bench.ask("schema").json["recordTypes"]?.array?.isEmpty == true)
            #expect(try await bench.ask("schema/modify", ["text": text, "digest": digest]).status == 200)
            let schema = try await bench.ask("schema")
            let fields = schema.json["recordTypes"]?.array?.first { $0["recordType"] == "Artwork" }?["fields"]
            #expect(
                fields == [
                    ["name": "title", "type": "STRING", "indexes": ["QUERYABLE"]],
                    ["name": "year", "type": "INT64", "indexes": []],
                ])
            #expect(schema.json["text"]?.string?.contains("RECORD TYPE Artwork") == true)
            let late = try await bench.ask("schema/modify", ["text": text, "digest": digest])
            #expect(late.code == "CONFLICT", "it is there already")
            let grant = try await bench.ask(
                "schema/modify",
                ["grant": ["recordType": "Artwork", "right": "WRITE", "role": "_icloud", "isGranted": true]])
            #expect(grant.json["grants"]?.array?.contains { $0.string?.contains("_icloud") == true } == true)
            #expect(try await bench.ask("schema/promote", ["digest": digest]).code == "BAD_REQUEST")
        }
    }

    @Test("devices and subscriptions of all users are listed, and one is removed")
    func devices() async throws {
        try await ConsoleBench.run { bench in
            let (query, scope) = ("?ckAPIToken=\(bench.apiToken)", bench.scopePath)
            let signIn = try await bench.send("POST", "/auth/1/\(scope)/signin\(query)", ["user": "alice"])
            let name = try #require(signIn.json["userRecordName"])
            let user = [("Authorization", "Bearer \(try #require(signIn.json["ckWebAuthToken"]?.string))")]
            let registered = try await bench.send(
                "POST", "/device/1/\(scope)/devices/register\(query)", ["deviceID": "phone"], headers: user)
            #expect(registered.status == 200)
            let devices = try await bench.ask("devices/list")
            #expect(devices.json["devices"]?.array?.map { $0["deviceID"] } == ["phone"])
            #expect(devices.json["devices"]?[0]?["userRecordName"] == name)
            #expect(try await bench.ask("devices/list", ["user": "alice"]).json["devices"]?.array?.count == 1)
            #expect(try await bench.ask("devices/remove", ["deviceID": "phone"]).json["done"] == "remove")
            #expect(try await bench.ask("devices/remove", ["deviceID": "phone"]).code == "NOT_FOUND")

            let subscription: JSONValue = [
                "subscriptionID": "all", "subscriptionType": "query", "query": ["recordType": "T"],
                "firesOn": ["create"], "notificationInfo": ["alertBody": "new"],
            ]
            let saved = try await bench.send(
                "POST", "/database/1/\(scope)/public/subscriptions/modify\(query)",
                ["operations": [["operationType": "create", "subscription": subscription]]], headers: user)
            #expect(saved.json["subscriptions"]?[0]?["serverErrorCode"] == nil)
            let listed = try await bench.ask("subscriptions/list").json["subscriptions"]
            #expect(listed?[0]?["subscription"]?["subscriptionID"] == "all" && listed?[0]?["database"] == "public")
            let remove: JSONValue = ["user": "alice", "database": "public", "subscriptionID": "all"]
            #expect(try await bench.ask("subscriptions/remove", remove).json["done"] == "remove")
            #expect(try await bench.ask("subscriptions/list").json["subscriptions"] == [])
            #expect(try await bench.ask("subscriptions/remove", remove).code == "NOT_FOUND")
        }
    }

    @Test("the build, entries set aside, settings, log and acts are answered")
    func running() async throws {
        try await ConsoleBench.run { bench in
            let overview = try await bench.ask("overview")
            #expect(overview.json["version"] == "test" && overview.json["isReady"] == true)
            #expect(overview.json["setAside"] == 0)
            #expect(try await bench.ask("stages").json["stages"]?.array != nil)
            #expect(try await bench.ask("poison/list").json["entries"] == [])
            let retried = try await bench.ask("poison/retry", ["entries": ["match/changes.public/0@1"]])
            #expect(retried.json["entries"]?[0]?["isDone"] == false)
            #expect(try await bench.ask("poison/retry").code == "BAD_REQUEST")
            #expect(
                try await bench.ask("settings").json["settings"] == [
                    ["name": "listen", "value": "x", "source": "default"]
                ])
            let log = try await bench.ask("log", ["contains": "operator.act", "limit": 1000])
            #expect(log.json["lines"]?.array?.contains { $0["line"]?["act"] == "poison/retry" } == true)
            let page = try await bench.ask("actions", ["limit": 1])
            #expect(page.json["actions"]?[0]?["outcome"] == "BAD_REQUEST")
            let next = try #require(page.json["next"])
            let second = try await bench.ask("actions", ["before": next])
            #expect(second.json["actions"]?.array?.map { $0["outcome"] } == ["done"])
        }
    }

    @Test("an act that fails in its transaction is on record with its code, and leaves nothing else")
    func failing() async throws {
        try await ConsoleBench.run { bench in
            let before = try await bench.state()
            #expect(try await bench.ask("keys/revoke", ["keyID": "none"]).code == "NOT_FOUND")
            let actions = try await bench.actions()
            #expect(actions.map(\.outcome) == ["NOT_FOUND"])
            #expect(try await bench.state() == before)
        }
    }
}
