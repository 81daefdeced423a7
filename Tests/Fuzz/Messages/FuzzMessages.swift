import ProtocolBuffers

/// A message with every feature is written so that it decodes to the same, into the same bytes.
@_cdecl("LLVMFuzzerTestOneInput")
func fuzz(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let written: [UInt8]
    do throws(MessageError) {
        written = try Everything(decoding: UnsafeRawBufferPointer(start: data, count: count)).encoded()
    } catch {
        precondition((0...count).contains(error.byteOffset))
        return 0
    }
    do throws(MessageError) {
        // Compared by bytes, as a NaN does not equal itself.
        let again = try Everything(decoding: written).encoded()
        precondition(again == written, "what was written reads as something else")
    } catch {
        fatalError("what was written is not read: \(error)")
    }
    return 0
}
