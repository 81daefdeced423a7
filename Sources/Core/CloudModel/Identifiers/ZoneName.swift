/// The name of a zone: `_defaultZone`, or 1 to 255 printable ASCII characters that do not start with `_`.
package struct ZoneName: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        guard rawValue != Self.defaultZone.rawValue else {
            self = .defaultZone
            return
        }
        try NameRule.printableASCII(rawValue, kind: "zoneName")
        guard rawValue.utf8.first != UInt8(ascii: "_") else {
            throw .badRequest("zoneName '\(rawValue)' must not start with '_': only _defaultZone does")
        }
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }

    /// The zone that every database has.
    package static let defaultZone = ZoneName(trusted: "_defaultZone")
}
