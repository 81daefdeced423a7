/// A device's ID, unique within an environment: 1 to 64 letters, digits, `-` and `_`, because topic names contain it.
package struct DeviceID: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        guard Self.isValid(rawValue) else {
            throw .badRequest(
                "a deviceID is 1 to \(Limits.deviceCharactersMax) letters, digits, '-' and '_'; \(rawValue.quotedInErrors) is not"
            )
        }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }

    private static func isValid(_ text: String) -> Bool {
        (1...Limits.deviceCharactersMax).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                NameRule.isLetter($0) || NameRule.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
            }
    }
}
