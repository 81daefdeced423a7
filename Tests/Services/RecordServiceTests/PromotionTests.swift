import CloudModel
import Cryptography
import Matching
import Testing

@testable import RecordService

/// What development learns reaches production by promotion, and roles reach records as types say:
/// docs/cloudkit.md#permissions.
@Suite struct PromotionTests {
    private func promote(_ development: RecordServiceRig, _ production: RecordServiceRig) async throws {
        let difference = SchemaDifference(
            promoting: try await development.service.schema(), over: try await production.service.schema())
        try await production.service.apply(difference)
    }

    private func query(_ rig: RecordServiceRig, _ filters: [GivenFilter] = [], as caller: Caller? = nil) async throws
        -> [String]
    {
        let page = try await rig.service.queryRecords(
            RecordQuery(query: GivenQuery(recordType: RecordType(trusted: "T"), filters: filters)), in: .public,
            markers: QueryMarkers(.generate()), for: caller ?? rig.alice)
        return page.records.map(\.name.rawValue).sorted()
    }

    @Test func productionTakesThePromotedSchemaOnly() async throws {
        let (development, production) = (try await RecordServiceRig(), try await RecordServiceRig(.production))
        _ = try await development.apply(.on("r", .create, ["n": .int64(1)]))
        #expect(try await production.apply(.on("r", .create, ["n": .int64(1)])).code == .badRequest)
        try await promote(development, production)
        #expect(try await production.apply(.on("r", .create, ["n": .int64(1)])).code == nil)
        #expect(try await production.apply(.on("s", .create, ["m": .int64(1)])).code == .badRequest)
        #expect(try await query(production, [.field("n", .greaterThan, .int64(0))]) == ["r"])
        // Nothing is left to promote.
        let rest = SchemaDifference(
            promoting: try await development.service.schema(), over: try await production.service.schema())
        #expect(rest.changes.isEmpty)
    }

    @Test func anIndexThatComesLaterFindsTheRecordsThatAreThere() async throws {
        let (development, production) = (try await RecordServiceRig(), try await RecordServiceRig(.production))
        _ = try await development.apply(.on("r", .create, ["n": .int64(1)]))
        var bare = try await development.service.schema()
        bare.types[RecordType(trusted: "T")]?.fields[FieldName(trusted: "n")]?.indexes = []
        try await production.service.apply(SchemaDifference(promoting: bare, over: Schema()))
        _ = try await production.apply(.on("a", .create, ["n": .int64(1)]))
        await #expect(throws: CloudError.self) { try await query(production, [.field("n", .equals, .int64(1))]) }
        try await promote(development, production)
        #expect(try await query(production, [.field("n", .equals, .int64(1))]) == ["a"])
    }

    @Test func conditionsOfSubscriptionsArePromotedWhateverTheirValues() async throws {
        let (development, production) = (try await RecordServiceRig(), try await RecordServiceRig(.production))
        _ = try await development.apply(.on("r", .create, ["n": .int64(1)]))
        let draft = SubscriptionDraft.draft("s", [.field("n", .equals, .int64(1))])
        #expect(try await development.apply(.create(draft)).code == nil)
        var other = SubscriptionDraft.draft("s", [.field("n", .equals, .int64(2))])
        var schema = try await development.service.schema()
        schema.conditions = []
        try await production.service.apply(SchemaDifference(promoting: schema, over: Schema()))
        #expect(try await production.apply(.create(other)).code == .badRequest)
        try await promote(development, production)
        #expect(try await production.apply(.create(other)).code == nil)
        other = .draft("t", [.field("n", .lessThan, .int64(2))])
        #expect(try await production.apply(.create(other)).code == .badRequest)
    }

    /// As queries do; a range needs no order.
    @Test func aSubscriptionNeedsTheIndexesOfItsFields() async throws {
        let (development, production) = (try await RecordServiceRig(), try await RecordServiceRig(.production))
        _ = try await development.apply(.on("r", .create, ["n": .int64(1), "s": .string("x")]))
        let range = SubscriptionDraft.draft("range", [.field("n", .lessThan, .int64(9))])
        let words = SubscriptionDraft.draft(
            "words",
            [
                GivenFilter(
                    field: .searchableTexts, comparator: .containsAnyTokens,
                    operand: .value(GivenValue(.string("cat"), isTypeExplicit: true)))
            ])
        for draft in [.draft("all"), range, words] {
            #expect(try await development.apply(.create(draft)).code == nil)
        }
        var bare = try await development.service.schema()
        bare.types[RecordType(trusted: "T")]?.systemIndexes = [:]
        for field in ["n", "s"] {
            bare.types[RecordType(trusted: "T")]?.fields[FieldName(trusted: field)]?.indexes = []
        }
        try await production.service.apply(SchemaDifference(promoting: bare, over: Schema()))
        #expect(try await production.apply(.create(.draft("all"))).code == nil)
        let refused = try await production.apply(.create(range))
        #expect(refused.code == .badRequest && refused.error?.reason == "Field 'n' is not marked queryable")
        #expect(
            try await production.apply(.test(words)).error?.reason == "Field 'self' is not marked searchable")
        bare.types[RecordType(trusted: "T")]?.fields[FieldName(trusted: "n")]?.indexes = .queryable
        bare.types[RecordType(trusted: "T")]?.fields[FieldName(trusted: "s")]?.indexes = .searchable
        try await production.service.apply(
            SchemaDifference(promoting: bare, over: try await production.service.schema()))
        #expect(try await production.apply(.create(range)).code == nil)
        #expect(try await production.apply(.create(words)).code == nil)
    }

    // MARK: Permissions

    private func rig(_ grants: [(TypePermissions.Role, TypePermissions.Right, Bool)]) async throws -> RecordServiceRig {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("a", .create, ["n": .int64(1)]))
        for (role, right, isGranted) in grants {
            try await rig.service.setRight(right, of: role, on: RecordType(trusted: "T"), to: isGranted)
        }
        return rig
    }

    @Test func othersWriteWhereTheTypeLetsThem() async throws {
        let rig = try await rig([])
        #expect(try await rig.apply(.on("a", .forceUpdate), as: rig.bob).code == .accessDenied)
        try await rig.service.setRight(.write, of: .icloud, on: RecordType(trusted: "T"), to: true)
        #expect(try await rig.apply(.on("a", .forceUpdate), as: rig.bob).code == nil)
        #expect(try await rig.apply(.on("a", .forceDelete), as: rig.bob).code == nil)
    }

    @Test func nobodyCreatesWhereTheTypeForbidsIt() async throws {
        let rig = try await rig([(.icloud, .create, false)])
        #expect(try await rig.apply(.on("b", .create)).code == .accessDenied)
        #expect(try await rig.apply(.on("b", .forceUpdate)).code == .accessDenied)
        #expect(try await rig.apply(.on("a", .forceUpdate)).code == nil)
    }

    @Test func creatorOnlyTypesAreHiddenEverywhere() async throws {
        let rig = try await rig([(.world, .read, false), (.creator, .read, true)])
        #expect(try await rig.lookUp("a") != nil)
        #expect(try await rig.lookUp("a", as: rig.bob) == nil)
        #expect(try await query(rig) == ["a"])
        #expect(try await query(rig, as: rig.bob).isEmpty)
        await #expect(throws: CloudError.self) { try await query(rig, as: Caller(user: nil)) }
        _ = try await rig.apply(.on("a", .forceUpdate, ["n": .int64(2)]))
        let change = try #require(try await rig.changes().last)
        #expect(change.reader == .creator)
        for (caller, expected) in [(rig.alice, true), (rig.bob, false)] {
            let subscription = Subscription(
                key: SubscriptionKey(user: caller.user!, database: .public, id: SubscriptionID(trusted: "s")),
                condition: Subscription.Condition(
                    query: Query(recordType: RecordType(trusted: "T"), filters: []), zone: nil, firesOn: .update,
                    firesOnce: false), notificationInfo: NotificationInfo())
            #expect(subscription.fires(on: change) == expected)
        }
    }
}
