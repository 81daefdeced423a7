import CloudModel
import Cryptography
import RecordService
import TestSupport
import Testing

/// Change feeds and their tokens (docs/cloudkit.md#changes; docs/choices.md, 11).
@Suite struct FeedTests {
    private func rig(_ zone: GivenZone = "a") async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, zone)
        return rig
    }

    private func save(
        _ rig: RecordServiceRig, _ names: String..., in zone: GivenZone = "a", type: String = "T"
    ) async throws {
        for name in names {
            let operation = type == "T" ? RecordOperation.touch(name) : .on(name, .forceUpdate, type: type)
            #expect(try await rig.apply(operation, in: .private, zone: zone).code == nil)
        }
    }

    private func delete(_ name: String, in zone: GivenZone = "a", _ rig: RecordServiceRig) async throws {
        _ = try await rig.apply(.on(name, .forceDelete), in: .private, zone: zone)
    }

    @Test func aFeedGivesEachRecordOnceInItsPresentState() async throws {
        let rig = try await rig()
        try await save(rig, "x", "y", "x", "z")
        try await delete("y", rig)
        let all = try await rig.page("a")
        #expect(all.names == ["x", "z"], "what a reader never saw need not be deleted")
        #expect(!all.moreComing)
        try await save(rig, "y", "x")
        try await delete("z", rig)
        let more = try await rig.page("a", since: all.syncToken)
        #expect(more.names == ["y", "x", "-z"])
        #expect(try await rig.page("a", since: more.syncToken).names.isEmpty)
    }

    @Test func theZoneHasTheSameToken() async throws {
        let rig = try await rig()
        try await save(rig, "x")
        let page = try await rig.page("a")
        let zones = try await rig.service.listZones(in: .private, for: rig.alice)
        #expect(zones[1].syncToken == page.syncToken)
        #expect(zones[0].syncToken == nil)
    }

    @Test(arguments: [1, 2, 3, 200]) func pagesGiveTheSameAsOneReading(limit: Int) async throws {
        let rig = try await rig()
        try await save(rig, "a", "b", "c", "d", "e")
        try await delete("c", rig)
        var names: [String] = []
        var token: String?
        while true {
            let page = try await rig.page("a", since: token, limit: limit)
            #expect(page.changes.count <= limit && (page.moreComing == false || page.changes.count == limit))
            names += page.names
            token = page.syncToken
            guard page.moreComing else { break }
        }
        #expect(names == ["a", "b", "d", "e"])
    }

    /// The pages of all zones of a request share a bound in bytes; every request gets on by at least one record.
    @Test func pagesOfSeveralZonesAreBoundedInBytes() async throws {
        let rig = try await rig()
        let zones: [GivenZone] = ["a", "b", "c"]
        for zone in zones.dropFirst() { _ = try await rig.zone(.create, zone) }
        let text = String(repeating: "x", count: 900_000)
        for zone in zones {
            for number in 0..<6 {
                let operation = RecordOperation.on("r\(number)", .create, ["s": .string(text)])
                #expect(try await rig.apply(operation, in: .private, zone: zone).code == nil)
            }
        }
        var found: [GivenZone: [String]] = [:]
        var tokens: [GivenZone: String] = [:]
        var left = zones
        var requests = 0
        while !left.isEmpty {
            let results = try await rig.service.zoneChanges(
                left.map { ZoneFeedRequest(zone: $0, syncToken: tokens[$0]) }, in: .private, for: rig.alice)
            var count = 0
            for (zone, result) in zip(left, results) {
                guard case .page(let page) = result else {
                    Issue.record("\(result)")
                    return
                }
                count += page.changes.count
                found[zone, default: []] += page.names
                tokens[zone] = page.syncToken
                if !page.moreComing { left.removeAll { $0 == zone } }
            }
            #expect(count >= 1 && count <= 9, "900,000 bytes each, and 8 MiB together")
            requests += 1
        }
        #expect(requests >= 2)
        for zone in zones { #expect(found[zone] == (0..<6).map { "r\($0)" }) }
    }

    /// A deletion that comes while a first reading is under way reaches the reader.
    @Test func deletionsDuringAFirstReadingAreSeen() async throws {
        let rig = try await rig()
        try await save(rig, "a", "b", "c")
        let first = try await rig.page("a", limit: 2)
        try await delete("a", rig)
        #expect(try await rig.page("a", since: first.syncToken).names == ["c", "-a"])
    }

    @Test func aReverseReadingGoesFromTheNewestToTheOldest() async throws {
        let rig = try await rig()
        try await save(rig, "a", "b", "c", "d")
        let first = try await rig.page("a", limit: 2, reverse: true)
        #expect(first.names == ["d", "c"] && first.moreComing)
        try await save(rig, "e", "b")
        let second = try await rig.page("a", since: first.syncToken, limit: 2, reverse: true)
        #expect(second.names == ["a"] && !second.moreComing)
        #expect(try await rig.page("a", since: second.syncToken).names == ["e", "b"])
    }

    @Test func typesCanBeChosen() async throws {
        let rig = try await rig()
        try await save(rig, "a", type: "A")
        try await save(rig, "b", type: "B")
        try await save(rig, "c", type: "A")
        #expect(try await rig.page("a", types: [RecordType(trusted: "A")]).names == ["a", "c"])
        #expect(try await rig.page("a", types: [RecordType(trusted: "None")]).names == [])
        let types = [RecordType(trusted: "B"), RecordType(trusted: "A")]
        #expect(try await rig.page("a", types: types).names == ["a", "b", "c"])
    }

    @Test func defaultZonesAndThePublicDatabaseHaveNoFeed() async throws {
        let rig = try await rig()
        await expect(code: .badRequest) { try await rig.page(.default) }
        await expect(code: .badRequest) { try await rig.page(.default, in: .public) }
        await expect(code: .badRequest) {
            try await rig.service.databaseChanges(since: nil, in: .public, for: rig.alice)
        }
        for limit in [0, 201] {
            await expect(code: .badRequest) { try await rig.page("a", limit: limit) }
        }
        await expect(code: .authenticationRequired) { try await rig.page("a", as: Caller(user: nil)) }
    }

    /// A page of several zones has no more records than one of a single zone.
    @Test func zonesOfARequestShareOnePage() async throws {
        let rig = try await rig()
        _ = try await rig.zone(.create, "b")
        for zone: GivenZone in ["a", "b"] {
            let operations = (0..<150).map { RecordOperation.on("r\($0)", .create) }
            _ = try await rig.service.modifyRecords(operations, in: .private, zone: zone, for: rig.alice)
        }
        let requests = [ZoneFeedRequest(zone: "a"), ZoneFeedRequest(zone: "none"), ZoneFeedRequest(zone: "b")]
        let results = try await rig.service.zoneChanges(requests, in: .private, for: rig.alice)
        guard case .page(let first) = results[0], case .failed(_, let error) = results[1],
            case .page(let last) = results[2]
        else { throw results.first.map { "\($0)" }.map(Unexpected.init)! }
        #expect(first.changes.count == 150 && !first.moreComing)
        #expect(error.code == .zoneNotFound)
        #expect(last.changes.count == 50 && last.moreComing)
        #expect(try await rig.page("b", since: last.syncToken).changes.count == 100)
        await expect(code: .badRequest) {
            try await rig.service.zoneChanges([requests[0], requests[0]], in: .private, for: rig.alice)
        }
    }

    private struct Unexpected: Error { let text: String }

    // MARK: Databases

    @Test func databaseChangesListZones() async throws {
        let rig = try await rig()
        for zone: GivenZone in ["b", "c"] { _ = try await rig.zone(.create, zone) }
        func changes(_ token: String?, limit: Int = 200) async throws -> RecordService.DatabaseFeedPage {
            try await rig.service.databaseChanges(since: token, limit: limit, in: .private, for: rig.alice)
        }
        let first = try await changes(nil, limit: 2)
        #expect(first.zones.map(\.id.name.rawValue) == ["a", "b"] && first.moreComing)
        let second = try await changes(first.syncToken)
        #expect(second.zones.map(\.id.name.rawValue) == ["c"] && !second.moreComing)
        try await save(rig, "x", in: "b")
        _ = try await rig.apply(.on("x", .forceUpdate), in: .private)
        _ = try await rig.zone(.delete, "a")
        let third = try await changes(second.syncToken)
        #expect(third.zones.map(\.id.name.rawValue) == ["b", "a"], "the default zone takes no part")
        #expect(third.zones.map(\.isDeleted) == [false, true])
        #expect(try await changes(third.syncToken).zones.isEmpty)
        // A zone made again is there again, and only that.
        _ = try await rig.zone(.create, "a")
        #expect(try await changes(third.syncToken).zones.map(\.isDeleted) == [false])
        #expect(try await changes(nil).zones.count == 3)
    }

    // MARK: Tokens

    @Test func aTokenIsGoodForItsOwnFeedOnly() async throws {
        let rig = try await rig()
        _ = try await rig.zone(.create, "b")
        _ = try await rig.zone(.create, "a", as: rig.bob)
        let token = try await rig.page("a").syncToken
        await expect(code: .badRequest) { try await rig.page("b", since: token) }
        await expect(code: .badRequest) { try await rig.page("a", since: token, as: rig.bob) }
        await expect(code: .badRequest) { try await rig.page("a", since: token + "A") }
        await expect(code: .badRequest) { try await rig.page("a", since: "") }
        await expect(code: .badRequest) {
            try await rig.service.databaseChanges(since: token, in: .private, for: rig.alice)
        }
        let database = try await rig.service.databaseChanges(since: nil, in: .private, for: rig.alice).syncToken
        await expect(code: .badRequest) { try await rig.page("a", since: database) }
        await expect(code: .badRequest) {
            try await rig.service.databaseChanges(
                since: database, feed: .metaChanges, in: .private, for: rig.alice)
        }
        await expect(code: .badRequest) {
            try await rig.service.databaseChanges(since: database, in: .shared, for: rig.alice)
        }
        let other = try await RecordServiceRig(.production)
        await expect(code: .badRequest) {
            try await other.service.databaseChanges(since: database, in: .private, for: other.alice)
        }
    }

    @Test func tokensSurviveARestart() async throws {
        let rig = try await rig()
        try await save(rig, "x")
        let token = try await rig.page("a").syncToken
        try await save(rig, "y")
        let again = RecordService(layout: rig.service.layout, store: rig.service.store, keys: rig.keys)
        let results = try await again.zoneChanges(
            [ZoneFeedRequest(zone: "a", syncToken: token)], in: .private, for: rig.alice)
        guard case .page(let page) = results[0] else { throw Unexpected(text: "\(results)") }
        #expect(page.names == ["y"])
    }

    @Test func tokensOfARecreatedZoneExpire() async throws {
        let rig = try await rig()
        let token = try await rig.page("a").syncToken
        _ = try await rig.zone(.delete, "a")
        await expect(code: .zoneNotFound) { try await rig.page("a", since: token) }
        _ = try await rig.zone(.create, "a")
        await expect(code: .changeTokenExpired) { try await rig.page("a", since: token) }
    }

    /// After a deletion is forgotten, readers that may not know it have to start again, and no others.
    @Test func tokensFromBeforeForgottenDeletionsExpire() async throws {
        let rig = try await rig()
        _ = try await rig.zone(.create, "b")
        try await save(rig, "x", "y", "z")
        let old = try await rig.page("a").syncToken
        let untouched = try await rig.page("b").syncToken
        let zones = try await rig.service.databaseChanges(since: nil, in: .private, for: rig.alice).syncToken
        try await delete("x", rig)
        _ = try await rig.zone(.delete, "b")
        let current = try await rig.page("a").syncToken
        rig.move(by: .seconds(91 * 86_400))
        try await rig.service.removeOldTombstones()
        await expect(code: .changeTokenExpired) { try await rig.page("a", since: old) }
        await expect(code: .changeTokenExpired) {
            try await rig.service.databaseChanges(since: zones, in: .private, for: rig.alice)
        }
        await expect(code: .zoneNotFound) { try await rig.page("b", since: untouched) }
        #expect(try await rig.page("a", since: current).names.isEmpty)
        // A first reading with several pages is not disturbed by deletions that were forgotten before it.
        let first = try await rig.page("a", limit: 1)
        #expect(try await rig.page("a", since: first.syncToken, limit: 1).names == ["z"])
    }

    @Test func deletionsAreKnownUntilTheyAreOld() async throws {
        let rig = try await rig()
        try await save(rig, "x")
        let token = try await rig.page("a").syncToken
        try await delete("x", rig)
        rig.move(by: .seconds(89 * 86_400))
        try await rig.service.removeOldTombstones()
        #expect(try await rig.page("a", since: token).names == ["-x"])
    }
}
