import CloudMessages
import CloudModel
import Matching
import ProtocolBuffers

/// A parsed predicate is stored so that it decodes to the same, evaluates without a fault, and is accepted by the
/// strict parser only if the other one accepts it; a refusal is BAD_REQUEST.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    for types in [nil, Known.types] {
        let read = Result { () throws(CloudError) in try query(text, types, .fanfare) }
        let strict = Result { () throws(CloudError) in try query(text, types, .cloudKitSubset) }
        switch read {
        case .failure(let error):
            precondition(error.code == .badRequest && !error.reason.isEmpty)
            guard case .failure = strict else { fatalError("CloudKit's subset takes more than the whole language") }
        case .success(let query):
            guard let written = query.written else { fatalError("the predicate string is lost") }
            check(written)
        }
    }
    return 0
}

private func query(
    _ text: String, _ types: [FieldName: FieldType]?, _ language: PredicateLanguage
) throws(CloudError) -> Query {
    // As many arguments as there are places, of all kinds in turn.
    let places = text.utf8.count { $0 == UInt8(ascii: "%") }
    let arguments = (0..<places).map { Known.arguments[$0 % Known.arguments.count] }
    return try QueryValidator.query(
        GivenQuery(
            recordType: RecordType(trusted: "T"), filters: [],
            predicate: GivenPredicate(text: text, arguments: arguments)),
        types: types, time: Timestamp(milliseconds: 1), allows: language)
}

private func check(_ written: WrittenPredicate) {
    let bytes = WrittenPredicateMessage(written).encoded()
    do {
        let again = try WrittenPredicateMessage(decoding: bytes).written()
        precondition(again == written, "what was stored is read as something else")
    } catch {
        fatalError("what was stored is not read: \(error)")
    }
    let holds = written.tree.holds(for: Known.record)
    precondition(Predicate.not(written.tree).holds(for: Known.record) != holds)
}

/// A record with a field of each kind, and values for arguments.
private enum Known {
    static let values: [String: FieldValue] = [
        "s": .string("aéb \u{1F600} The x"), "n": .int64(1), "x": .double(0.5),
        "t": .timestamp(Timestamp(milliseconds: 5)),
        "r": .reference(Reference(recordName: RecordName(trusted: "r"), action: .none)),
        "l": .location(Location(latitude: 1, longitude: 2)), "b": .bytes([1]), "tags": .stringList(["a", "b"]),
        "numbers": .list([.int64(3)], of: .int64),
    ]
    static let types: [FieldName: FieldType] = Dictionary(
        uniqueKeysWithValues: values.map { (FieldName(trusted: $0), $1.type) })
    static let arguments: [GivenPredicate.Argument] = [
        .value(GivenValue(.string("l"), isTypeExplicit: false)),
        .value(GivenValue(.location(Location(latitude: 3, longitude: 4)), isTypeExplicit: true)),
        .value(GivenValue(.int64(1), isTypeExplicit: false)), .null,
        .value(GivenValue(.stringList(["a", "s"]), isTypeExplicit: false)),
    ]
    static let record: Record = {
        var fields = RecordFields()
        for (name, value) in values { fields[FieldName(trusted: name)] = value }
        let stamp = RecordStamp(
            timestamp: Timestamp(milliseconds: 1), user: UserRecordName(trusted: "_a"), device: nil)
        return Record(
            type: RecordType(trusted: "T"), name: RecordName(trusted: "r"), zone: .publicDefault, changeTag: "t",
            created: stamp, modified: stamp, fields: fields)
    }()
}
