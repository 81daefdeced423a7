import CloudModel
import HTTPClient
import Identity
import JSON
import RecordService
import RecordStore
import TestSupport
import Testing

/// A share needs no API token to sign in from its page, but it makes no users for shares that are not there.
@Suite struct ShareSignInTests {
    private static func start(_ bench: WebBench) -> String { "/auth/1/\(bench.scopePath)/start" }

    private func users(_ bench: WebBench) async throws -> Int {
        try await bench.system.identity.listUsers(after: "", limit: 1000).count
    }

    private func records(_ bench: WebBench) async throws -> Int64 {
        try await bench.system.service.store.read { try $0.settledSequence().rawValue }
    }

    /// A zone of Alice's that is shared; its short GUID.
    private func share(_ bench: WebBench, open: String, people: [JSONValue] = []) async throws -> String {
        let alice = try await bench.signIn("alice")
        let zone: JSONValue = ["zoneName": "z"]
        _ = try await bench.send(
            "POST", bench.database("zones/modify", "private"),
            ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]], user: alice)
        let record: JSONValue = [
            "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share", "publicPermission": .string(open),
            "participants": .array(people),
        ]
        let made = try await bench.send(
            "POST", bench.database("records/modify", "private"),
            ["zoneID": zone, "operations": [["operationType": "create", "record": record]]], user: alice)
        return try #require(made.json["records"]?[0]?["shortGUID"]?.string, "\(made.json)")
    }

    private func signIn(_ bench: WebBench, _ guid: String, as name: String) async throws -> Answer {
        var browser = PageBrowser(bench)
        return try await browser.post(Self.start(bench), [("share", guid), ("user", name)])
    }

    @Test("a share that is not there, or not open, makes no user", arguments: [nil, "NONE"])
    func strangers(open: String?) async throws {
        try await WebBench.run { bench in
            let guid = try await open.asyncMap { try await share(bench, open: $0) } ?? "abc"
            let before = (try await users(bench), try await records(bench))
            for number in 0..<3 {
                let answer = try await signIn(bench, guid, as: "ghost\(number)")
                PageBrowser.expectPage(answer, status: 404, "There is no such share")
            }
            #expect(try await (users(bench), records(bench)) == before)
        }
    }

    @Test("a known user signs in from any page of a share, and sees the shares of the user alone")
    func known() async throws {
        try await WebBench.run { bench in
            let carol = try await bench.signIn("carol")
            let dave = try await bench.signIn("dave")
            let person: JSONValue = [
                "userIdentity": ["userRecordName": .string(carol.name)], "permission": "READ_WRITE",
            ]
            let guid = try await share(bench, open: "NONE", people: [person])
            let before = try await users(bench)
            PageBrowser.expectPage(try await signIn(bench, guid, as: "carol"), "Accept")
            PageBrowser.expectPage(try await signIn(bench, guid, as: "dave"), status: 404, "no such share")
            PageBrowser.expectPage(try await signIn(bench, "abc", as: "dave"), status: 404, "no such share")
            #expect(try await users(bench) == before)
            _ = dave
        }
    }

    @Test("an open share takes every new user, and a closed one those who were invited by address")
    func welcome() async throws {
        try await WebBench.run { bench in
            let person: JSONValue = [
                "userIdentity": ["lookupInfo": ["emailAddress": "Erin@corp.example"]], "permission": "READ_WRITE",
            ]
            let guid = try await share(bench, open: "NONE", people: [person])
            PageBrowser.expectPage(
                try await signIn(bench, guid, as: "erin@other.example"), status: 404, "no such share")
            PageBrowser.expectPage(try await signIn(bench, guid, as: "erin@CORP.example"), "Accept")
        }
        try await WebBench.run { bench in
            let guid = try await share(bench, open: "READ_ONLY")
            let before = try await users(bench)
            PageBrowser.expectPage(try await signIn(bench, guid, as: "somebody"), "Accept")
            #expect(try await users(bench) == before + 1)
        }
    }

    @Test("a provider's users are made by the same rule", arguments: ["abc", "NONE", "READ_ONLY"])
    func provider(kind: String) async throws {
        try await SignInPageTests.withProvider { issuer, bench in
            let guid = kind == "abc" ? kind : try await share(bench, open: kind)
            let before = try await users(bench)
            var browser = PageBrowser(bench)
            let begun = try await browser.post(Self.start(bench), [("share", guid)])
            #expect(begun.status == 303, "\(begun.text)")
            let asked = try await browser.get(try #require(begun.headers["Location"]))
            let done = try await browser.get(try #require(asked.headers["Location"]))
            if kind == "READ_ONLY" {
                PageBrowser.expectPage(done, "Accept")
            } else {
                PageBrowser.expectPage(done, status: 404, "There is no such share")
            }
            #expect(try await users(bench) == before + (kind == "READ_ONLY" ? 1 : 0))
        }
    }
}

extension Optional {
    fileprivate func asyncMap<Value>(_ transform: (Wrapped) async throws -> Value) async rethrows -> Value? {
        if let self { try await transform(self) } else { nil }
    }
}
