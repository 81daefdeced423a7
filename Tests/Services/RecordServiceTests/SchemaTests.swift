import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// The schema: made just in time in development, fixed in production (docs/cloudkit.md#environments-and-schema,
/// docs/choices.md, 13).
@Suite struct SchemaTests {
    @Test func theFirstValueFixesAFieldsType() async throws {
        let rig = try await RecordServiceRig()
        let values: [String: FieldValue] = [
            "s": .string("x"), "i": .int64(1), "d": .double(1), "t": .timestamp(rig.now), "r": reference("x"),
            "l": .stringList(["x"]),
        ]
        _ = try await rig.apply(.on("r", .create, values, isTypeExplicit: true))
        #expect(try await rig.fieldTypes("T")?.count == 6)
        for (name, first) in values {
            for (other, value) in values where other != name {
                let outcome = try await rig.apply(.on("x", .forceUpdate, [name: value], isTypeExplicit: true))
                #expect(outcome.code == .badRequest, "\(other) into \(name)")
                #expect(outcome.error?.reason.contains("\(first.type)") == true)
            }
        }
        #expect(try await rig.lookUp("x") == nil)
    }

    @Test func anInferredIntegerFollowsTheSchema() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(
            .on("r", .create, ["d": .double(0.5), "t": .timestamp(Timestamp(milliseconds: 1))], isTypeExplicit: true))
        let record = try #require(try await rig.apply(.on("x", .create, ["d": .int64(3), "t": .int64(4)])).record)
        #expect(record.fields[FieldName(trusted: "d")] == .double(3))
        #expect(record.fields[FieldName(trusted: "t")] == .timestamp(Timestamp(milliseconds: 4)))
        // Many clients give times with fractions of a millisecond.
        let cut = try #require(try await rig.apply(.on("y", .create, ["t": .double(5.75)])).record)
        #expect(cut.fields[FieldName(trusted: "t")] == .timestamp(Timestamp(milliseconds: 5)))
    }

    /// Two operations of one request: the first one's type holds for the second.
    @Test func aTypeHoldsFromTheOperationThatMadeIt() async throws {
        let rig = try await RecordServiceRig()
        let results = try await rig.service.modifyRecords(
            [
                .on("a", .create, ["n": .int64(1)]), .on("b", .create, ["n": .string("x")]),
                .on("c", .create, ["n": .int64(2)]),
            ],
            in: .public, for: rig.alice)
        #expect(results.map { Outcome($0).code } == [nil, .badRequest, nil])
    }

    /// A null neither makes a field nor gives it a type.
    @Test func nullDefinesNothing() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("a", .create, ["n": nil]))
        #expect(try await rig.fieldTypes("T") == [:])
        #expect(try await rig.apply(.on("b", .create, ["n": .string("x")])).record != nil)
    }

    /// One schema for all databases of a container's environment (docs/cloudkit.md#model).
    @Test func allDatabasesShareTheSchema() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("a", .create, ["n": .int64(1)]), in: .private)
        #expect(try await rig.apply(.on("a", .create, ["n": .string("x")])).code == .badRequest)
    }

    @Test func productionRefusesUnknownTypes() async throws {
        let rig = try await RecordServiceRig(.production)
        #expect(try await rig.apply(.on("r", .create, ["n": .int64(1)])).code == .badRequest)
        #expect(try await rig.apply(.on("r", .create)).code == .badRequest)
        try await rig.service.store.write { transaction in
            try transaction.define(RecordType(trusted: "T"))
            try transaction.define(FieldName(trusted: "n"), as: .int64, in: RecordType(trusted: "T"))
        }
        #expect(try await rig.apply(.on("r", .create, ["n": .int64(1)])).record != nil)
        #expect(try await rig.apply(.on("x", .create, ["m": .int64(1)])).code == .badRequest)
        #expect(try await rig.apply(.on("x", .create, ["n": .string("x")])).code == .badRequest)
        #expect(try await rig.fieldTypes("T")?.count == 1)
    }
}
