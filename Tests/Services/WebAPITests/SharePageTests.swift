import Foundation
import JSON
import Testing

/// The page of a share: its content for each visitor, and its button that accepts.
@Suite struct SharePageTests {
    /// A zone of Alice's that is shared, with a title that is no HTML.
    private struct Shared {
        var alice: WebBench.SignedIn
        var record: JSONValue
        var address: String

        init(_ bench: WebBench, _ permission: String, participants: JSONValue = []) async throws {
            alice = try await bench.signIn("Alice <A.>")
            let zone: JSONValue = ["zoneName": "z"]
            _ = try await bench.send(
                "POST", bench.database("zones/modify", "private"),
                ["operations": [["operationType": "create", "zone": ["zoneID": zone]]]], user: alice)
            let made = try await bench.send(
                "POST", bench.database("records/modify", "private"),
                [
                    "zoneID": zone,
                    "operations": [
                        [
                            "operationType": "create",
                            "record": [
                                "recordName": "cloudkit.zoneshare", "recordType": "cloudkit.share",
                                "publicPermission": .string(permission), "participants": participants,
                                "fields": ["cloudkit.title": ["value": "Trip & <b>food</b>"]],
                            ],
                        ]
                    ],
                ], user: alice)
            record = made.json["records"]?[0] ?? .null
            let guid = try #require(record["shortGUID"], "\(made.json)")
            let resolved = try await bench.send(
                "POST", bench.database("records/resolve"), ["shortGUIDs": [["value": guid]]], user: alice)
            address = try #require(resolved.json["results"]?[0]?["shareURL"]?.string, "\(resolved.json)")
        }
    }

    /// Opens the page as a user, by signing in from it.
    private func open(_ address: String, as user: String, _ browser: inout PageBrowser) async throws -> Answer {
        let page = try await browser.get(address)
        let start = "\(browser.origin)/auth/1/\(browser.bench.scopePath)/start"
        let guid = try #require(PageBrowser.hidden(page).first)
        #expect(
            guid.0 == "share" && page.text.contains("action=\"../../../../auth/1/\(browser.bench.scopePath)/start\""))
        let signIn = try await browser.get("\(start)?share=\(guid.1)")
        return try await browser.post(start, PageBrowser.hidden(signIn) + [("user", user)])
    }

    @Test("a share that is open to everybody shows its title and owner, and a button accepts it")
    func open() async throws {
        try await WebBench.run { bench in
            let shared = try await Shared(bench, "READ_ONLY")
            var browser = PageBrowser(bench)
            PageBrowser.expectPage(
                try await browser.get(shared.address), "Trip &amp; &lt;b&gt;food&lt;/b&gt;", "Alice &lt;A.&gt;",
                "read it", "Sign in to open it")
            let asked = try await open(shared.address, as: "bob", &browser)
            PageBrowser.expectPage(asked, "Trip &amp; &lt;b&gt;food&lt;/b&gt;", "<button>Accept</button>")
            let ticket = PageBrowser.hidden(asked)
            PageBrowser.expectPage(
                try await browser.post(shared.address, ticket, from: "https://evil.example"), status: 403)
            PageBrowser.expectPage(try await browser.post(shared.address, [("ticket", "x")]), status: 400)
            PageBrowser.expectPage(try await browser.post(shared.address, ticket), "You take part")
            let bob = try await bench.signIn("bob")
            let zones = try await bench.send("POST", bench.database("zones/list", "shared"), body: "{}", user: bob)
            #expect(zones.json["zones"]?.array?.map { $0["zoneID"]?["zoneName"] } == ["z"], "\(zones.json)")
            PageBrowser.expectPage(
                try await open(shared.address, as: "Alice <A.>", &browser), "You are the owner")
        }
    }

    @Test("all that a page names is below the service's address, also where that has a path")
    func underPath() async throws {
        try await WebBench.run { bench in
            let shared = try await Shared(bench, "READ_ONLY")
            let browser = PageBrowser(bench)
            let page = try await browser.get(shared.address)
            let path = shared.address.dropFirst(browser.origin.count)
            let base = try #require(URL(string: "https://example.com/cloud\(path)"))
            let named = page.text.matches(of: /(?:href|src|action)="([^"]*)"/).map { String($0.1) }
            let resolved = named.map { URL(string: $0, relativeTo: base)?.absoluteString ?? "" }
            #expect(
                resolved == [
                    "https://example.com/cloud/pages/icon.svg", "https://example.com/cloud/pages/pages.css",
                    "https://example.com/cloud/auth/1/\(bench.scopePath)/start",
                ])
        }
    }

    @Test("one that is not says nothing to strangers, not even that it is there")
    func closed() async throws {
        try await WebBench.run { bench in
            let carol = try await bench.signIn("carol")
            let shared = try await Shared(
                bench, "NONE",
                participants: [["userIdentity": ["userRecordName": .string(carol.name)], "permission": "READ_WRITE"]])
            var browser = PageBrowser(bench)
            let page = try await browser.get(shared.address)
            PageBrowser.expectPage(page, "Something is shared with you")
            #expect(!page.text.contains("Trip") && !page.text.contains("Alice"))
            let guid = try #require(shared.record["shortGUID"]?.string)
            let none = try await browser.get(shared.address.replacing(guid, with: "none"))
            #expect(
                none.text.replacing("none", with: "") == page.text.replacing(guid, with: "").replacing("none", with: "")
            )
            PageBrowser.expectPage(
                try await open(shared.address, as: "dave", &browser), status: 404, "no such share")
            PageBrowser.expectPage(
                try await open(shared.address, as: "carol", &browser), "Trip", "read and change it", "Accept")
        }
    }

    @Test("participants who accepted are known by name, and before that the owner alone")
    func names() async throws {
        try await WebBench.run { bench in
            let carol = try await bench.signIn("carol")
            let shared = try await Shared(
                bench, "READ_ONLY",
                participants: [["userIdentity": ["userRecordName": .string(carol.name)], "permission": "READ_WRITE"]])
            let dave = try await bench.signIn("dave")
            let guid = try #require(shared.record["shortGUID"])
            let guids: JSONValue = ["shortGUIDs": [["value": guid]]]
            func names(_ user: WebBench.SignedIn) async throws -> [String?] {
                let answer = try await bench.send("POST", bench.database("records/resolve"), guids, user: user)
                let result = answer.json["results"]?[0]
                #expect(result?["ownerIdentity"]?["nameComponents"]?["givenName"] == "Alice <A.>", "\(answer.json)")
                return result?["share"]?["participants"]?.array?.map {
                    $0["userIdentity"]?["nameComponents"]?["givenName"]?.string
                } ?? []
            }
            #expect(try await names(shared.alice) == ["Alice <A.>", nil])
            _ = try await bench.send("POST", bench.database("records/accept"), guids, user: carol)
            #expect(try await names(shared.alice) == ["Alice <A.>", "carol"])
            #expect(try await names(carol) == ["Alice <A.>", "carol"])
            #expect(try await names(dave) == ["Alice <A.>", nil])
            let made = shared.record["participants"]?.array?.map { $0["userIdentity"]?["nameComponents"] != nil }
            #expect(made == [true, false])
        }
    }
}
