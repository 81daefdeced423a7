/// The binary values of a statement's parameters, in one allocation.
struct ParameterBuffer {
    /// Begins with a byte that is no value's, so that the address of an empty one is not null, which would be NULL.
    private var bytes: [UInt8] = [0]
    private var places: [(start: Int, count: Int)?] = []

    /// Returns nil if the values have more bytes than `bytesMaximum`.
    init?(_ values: [PostgreSQLValue], bytesMaximum: Int) {
        places.reserveCapacity(values.count)
        for value in values {
            guard value != .null else {
                places.append(nil)
                continue
            }
            let start = bytes.count
            value.append(to: &bytes)
            places.append((start, bytes.count - start))
            guard bytes.count <= bytesMaximum else { return nil }
        }
    }

    /// The bytes of all values.
    var count: Int { bytes.count }

    /// Calls `body` with what libpq takes: the number of values, their addresses, lengths and forms.
    func withArrays<Result>(
        _ body: (Int32, [UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            let addresses = places.map { place in
                place.map { bytes.baseAddress!.advanced(by: $0.start).assumingMemoryBound(to: CChar.self) }
            }
            let lengths = places.map { Int32($0?.count ?? 0) }
            return body(Int32(places.count), addresses, lengths, [Int32](repeating: 1, count: places.count))
        }
    }
}
