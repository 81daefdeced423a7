package import JSON

extension JSONWriter {
    /// Writes a value of ours, which JSON can hold; `null` for one that it cannot, as a number that is not finite.
    package mutating func ownValue(_ value: JSONValue) {
        let mark = mark
        do throws(JSONError) {
            try self.value(value)
        } catch {
            rewind(to: mark)
            null()
        }
    }

    /// Writes a member with a value of ours.
    package mutating func ownMember(_ key: String, _ value: JSONValue) {
        self.key(key)
        ownValue(value)
    }
}
