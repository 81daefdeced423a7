import CloudModel
import FileSystem
import Inspection
import JSON
import Settings
import Stages

#if canImport(Glibc)
    import Glibc
#endif

/// The destination of `device-client`'s notifications, a line each, and of its change token.
///
/// With standard output the token is stored in the token file: a process that is killed in between prints some lines
/// again. In an output file the last line of each page has the token, and later lines are cut off at the start: no
/// notification is lost or doubled in the file, however the process ends.
struct NotificationSink {
    /// The key of the token in an output file's lines.
    private static let tokenKey = "serverChangeToken"

    private let configuration: Configuration
    private let descriptor: Int32?
    private var count = 0
    /// The token to read on from; nil is the start.
    private(set) var token: String?

    init(_ configuration: Configuration) throws {
        self.configuration = configuration
        if configuration.following.output.isEmpty {
            descriptor = nil
            token = try Self.savedToken(configuration)
        } else {
            guard configuration.following.tokenFile.isEmpty else {
                throw SettingsError("--output keeps the token itself; leave --token-file out")
            }
            guard configuration.following.format == .json else {
                throw SettingsError("--output writes JSON lines only; leave --format out")
            }
            let descriptor = open(configuration.following.output, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw FileError("open", configuration.following.output) }
            self.descriptor = descriptor
            token = try Self.recover(descriptor, configuration)
        }
    }

    /// Indicates whether the limit is reached; 0 is no limit.
    var isDone: Bool { configuration.following.limit > 0 && count >= configuration.following.limit }

    /// The number of notifications to ask for.
    var pageLimit: Int {
        let page = Limits.notificationsPageMax
        return configuration.following.limit > 0 ? min(configuration.following.limit - count, page) : page
    }

    /// Puts a page down, objects of JSON, and the token after it.
    mutating func take(_ notifications: [[UInt8]], token: String) throws {
        KillPoint.reach(.readerFetched)
        self.token = token
        count += notifications.count
        guard let descriptor else {
            for notification in notifications { Output.line(try text(notification)) }
            KillPoint.reach(.readerPrinted)
            if !configuration.following.tokenFile.isEmpty {
                try Files.replace(configuration.following.tokenFile, with: Array((token + "\n").utf8))
            }
            return
        }
        var bytes: [UInt8] = []
        for (index, notification) in notifications.enumerated() {
            bytes += index == notifications.count - 1 ? try adding(token, to: notification) : notification
            bytes.append(UInt8(ascii: "\n"))
        }
        try Self.append(bytes, to: descriptor, configuration.following.output)
        KillPoint.reach(.readerPrinted)
    }

    private func text(_ notification: [UInt8]) throws -> String {
        switch configuration.following.format {
        case .json: String(decoding: notification, as: UTF8.self)
        case .text: NotificationText.line(try JSONValue(parsing: notification))
        }
    }

    /// The line with the token as its last member.
    private func adding(_ token: String, to notification: [UInt8]) throws -> [UInt8] {
        var line = try JSONValue(parsing: notification).object ?? [:]
        line[Self.tokenKey] = .string(token)
        return try JSONValue.object(line).serialized()
    }

    /// The token of an earlier run, unless everything is wanted from the start.
    private static func savedToken(_ configuration: Configuration) throws -> String? {
        guard !configuration.following.fromStart, !configuration.following.tokenFile.isEmpty,
            Files.exists(configuration.following.tokenFile)
        else {
            return nil
        }
        let text = String(decoding: try Files.read(configuration.following.tokenFile), as: UTF8.self)
        return text.split(whereSeparator: \.isNewline).first.map(String.init)
    }

    /// Cuts the file after the last line that carries a token, and returns that token.
    private static func recover(_ descriptor: Int32, _ configuration: Configuration) throws -> String? {
        let content = try Files.read(configuration.following.output)
        var kept = 0
        var token: String?
        var start = 0
        while !configuration.following.fromStart, let end = content[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if let found = (try? JSONValue(parsing: Array(content[start..<end])))?[tokenKey]?.string {
                token = found
                kept = end + 1
            }
            start = end + 1
        }
        guard ftruncate(descriptor, off_t(kept)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
            throw FileError("cut", configuration.following.output)
        }
        return token
    }

    private static func append(_ bytes: [UInt8], to descriptor: Int32, _ path: String) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            guard written > 0 else { throw FileError("write", path) }
            rest = rest.dropFirst(written)
        }
    }
}
