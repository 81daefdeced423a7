import TextForms

/// The server of an object store, and the form of its addresses.
package struct S3Endpoint: Hashable, Sendable {
    /// The region, as signatures name it.
    package let region: String
    /// True if the bucket is the first part of the path, false if it is the first part of the host's name.
    package let isPathStyle: Bool
    private let scheme: String
    private let authority: String

    /// - Parameters:
    ///   - url: scheme, host and perhaps a port; empty for that of AWS in the region.
    ///   - region: the region; empty for `us-east-1`.
    package init(url: String, region: String, isPathStyle: Bool) throws(S3SettingsError) {
        let region = region.isEmpty ? "us-east-1" : region
        guard region.utf8.count <= 64, region.utf8.allSatisfy(Self.isOfRegion) else {
            throw S3SettingsError("'\(region)' is no region: letters, digits and '-', such as eu-central-1")
        }
        let text = url.isEmpty ? "https://s3.\(region).amazonaws.com" : url
        let read: HTTPURL
        do throws(HTTPURL.Defect) { read = try HTTPURL(text) } catch {
            throw S3SettingsError("'\(text)' is no address of an object store: \(error)")
        }
        guard read.target == "/" else {
            throw S3SettingsError("'\(text)' has a path: give scheme, host and port alone, such as http://minio:9000")
        }
        guard isPathStyle || !Self.isNumeric(read.host) else {
            throw S3SettingsError(
                "'\(text)' has a numeric address, before which no bucket's name can be: switch assets-path-style on")
        }
        self.region = region
        self.isPathStyle = isPathStyle
        scheme = read.isSecure ? "https" : "http"
        authority = read.port == (read.isSecure ? 443 : 80) ? read.host : "\(read.host):\(read.port)"
    }

    /// The address of a key in a bucket; of the bucket itself for an empty key.
    func url(of key: String, in bucket: String) -> String {
        isPathStyle ? "\(scheme)://\(authority)/\(bucket)/\(key)" : "\(scheme)://\(bucket).\(authority)/\(key)"
    }

    /// Throws if no certificate for the endpoint can be one for the bucket's name in front of it.
    func check(_ bucket: String) throws(S3SettingsError) {
        guard !isPathStyle, scheme == "https", bucket.contains(".") else { return }
        throw S3SettingsError(
            "the bucket '\(bucket)' has a dot, so that no certificate for *.\(authority) is one for it: switch assets-path-style on"
        )
    }

    private static func isNumeric(_ host: String) -> Bool {
        host.hasPrefix("[") || host.utf8.allSatisfy { $0 == UInt8(ascii: ".") || isDigit($0) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func isOfRegion(_ byte: UInt8) -> Bool {
        isDigit(byte) || byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
