/// A bucket and the beginning of keys in it, as `s3://bucket/prefix`.
package struct S3Location: Hashable, Sendable, CustomStringConvertible {
    /// The name of the bucket.
    package let bucket: String
    /// The beginning of all keys, without slashes at its ends; empty for none.
    package let prefix: String

    /// Returns true if a text names a bucket, and no folder.
    package static func isNamed(by text: String) -> Bool { text.hasPrefix("s3:") }

    /// Reads `s3://bucket` or `s3://bucket/prefix`.
    ///
    /// All characters are ones that no reader of URLs escapes: a signature is over the escaped form, on which readers
    /// differ.
    package init(_ text: String) throws(S3SettingsError) {
        guard text.hasPrefix("s3://") else {
            throw S3SettingsError("'\(text)' is no place in S3: write s3://BUCKET/PREFIX")
        }
        let parts = text.dropFirst("s3://".count).split(separator: "/", omittingEmptySubsequences: false)
        let bucket = String(parts[0])
        let isEdge = { (byte: UInt8?) in byte.map(Self.isLowercaseOrDigit) ?? false }
        guard (3...63).contains(bucket.utf8.count), isEdge(bucket.utf8.first), isEdge(bucket.utf8.last),
            bucket.utf8.allSatisfy({ Self.isLowercaseOrDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
            )
        else {
            throw S3SettingsError(
                "'\(bucket)' is no name of a bucket: 3 to 63 lower-case letters, digits, '-' and '.', as s3://BUCKET/PREFIX"
            )
        }
        var folders = parts.dropFirst()
        if folders.last == "" { folders = folders.dropLast() }
        for folder in folders {
            guard !folder.isEmpty, folder != ".", folder != "..", folder.utf8.allSatisfy(Self.isPlain) else {
                throw S3SettingsError(
                    "the prefix '\(folders.joined(separator: "/"))' has a part that is empty, '.', '..', or has another character than letters, digits, '-', '_' and '.'"
                )
            }
        }
        self.bucket = bucket
        prefix = folders.joined(separator: "/")
    }

    package var description: String { prefix.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(prefix)" }

    private static func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        isLowercaseOrDigit(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || "-_.".utf8.contains(byte)
    }
}
