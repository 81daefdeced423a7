/// A row of typed values; columns count from 0.
///
/// All readings throw `PostgreSQLError` of kind `unexpectedValue` when the column has another type, is NULL where that
/// is not asked for, does not exist, or has bytes that are not of its type.
package protocol PostgreSQLFields {
    /// The number of columns.
    var columnCount: Int { get }

    /// Calls `body` with the bytes of a column, nil for NULL, and the number of its type, nil where it is not known.
    /// The bytes are valid during the call only.
    func withColumn<Result>(
        _ column: Int, _ body: (UnsafeRawBufferPointer?, UInt32?) throws -> Result
    ) throws -> Result
}

extension PostgreSQLFields {
    /// Returns true if a column is NULL.
    package func isNull(_ column: Int) throws -> Bool { try read(column) { $0.bytes == nil } }

    /// An integer of `int2`, `int4`, `int8`, `oid`, `xid` or `xid8`.
    package func integer(_ column: Int) throws -> Int64 {
        try read(column) { field throws(UnexpectedValue) in try field.integer() }
    }

    /// An integer, or nil for NULL.
    package func optionalInteger(_ column: Int) throws -> Int64? {
        try read(column) { field throws(UnexpectedValue) in field.bytes == nil ? nil : try field.integer() }
    }

    /// A number of `float4` or `float8`.
    package func real(_ column: Int) throws -> Double {
        try read(column) { field throws(UnexpectedValue) in try field.real() }
    }

    /// A boolean.
    package func bool(_ column: Int) throws -> Bool {
        try read(column) { field throws(UnexpectedValue) in try field.bool() }
    }

    /// A text of `text`, `varchar`, `name` and the like.
    package func text(_ column: Int) throws -> String {
        try read(column) { field throws(UnexpectedValue) in try field.text() }
    }

    /// A text, or nil for NULL.
    package func optionalText(_ column: Int) throws -> String? {
        try read(column) { field throws(UnexpectedValue) in field.bytes == nil ? nil : try field.text() }
    }

    /// The bytes of a `bytea`.
    package func bytes(_ column: Int) throws -> [UInt8] {
        try read(column) { field throws(UnexpectedValue) in [UInt8](try field.blob()) }
    }

    /// The bytes of a `bytea`, or nil for NULL.
    package func optionalBytes(_ column: Int) throws -> [UInt8]? {
        try read(column) { field throws(UnexpectedValue) in field.bytes == nil ? nil : [UInt8](try field.blob()) }
    }

    /// Calls `body` with the bytes of a `bytea`, without a copy; they are valid during the call only.
    package func withBytes<Result>(_ column: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        try withColumn(column) { bytes, type in
            let field = BinaryField(bytes: bytes, type: type)
            let blob: UnsafeRawBufferPointer
            do throws(UnexpectedValue) { blob = try field.blob() } catch { throw failure(column, error) }
            return try body(blob)
        }
    }

    /// The elements of an array of integers, none of them NULL.
    package func integers(_ column: Int) throws -> [Int64] {
        try elements(column) { field throws(UnexpectedValue) in try field.integer() }
    }

    /// The elements of an array of texts, none of them NULL.
    package func texts(_ column: Int) throws -> [String] {
        try elements(column) { field throws(UnexpectedValue) in try field.text() }
    }

    /// The elements of an array of `bytea`, none of them NULL.
    package func blobs(_ column: Int) throws -> [[UInt8]] {
        try elements(column) { field throws(UnexpectedValue) in [UInt8](try field.blob()) }
    }

    private func elements<Element>(
        _ column: Int, _ element: (BinaryField) throws(UnexpectedValue) -> Element
    ) throws -> [Element] {
        try read(column) { field throws(UnexpectedValue) in
            var elements: [Element] = []
            try field.elements { field throws(UnexpectedValue) in elements.append(try element(field)) }
            return elements
        }
    }

    private func read<Value>(
        _ column: Int, _ body: (BinaryField) throws(UnexpectedValue) -> Value
    ) throws -> Value {
        try withColumn(column) { bytes, type in
            do throws(UnexpectedValue) {
                return try body(BinaryField(bytes: bytes, type: type))
            } catch {
                throw failure(column, error)
            }
        }
    }

    private func failure(_ column: Int, _ error: UnexpectedValue) -> PostgreSQLError {
        PostgreSQLError(.unexpectedValue, "the answer has \(error.reason)", attempt: "read column \(column)")
    }
}
