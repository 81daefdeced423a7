import CloudModel

/// A text in CloudKit's schema language is refused with `BAD_REQUEST`, or read as a schema that is written and read
/// back without a change, and that differs from itself in nothing.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: count), as: UTF8.self)
    do throws(CloudError) {
        let schema = try SchemaText.read(text)
        let written = SchemaText.write(schema)
        do throws(CloudError) {
            let again = try SchemaText.read(written)
            precondition(again == schema, "what was written is read as another schema: \(written)")
        } catch {
            fatalError("what was written is not read: \(error.reason)")
        }
        let difference = SchemaDifference(promoting: schema, over: schema)
        precondition(difference.changes.isEmpty && difference.conflicts.isEmpty)
        for change in SchemaDifference(promoting: schema, over: Schema()).changes { _ = "\(change)" }
    } catch {
        precondition(error.code == .badRequest && !error.reason.isEmpty)
    }
    return 0
}
