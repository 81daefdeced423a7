/// The name of a user: `_` and 32 lower-case hexadecimal digits, different in each container.
package struct UserRecordName: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        guard Self.isUser(rawValue) else {
            throw .badRequest(
                "a user's record name is '_' and 32 lower-case hexadecimal digits; \(rawValue.quotedInErrors) is not")
        }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// Returns true if a text can be the name of a user.
    static func isUser(_ text: String) -> Bool {
        text.utf8.count == 33 && text.utf8.first == UInt8(ascii: "_")
            && text.utf8.dropFirst().allSatisfy {
                NameRule.isDigit($0) || ($0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f"))
            }
    }

    /// The owner of the public database's default zone, as CloudKit writes it on the wire
    /// (docs/cloudkit.md#push-payload).
    package static let defaultOwner = UserRecordName(trusted: "_defaultOwner")
}
