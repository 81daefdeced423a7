extension MessageReader {
    /// Reads the field that was begun as a message and lays it over `message`.
    @inlinable
    public mutating func read<Message: WireMessage>(into message: inout Message) throws(MessageError) {
        try nested { reader throws(MessageError) in try message.decode(from: &reader) }
    }

    /// Reads the started field as a message and merges it into the present one.
    @inlinable
    public mutating func read<Message: WireMessage>(into message: inout Message?) throws(MessageError) {
        if message == nil { message = Message() }
        try read(into: &message!)
    }

    /// Reads the field that was begun as a message and appends it.
    @inlinable
    public mutating func read<Message: WireMessage>(appendingTo messages: inout [Message]) throws(MessageError) {
        // Most lists are short, and growing from one by doubling costs more than their elements.
        if messages.isEmpty { messages.reserveCapacity(4) }
        messages.append(Message())
        try read(into: &messages[messages.count - 1])
    }

    /// Reads the field that was begun as an entry of a map, its value by `value`, and puts it there; an entry without a
    /// value has the one given.
    @inlinable
    public mutating func read<Value>(
        into map: inout MessageMap<Value>, unset: Value,
        value: (inout MessageReader, inout Value) throws(MessageError) -> Void
    ) throws(MessageError) {
        var entryKey = ""
        var entryValue = unset
        try nested { reader throws(MessageError) in
            while let number = try reader.nextField() {
                switch number {
                case 1: entryKey = try reader.string()
                case 2: try value(&reader, &entryValue)
                default: try reader.skip()
                }
            }
        }
        map[entryKey] = entryValue
    }

    /// Lets `content` read the bytes of the field that was begun as if they were all there is.
    @inlinable
    mutating func nested(
        content: (inout MessageReader) throws(MessageError) -> Void
    ) throws(MessageError) {
        let field = number
        let length = try length()
        guard depthLeft > 0 else { throw error(.tooDeep) }
        let outerEnd = end
        end = offset + length
        depthLeft -= 1
        do throws(MessageError) {
            try content(&self)
        } catch {
            throw error.inside(field: field)
        }
        depthLeft += 1
        end = outerEnd
    }
}
