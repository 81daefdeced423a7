import TextForms

/// The contact of the operator, which push services see (RFC 8292): `mailto:` or `https://`.
package struct VAPIDSubject: Sendable, Hashable {
    /// No subject is longer.
    package static let bytesMax = 255

    /// The text as it is sent.
    package let text: String

    /// Reads a setting.
    package init(_ text: String) throws(VAPIDSubjectError) {
        guard text.utf8.count <= Self.bytesMax, let host = Self.host(text) else { throw .malformed }
        // Apple answers 403 to these.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        let isLocal =
            ["localhost", "local", "[::1]"].contains(name) || name.hasSuffix(".localhost") || name.hasSuffix(".local")
            || name.hasPrefix("127.") && name.allSatisfy { $0.isNumber || $0 == "." }
        guard !isLocal else { throw .local }
        self.text = text
    }

    private static func host(_ text: String) -> String? {
        let low = text.lowercased()
        guard low.hasPrefix("mailto:") else { return HTTPURL.pushed(to: text)?.host }
        let parts = low.dropFirst("mailto:".count).split(separator: "@", omittingEmptySubsequences: false)
        let isPlain = low.utf8.allSatisfy {
            (0x21...0x7e).contains($0) && !#"?#,;:<>"\"#.utf8.contains($0) || $0 == 0x3a
        }
        guard isPlain, parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(":") }) else { return nil }
        return String(parts[1])
    }
}

/// The reason why a text is no contact.
package enum VAPIDSubjectError: Error, Equatable, CustomStringConvertible {
    case malformed
    /// A host that only the operator's own machine or network knows.
    case local

    /// One sentence.
    package var description: String {
        switch self {
        case .malformed:
            "vapid-subject is 'mailto:' and an address, or an https URL, of at most \(VAPIDSubject.bytesMax) bytes of ASCII"
        case .local:
            "vapid-subject must not be at localhost or in .local: Apple's push service refuses all pushes then"
        }
    }
}
