/// The private keys of a file, one after the other as PEM: the first signs for new addresses, the others for those that
/// were made with them. To rotate, an operator puts a new key before the others.
package struct SigningKeys: Sendable {
    /// Never empty; the current one first.
    package let all: [SigningKey]
    private let byPoint: [[UInt8]: SigningKey]

    /// Keys, the current one first.
    package init(_ all: [SigningKey]) {
        precondition(!all.isEmpty, "there is a current key")
        self.all = all
        byPoint = Dictionary(all.map { ($0.publicPoint, $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The key of new addresses.
    package var current: SigningKey { all[0] }

    /// The key of a public point; nil if it is none of these.
    package subscript(point: [UInt8]) -> SigningKey? { byPoint[point] }

    /// Reads the keys of a file, or makes it with a new one, which only its owner can read and write. Of several
    /// processes that start at once, one makes it. Waits for the disk.
    package static func kept(file: String) throws(KeyRingError) -> SigningKeys {
        let file = KeyFile(path: file)
        do throws(KeyRingError) {
            return try SigningKeys(parsing: file.contents())
        } catch .missing {
            _ = try file.create(with: Array(SigningKey.generate().pem.utf8))
            return try SigningKeys(parsing: file.contents())
        }
    }

    /// Reads keys in PEM, one after the other.
    package init(parsing bytes: [UInt8]) throws(KeyRingError) {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed(line: 1, "is not UTF-8") }
        var keys: [SigningKey] = []
        var block = ""
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            block += line + "\n"
            guard line.hasPrefix("-----END "), line.hasSuffix("PRIVATE KEY-----") else { continue }
            do throws(P256KeyError) {
                keys.append(try SigningKey(pem: block))
            } catch {
                throw .malformed(line: number, "ends no private key of P-256: \(error)")
            }
            block = ""
        }
        guard !keys.isEmpty, block.allSatisfy(\.isWhitespace) else {
            throw .malformed(line: number, "is not the end of a private key in PEM")
        }
        self.init(keys)
    }
}
