import CloudMessages
import CloudModel
import Cryptography
import ProtocolBuffers
import RecordStore
import Testing

@testable import RecordService

/// Encrypted fields between a save and a look.
@Suite struct EncryptedFieldTests {
    private func secret(_ text: String) -> FieldValue { .encrypted(.open(.string(text))) }

    private func field(_ record: Record?, _ name: String = "f") -> FieldValue? {
        record?.fields[FieldName(trusted: name)]
    }

    private func isSealed(_ value: FieldValue?) -> Bool {
        if case .encrypted(.sealed(_, as: .string))? = value { true } else { false }
    }

    @Test("a value is sealed in the store and in the change, and opens for the answer")
    func sealed() async throws {
        let rig = try await RecordServiceRig()
        let text = "the secret of the record"
        let saved = try await rig.apply(.on("r", .create, ["f": secret(text), "g": .int64(1)]), in: .private)
        let stored = try #require(try await rig.lookUp("r", in: .private))
        for record in [saved.record, stored, try await rig.changes().last?.after] {
            #expect(isSealed(field(record)))
        }
        #expect(try field(rig.service.seals.opened(stored)) == secret(text))
        #expect(try isSealed(field(rig.service.seals.opened(stored, wanted: [FieldName(trusted: "g")]))))
        for row in try await rig.outbox() {
            let value = row.value ?? []
            #expect(!value.indices.contains { value[$0...].starts(with: text.utf8) })
        }
    }

    @Test("the schema has the field as encrypted, and seals what the request does not call so")
    func schema() async throws {
        let rig = try await RecordServiceRig()
        _ = try await rig.apply(.on("r", .create, ["f": secret("a"), "p": .string("plain")]), in: .private)
        #expect(try await rig.fieldTypes("T")?[FieldName(trusted: "f")] == .encryptedString)
        let indexes = try await rig.service.schema().types[RecordType(trusted: "T")]?.fields[FieldName(trusted: "f")]
        #expect(indexes?.indexes == [])
        for isExplicit in [false, true] {
            let saved = try await rig.apply(
                .on("r", .forceUpdate, ["f": .string("b")], isTypeExplicit: isExplicit), in: .private)
            #expect(isSealed(field(saved.record)))
        }
        #expect(try await rig.apply(.on("r", .forceUpdate, ["f": .int64(1)]), in: .private).code == .badRequest)
        #expect(try await rig.apply(.on("r", .forceUpdate, ["p": secret("x")]), in: .private).code == .badRequest)
        #expect(try await rig.apply(.on("r", .forceUpdate, ["f": nil]), in: .private).record?.fields.entries.count == 1)
    }

    @Test("the public database has none, for any caller")
    func publicDatabase() async throws {
        let rig = try await RecordServiceRig()
        #expect(try await rig.apply(.on("r", .create, ["f": secret("a")])).code == .badRequest)
        _ = try await rig.apply(.on("r", .create, ["f": secret("a")]), in: .private)
        #expect(try await rig.apply(.on("r", .create, ["f": .string("a")])).code == .badRequest)
    }

    @Test("an equal value keeps its bytes, another one has others")
    func equalValues() async throws {
        let rig = try await RecordServiceRig()
        let first = try await rig.apply(.on("r", .create, ["f": secret("a")]), in: .private).record
        let second = try await rig.apply(.on("r", .forceUpdate, ["f": secret("a")]), in: .private).record
        let third = try await rig.apply(.on("r", .forceUpdate, ["f": secret("b")]), in: .private).record
        #expect(field(first) == field(second))
        #expect(field(second) != field(third))
        let twin = try await rig.apply(.on("s", .create, ["f": secret("b")]), in: .private).record
        #expect(field(third) != field(twin))
    }

    @Test("bytes that were moved to another field, record or owner do not open")
    func moved() async throws {
        let rig = try await RecordServiceRig()
        let record = try #require(
            try await rig.apply(.on("r", .create, ["f": secret("a")]), in: .private).record)
        var others = [record, record, record]
        others[0].name = RecordName(trusted: "other")
        others[1].zone.owner = rig.bob.user!
        others[2].fields[FieldName(trusted: "g")] = field(record)
        for other in others {
            #expect { try rig.service.seals.opened(other) } throws: { ($0 as? CloudError)?.code == .internalError }
        }
        let stranger = FieldSeals(.generate(), scope: rig.service.scope)
        #expect(throws: CloudError.self) { try stranger.opened(record) }
    }

    @Test("sealed values go through messages, and what none can be is refused")
    func messages() throws {
        let value = FieldValue.encrypted(.sealed([1, 2, 3], as: .doubleList))
        #expect(try ValueMessage(decoding: ValueMessage(value).encoded()).value() == value)
        for type in [FieldType.reference, .assetList, .encryptedString] {
            let message = ValueMessage(kind: .sealed(SealedValueMessage(type: type.rawValue, content: [1])))
            #expect(throws: MalformedMessage.self) { try message.value() }
        }
    }
}
