/// The name of a container, such as `iCloud.com.example.Gallery`: letters, digits, `-` and `.`, at most 120 of them,
/// because topic names are made of it.
package struct ContainerIdentifier: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        let allowed = rawValue.utf8.allSatisfy {
            NameRule.isLetter($0) || NameRule.isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
        }
        guard allowed, (1...Limits.containerCharactersMax).contains(rawValue.utf8.count) else {
            throw .badRequest(
                "a container's name is 1 to \(Limits.containerCharactersMax) letters, digits, '-' and '.'; \(rawValue.quotedInErrors) is not"
            )
        }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
