import CloudModel
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// References are judged on what a request leaves behind, whatever the order of its operations.
@Suite struct HierarchyTests {
    private static func record(
        _ name: String, below parent: String? = nil, _ fields: [String: FieldValue] = [:],
        _ kind: RecordOperation.Kind = .forceUpdate
    ) -> RecordOperation {
        var operation = RecordOperation.on(name, kind, fields)
        operation.parent = .some(parent.map { RecordName(trusted: $0) })
        return operation
    }

    private static func delete(_ name: String) -> RecordOperation { .on(name, .forceDelete) }

    /// A request with the state before it, and its outcome in every order of its operations.
    struct Example: CustomTestStringConvertible, Sendable {
        var testDescription: String
        /// Operations that are done before, in their order.
        var before: [RecordOperation] = []
        var request: [RecordOperation]
        /// Codes of the operations that fail for themselves, by record.
        var codes: [String: CloudErrorCode] = [:]
        /// Parents of records that are there afterwards, where the operations fail by themselves; "" is none.
        var after: [String: String]
    }

    static let examples = [
        Example(
            testDescription: "a chain", request: [record("a"), record("b", below: "a"), record("c", below: "b")],
            after: ["a": "", "b": "a", "c": "b"]),
        Example(
            testDescription: "a chain whose top fails", before: [record("a")],
            request: [record("a", [:], .create), record("b", below: "a"), record("c", below: "b")],
            codes: ["a": .exists], after: ["a": "", "b": "a", "c": "b"]),
        Example(
            testDescription: "a chain whose top is not there",
            request: [record("b", below: "a"), record("c", below: "b")],
            codes: ["b": .validatingReferenceError, "c": .validatingReferenceError], after: [:]),
        Example(
            testDescription: "VALIDATE",
            request: [record("a"), record("b", ["up": reference("a", .validate)]), record("c", below: "b")],
            after: ["a": "", "b": "", "c": "b"]),
        Example(
            testDescription: "VALIDATE in a circle and to oneself",
            request: [
                record("a", ["to": reference("b", .validate)]), record("b", ["to": reference("c", .validate)]),
                record(
                    "c", below: "a",
                    ["list": .list([reference("a", .validate), reference("c", .validate)], of: .reference)]),
            ], after: ["a": "", "b": "", "c": "a"]),
        Example(
            testDescription: "VALIDATE in a circle of which one is refused",
            request: [
                record("a", ["to": reference("b", .validate)]),
                record("b", ["to": reference("a", .validate), "n": reference("x", .validate)]), record("c"),
            ], codes: ["a": .validatingReferenceError, "b": .validatingReferenceError], after: ["c": ""]),
        Example(
            testDescription: "turned round", before: [record("a"), record("b", below: "a"), record("c", below: "b")],
            request: [record("a", below: "c"), record("b", below: "a"), record("c")],
            after: ["c": "", "a": "c", "b": "a"]),
        Example(
            testDescription: "moved below what leaves, further down",
            before: [record("a"), record("b", below: "a"), record("c", below: "b"), record("d", below: "c")],
            request: [record("a", below: "d"), record("c")],
            after: ["c": "", "d": "c", "a": "d", "b": "a"]),
        Example(
            testDescription: "a circle of parents", request: [record("a", below: "b"), record("b", below: "a")],
            codes: ["a": .validatingReferenceError, "b": .validatingReferenceError], after: [:]),
        Example(
            testDescription: "a hierarchy deleted",
            before: [record("a"), record("b", below: "a"), record("c", below: "b")],
            request: [delete("a"), delete("b"), delete("c")], after: [:]),
        Example(
            testDescription: "a parent deleted, and its child moved",
            before: [record("a"), record("b", below: "a"), record("c")],
            request: [delete("a"), record("b", below: "c")], after: ["b": "c", "c": ""]),
        Example(
            testDescription: "a parent deleted, and its child cut loose",
            before: [record("a"), record("b", below: "a")], request: [delete("a"), record("b")], after: ["b": ""]),
        Example(
            testDescription: "a parent deleted, and its child replaced without one",
            before: [record("a"), record("b", below: "a")],
            request: [delete("a"), .on("b", .forceReplace)], after: ["b": ""]),
        Example(
            testDescription: "a parent deleted, and a child changed",
            before: [record("a"), record("b", below: "a")],
            request: [delete("a"), record("b", below: "a", ["n": .int64(1)])],
            codes: ["a": .validatingReferenceError], after: ["a": "", "b": "a"]),
        Example(
            testDescription: "a parent deleted, and one of two children",
            before: [record("a"), record("b", below: "a"), record("c", below: "a")],
            request: [delete("a"), delete("b")], codes: ["a": .validatingReferenceError],
            after: ["a": "", "c": "a"]),
        Example(
            testDescription: "a parent deleted that a new record names", before: [record("a")],
            request: [delete("a"), record("b", below: "a"), record("c", below: "b")],
            codes: ["b": .validatingReferenceError, "c": .validatingReferenceError], after: [:]),
        Example(
            testDescription: "a record deleted that another validates", before: [record("a")],
            request: [delete("a"), record("b", ["up": reference("a", .validate)])],
            codes: ["b": .validatingReferenceError], after: [:]),
        Example(
            testDescription: "a child that goes by DELETE_SELF",
            before: [
                record("a"), record("b", below: "a", ["up": reference("a", .deleteSelf)]),
                record("c", below: "b", ["up": reference("b", .deleteSelf)]),
            ], request: [delete("a"), record("d")], after: ["d": ""]),
        Example(
            testDescription: "a child of one that goes by DELETE_SELF",
            before: [
                record("a"), record("b", ["up": reference("a", .deleteSelf)]), record("c", below: "b"),
            ], request: [delete("a"), record("d")], codes: ["a": .validatingReferenceError],
            after: ["a": "", "b": "", "c": "b", "d": ""]),
        Example(
            testDescription: "the same, deleted too",
            before: [
                record("a"), record("b", ["up": reference("a", .deleteSelf)]), record("c", below: "b"),
            ], request: [delete("a"), delete("c")], after: [:]),
    ]

    enum Place: String, CaseIterable {
        case atomicZone, zone, defaultZone, publicDatabase
    }

    private static func orders(_ operations: [RecordOperation]) -> [[RecordOperation]] {
        guard operations.count > 1 else { return [operations] }
        return operations.indices.flatMap { place in
            var rest = operations
            let first = rest.remove(at: place)
            return orders(rest).map { [first] + $0 }
        }
    }

    @Test("in every order", arguments: examples, Place.allCases)
    func everyOrder(example: Example, place: Place) async throws {
        let rig = try await RecordServiceRig()
        let database: DatabaseScope = place == .publicDatabase ? .public : .private
        for (number, request) in Self.orders(example.request).enumerated() {
            var zone = GivenZone.default
            if place == .zone || place == .atomicZone {
                zone = GivenZone(name: ZoneName(trusted: "z\(number)"))
                _ = try await rig.zone(.create, zone)
            } else if number > 0 {
                let names = ["a", "b", "c", "d"]
                let cleared = try await rig.apply(names.map(Self.delete), in: database)
                #expect(cleared.allSatisfy { $0.code == nil }, "\(cleared)")
            }
            for operation in example.before {
                #expect(try await rig.apply(operation, in: database, zone: zone).code == nil)
            }
            let outcomes = try await rig.apply(request, in: database, zone: zone, isAtomic: place == .atomicZone)
            let names = request.compactMap { $0.recordName?.rawValue }
            var codes: [String: CloudErrorCode] = [:]
            for (name, outcome) in zip(names, outcomes) where outcome.code != .atomicError {
                codes[name] = outcome.code
            }
            guard place != .atomicZone || example.codes.isEmpty else {
                // Those that fail only because others do are ATOMIC_ERROR.
                #expect(!codes.isEmpty && codes.allSatisfy { example.codes[$0.key] == $0.value }, "\(names): \(codes)")
                continue
            }
            #expect(codes == example.codes, "\(names)")
            for name in ["a", "b", "c", "d"] {
                let record = try await rig.lookUp(name, in: database, zone: zone)
                #expect(record.map { $0.parent?.rawValue ?? "" } == example.after[name], "\(names): \(name)")
            }
        }
    }

    @Test("an atomic request that leaves a record without its parent changes nothing")
    func undone() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        for operation in [Self.record("a"), Self.record("b", below: "a")] {
            #expect(try await rig.apply(operation, in: .private, zone: "z").code == nil)
        }
        let sequence = try await rig.lastSequence()
        let outcomes = try await rig.apply(
            [Self.record("c"), Self.delete("a"), Self.record("d", below: "c")], in: .private, zone: "z")
        #expect(outcomes.map(\.code) == [.atomicError, .validatingReferenceError, .atomicError])
        #expect(outcomes[1].error?.reason.contains("'b'") == true)
        #expect(try await rig.lastSequence() == sequence)
    }

    @Test("a request of several commits: children before their parents, and a circle in one commit")
    func commits() async throws {
        let rig = try await RecordServiceRig()
        let bytes = FieldValue.bytes([UInt8](repeating: 7, count: 700_000))
        let chain = (0..<12).map { Self.record("c\($0)", below: $0 == 0 ? nil : "c\($0 - 1)", ["data": bytes]) }
        let saved = try await rig.apply(Array(chain.reversed()), in: .private, isAtomic: false)
        #expect(saved.allSatisfy { $0.code == nil }, "\(saved.map(\.code))")
        let circle = (0..<6).map {
            Self.record("v\($0)", ["data": bytes, "to": reference("v\(($0 + 1) % 6)", .validate)])
        }
        let circled = try await rig.apply([Self.record("first", ["data": bytes])] + circle, in: .private)
        #expect(circled.allSatisfy { $0.code == nil }, "\(circled.map(\.code))")
        let deleted = try await rig.apply((0..<12).map { Self.delete("c\($0)") }, in: .private, isAtomic: false)
        #expect(deleted.allSatisfy { $0.code == nil }, "\(deleted.map(\.code))")
        #expect(try await rig.lookUp("c0", in: .private) == nil)
    }

    @Test("a chain that a request makes keeps the limit of its depth, whatever the order")
    func depth() async throws {
        let rig = try await RecordServiceRig()
        let count = Limits.parentDepthMax + 2
        let chain = (0..<count).map { Self.record("c\($0)", below: $0 == 0 ? nil : "c\($0 - 1)") }
        let outcomes = try await rig.apply(Array(chain.reversed()), in: .private)
        #expect(outcomes.reversed().map(\.code) == Array(repeating: nil, count: count - 1) + [.quotaExceeded])
    }

    @Test("in the public database children of others, and hidden ones, do not hold a record")
    func creators() async throws {
        let rig = try await RecordServiceRig()
        let type = RecordType(trusted: "T")
        for name in ["a", "b", "p"] { _ = try await rig.apply(.on(name, .create)) }
        try await rig.service.setRight(.write, of: .icloud, on: type, to: true)
        // Alice's record `a` has a child of Bob's alone; `b` one of Alice's as well.
        for parent in ["a", "b"] {
            #expect(try await rig.apply(Self.record("bob-\(parent)", below: parent), as: rig.bob).code == nil)
        }
        #expect(try await rig.apply(Self.record("own", below: "b")).code == nil)
        #expect(try await rig.apply(Self.delete("a")).deleted != nil)
        #expect(try await rig.lookUp("bob-a")?.parent == RecordName(trusted: "a"))
        for caller in [rig.alice, rig.bob] {
            let refused = try await rig.apply(Self.delete("b"), as: caller)
            #expect(refused.code == .validatingReferenceError && refused.error?.reason.contains("'own'") == true)
        }
        // A child that Bob may not see does not refuse his deletion.
        var hidden = RecordOperation.on("hidden", .create, type: "Secret")
        hidden.parent = .some(RecordName(trusted: "p"))
        #expect(try await rig.apply(hidden).code == nil)
        let secret = RecordType(trusted: "Secret")
        try await rig.service.setRight(.read, of: .world, on: secret, to: false)
        try await rig.service.setRight(.read, of: .creator, on: secret, to: true)
        #expect(try await rig.apply(Self.delete("p")).code == .validatingReferenceError, "Alice sees it")
        #expect(try await rig.apply(Self.delete("p"), as: rig.bob).deleted != nil)
    }

    @Test("a zone and a share are deleted with all that is below")
    func zonesAndShares() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.zone(.create, "z")
        for operation in [Self.record("a"), Self.record("b", below: "a")] {
            #expect(try await rig.apply(operation, in: .private, zone: "z").code == nil)
        }
        var share = RecordOperation.on("s", .create)
        share.recordType = .share
        share.share = GivenShare(root: RecordName(trusted: "a"))
        #expect(try await rig.apply(share, in: .private, zone: "z").code == nil)
        #expect(try await rig.apply(Self.delete("s"), in: .private, zone: "z").deleted != nil)
        #expect(try await rig.apply(Self.delete("a"), in: .private, zone: "z").code == .validatingReferenceError)
        guard case .zone = try await rig.zone(.delete, "z") else {
            Issue.record("the zone is not deleted")
            return
        }
    }
}
