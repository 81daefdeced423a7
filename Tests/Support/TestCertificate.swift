import Foundation

/// A certificate for `localhost`, 127.0.0.1 and `push.example` that vouches for itself, made by the `openssl` command
/// once for all tests. Clients can show it, too.
package struct TestCertificate: Sendable {
    package static let shared = TestCertificate()

    /// Paths of PEM files.
    package let file: String
    package let key: String
    private let folder = TemporaryFolder()

    private init() {
        file = folder.path("certificate.pem")
        key = folder.path("key.pem")
        let process = ChildProcess(
            "/usr/bin/env",
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
                + ["-subj", "/CN=localhost"]
                + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,DNS:push.example"]
                + ["-keyout", key, "-out", file], error: .nullDevice)
        guard (try? process.runToEnd()) == 0 else { fatalError("openssl made no certificate") }
    }
}
