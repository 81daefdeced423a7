@testable import PostgreSQL

// Before Dispatch, which the tested module sees: the compiler looks for the types of threads in the first of the two.
#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The bytes of a server: values and arrays in binary form, and copies in chunks. The first byte is the kind, the
/// second the type or the place of the cut. A value is read or refused, and one that is read is written so that it
/// reads as the same; a copy has the same rows however it is cut.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count >= 2, let data else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: data + 2, count: count - 2))
    switch data[0] % 3 {
    case 0: checkValue(bytes, type: data[1])
    case 1: checkArray(bytes, type: data[1])
    default: checkCopy(bytes, cut: Int(data[1]))
    }
    return 0
}

/// The numbers of types that are read, and one that is not.
private let types: [UInt32?] = [nil, 16, 17, 20, 21, 23, 25, 26, 28, 700, 701, 5069, 1043, 1700]
private let arrays: [UInt32?] = [nil, 1016, 1007, 1005, 1028, 1009, 1015, 1001, 1231]

private func checkValue(_ bytes: [UInt8], type: UInt8) {
    bytes.withUnsafeBytes { bytes in
        let field = BinaryField(bytes: bytes, type: types[Int(type) % types.count])
        if let value = try? field.integer() {
            precondition(bytes.count == 8 || value >> 32 == 0 || value >> 31 == -1, "an integer of more bits")
        }
        if let value = try? field.text() { precondition(Array(value.utf8) == Array(bytes), "a text of other bytes") }
        if let value = try? field.bool() { precondition(bytes.count == 1 && (bytes[0] == 1) == value) }
        _ = try? field.real()
        _ = try? field.blob()
    }
}

private func checkArray(_ bytes: [UInt8], type: UInt8) {
    let type = arrays[Int(type) % arrays.count]
    if let values = read(bytes, type, { field throws(UnexpectedValue) in try field.integer() }) {
        checkAgain(.int8Array(values), 1016) { again in
            precondition(read(again, 1016, { field throws(UnexpectedValue) in try field.integer() }) == values)
        }
    }
    if let values = read(bytes, type, { field throws(UnexpectedValue) in try field.text() }) {
        checkAgain(.textArray(values), 1009) { again in
            precondition(read(again, 1009, { field throws(UnexpectedValue) in try field.text() }) == values)
        }
    }
    if let values = read(bytes, type, { field throws(UnexpectedValue) in Array(try field.blob()) }) {
        checkAgain(.byteaArray(values), 1001) { again in
            precondition(read(again, 1001, { field throws(UnexpectedValue) in Array(try field.blob()) }) == values)
        }
    }
}

private func checkAgain(_ value: PostgreSQLValue, _ type: UInt32, _ check: ([UInt8]) -> Void) {
    var bytes: [UInt8] = []
    value.append(to: &bytes)
    check(bytes)
}

private func read<Element>(
    _ bytes: [UInt8], _ type: UInt32?, _ element: (BinaryField) throws(UnexpectedValue) -> Element
) -> [Element]? {
    bytes.withUnsafeBytes { bytes in
        var found: [Element] = []
        do throws(UnexpectedValue) {
            try BinaryField(bytes: bytes, type: type).elements { field throws(UnexpectedValue) in
                found.append(try element(field))
            }
        } catch { return nil }
        return found
    }
}

private func checkCopy(_ bytes: [UInt8], cut: Int) {
    let header = CopyTuples.signature + [UInt8](repeating: 0, count: 8)
    // Most inputs begin with a good header, which the search would hardly find.
    let bytes = cut % 4 == 0 ? bytes : header + bytes
    let place = min(cut, bytes.count)
    let whole = rows([bytes])
    let parts = rows([Array(bytes[..<place]), Array(bytes[place...])])
    precondition(whole?.isComplete == parts?.isComplete && whole?.rows == parts?.rows, "a cut changes a copy")
}

private func rows(_ chunks: [[UInt8]]) -> (rows: [[[UInt8]?]], isComplete: Bool)? {
    var tuples = CopyTuples(rowBytesMaximum: 1 << 20)
    var rows: [[[UInt8]?]] = []
    do {
        for chunk in chunks {
            try chunk.withUnsafeBytes { try tuples.append($0) }
            while let row = try tuples.next() {
                rows.append(
                    try (0..<row.columnCount).map { column in
                        try row.withColumn(column) { bytes, _ in bytes.map { Array($0) } }
                    })
                _ = try? row.integer(0)
                _ = try? row.texts(0)
            }
        }
    } catch { return nil }
    return (rows, tuples.isComplete)
}
