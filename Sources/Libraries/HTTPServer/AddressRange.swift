/// Addresses that begin alike: `10.0.0.0/8`, `fd00::/8`, or one address.
package struct AddressRange: Hashable, Sendable {
    private let first: ClientAddress
    private let bits: Int

    /// Nil for a text that is no range.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let first = ClientAddress(String(parts[0])) else { return nil }
        let whole = parts[0].contains(":") ? 128 : 32
        var bits = whole
        if parts.count == 2 {
            guard let number = Int(parts[1]), (0...whole).contains(number) else { return nil }
            bits = number
        }
        self.first = first
        self.bits = 128 - whole + bits
    }

    /// Returns true if the range holds the address.
    package func contains(_ address: ClientAddress) -> Bool { address.isWithin(first, bits: bits) }
}
