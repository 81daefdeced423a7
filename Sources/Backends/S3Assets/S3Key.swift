/// The access key of an object store.
package struct S3Key: Hashable, Sendable {
    /// The name of the key.
    package var accessKey: String
    package var secretKey: String
    /// The token of a temporary key; nil for a lasting one.
    package var sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }

    /// Reads the variables `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`; nil if none is there.
    package init?(environment: [String: String]) throws(S3SettingsError) {
        let (name, secret) = (environment["AWS_ACCESS_KEY_ID"] ?? "", environment["AWS_SECRET_ACCESS_KEY"] ?? "")
        if name.isEmpty, secret.isEmpty { return nil }
        guard !name.isEmpty, !secret.isEmpty else {
            throw S3SettingsError(
                "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY go together, and one of them is missing or empty")
        }
        let token = environment["AWS_SESSION_TOKEN"] ?? ""
        try self.init(checked: name, secret, token.isEmpty ? nil : token, from: "the environment")
    }

    /// Reads the profile `default` of a file in the form of `~/.aws/credentials`.
    /// - Parameter path: the file's, for errors, which never hold a value.
    package init(credentials text: String, path: String) throws(S3SettingsError) {
        var values: [String: String] = [:]
        // A file may have the three lines alone.
        var isDefault = true
        for (number, line) in zip(1..., text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)) {
            let line = Self.trimmed(line)
            if line.isEmpty || line.hasPrefix("#") || line.hasPrefix(";") { continue }
            if line.hasPrefix("["), line.hasSuffix("]") {
                isDefault = Self.trimmed(line.dropFirst().dropLast()) == "default"
                continue
            }
            guard let equals = line.firstIndex(of: "=") else {
                throw S3SettingsError("line \(number) of '\(path)' is neither [PROFILE] nor NAME = VALUE")
            }
            guard isDefault else { continue }
            values[Self.trimmed(line[..<equals]).lowercased()] = Self.trimmed(line[line.index(after: equals)...])
        }
        guard let name = values["aws_access_key_id"], let secret = values["aws_secret_access_key"] else {
            throw S3SettingsError(
                "'\(path)' has no aws_access_key_id and aws_secret_access_key in its profile [default]")
        }
        let token = values["aws_session_token"] ?? ""
        try self.init(checked: name, secret, token.isEmpty ? nil : token, from: "'\(path)'")
    }

    private init(
        checked name: String, _ secret: String, _ token: String?, from source: String
    ) throws(S3SettingsError) {
        for (value, what) in [(name, "name"), (secret, "secret"), (token ?? "-", "session token")] {
            guard !value.isEmpty, value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw S3SettingsError(
                    "the \(what) of the access key from \(source) is empty, or has another character than visible ones of ASCII"
                )
            }
        }
        self.init(accessKey: name, secretKey: secret, sessionToken: token)
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        var text = Substring(text)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
