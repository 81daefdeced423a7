import CMicroHTTPD
import TextForms

#if canImport(Glibc)
    import Glibc
#endif

/// A certificate and its key as C strings, which the daemons read while they run: their starter keeps it until they
/// have stopped.
///
/// Sendable because they are never written.
final class TLSMaterial: @unchecked Sendable {
    /// The two files as the system knows them: another value says that one was replaced or written to.
    struct Stamp: Equatable, Sendable {
        private let values: [Int]

        /// A file that is not there has a stamp, too.
        init(_ tls: HTTPServerConfiguration.TLS) {
            values = [tls.certificateFile, tls.keyFile].flatMap { path in
                var status = stat()
                guard stat(path, &status) == 0 else { return [0] }
                return [
                    Int(status.st_dev), Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec,
                    status.st_mtim.tv_nsec,
                ]
            }
        }
    }

    let certificate: UnsafeMutablePointer<CChar>
    let key: UnsafeMutablePointer<CChar>

    /// Reads both files. Throws `HTTPServerError` naming the one that cannot be read.
    init(_ tls: HTTPServerConfiguration.TLS) throws(HTTPServerError) {
        let texts = try [tls.certificateFile, tls.keyFile].map { (path) throws(HTTPServerError) in try Self.read(path) }
        certificate = strdup(texts[0])
        key = strdup(texts[1])
    }

    deinit {
        free(certificate)
        free(key)
    }

    /// Returns true if both are the same text.
    func isSame(as other: TLSMaterial) -> Bool {
        strcmp(certificate, other.certificate) == 0 && strcmp(key, other.key) == 0
    }

    private static func read(_ path: String) throws(HTTPServerError) -> String {
        guard let file = fopen(path, "re") else { throw unreadable(path, String(cString: strerror(errno))) }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = fread(&bytes, 1, bytes.count, file)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        guard text.holds("-----BEGIN") else { throw unreadable(path, "it holds no PEM block") }
        return text
    }

    private static func unreadable(_ path: String, _ reason: String) -> HTTPServerError {
        HTTPServerError(
            .certificate,
            "Cannot read the TLS file \(path): \(reason). Name a PEM file that this process may read.")
    }
}
