import JSON

/// Parsed JSON is written so that it parses to the same, in both forms; a refusal names a byte of the input.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let value: JSONValue
    do throws(JSONError) {
        value = try JSONValue(parsing: UnsafeRawBufferPointer(start: data, count: count))
    } catch {
        precondition((0...count).contains(error.byteOffset) && error.line > 0 && error.column > 0)
        return 0
    }
    do throws(JSONError) {
        for pretty in [false, true] {
            let written = try value.serialized(pretty: pretty)
            let again = try JSONValue(parsing: written)
            let writtenAgain = try again.serialized(pretty: pretty)
            precondition(again == value, "what was written reads as something else")
            precondition(writtenAgain == written, "the same is written in two ways")
        }
    } catch {
        fatalError("what was read is not written, or not read again: \(error)")
    }
    return 0
}
