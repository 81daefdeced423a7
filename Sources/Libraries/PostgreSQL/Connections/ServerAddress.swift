import CPostgreSQL

/// The parts of a connection string that the opening of a connection needs.
struct ServerAddress {
    /// One server of several.
    struct Host {
        var host: String?
        var hostAddress: String?
        var port: String?
    }

    /// In the order of attempts; one without names where libpq's defaults apply.
    let hosts: [Host]
    /// `target_session_attrs`.
    let target: String?
    /// `connect_timeout` in seconds, if it is a positive number.
    let connectSeconds: Int?

    /// Parses a URL or a connection string. An error does not repeat the text, which may have a password.
    init(_ text: String) throws {
        let failure = { (reason: String) in
            PostgreSQLError(.misuse, reason, attempt: "read the address of the server")
        }
        guard !text.utf8.contains(0) else { throw failure("the address has a NUL") }
        // Without it libpq would take the text for the name of a database.
        guard text.contains("=") || text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            throw failure("the address is neither a URL (postgresql://…) nor a connection string (host=…)")
        }
        guard let options = PQconninfoParse(text, nil) else {
            throw failure("the address is no connection string or URL that libpq reads: escape what has to be escaped")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        target = values["target_session_attrs"]
        connectSeconds = values["connect_timeout"].flatMap { Int($0) }.flatMap { $0 > 0 ? min($0, 3600) : nil }
        hosts = try Self.hosts(values, failure)
    }

    private static func hosts(
        _ values: [String: String], _ failure: (String) -> PostgreSQLError
    ) throws -> [Host] {
        let list = { (key: String) -> [String?] in
            values[key]?.split(separator: ",", omittingEmptySubsequences: false).map {
                $0.isEmpty ? nil : String($0)
            } ?? []
        }
        let (names, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(names.count, addresses.count, 1)
        guard names.count == count || names.isEmpty, addresses.count == count || addresses.isEmpty,
            ports.count == count || ports.count <= 1
        else {
            throw failure("the address has \(names.count) hosts, \(addresses.count) addresses, \(ports.count) ports")
        }
        return (0..<count).map { number in
            Host(
                host: names.isEmpty ? nil : names[number], hostAddress: addresses.isEmpty ? nil : addresses[number],
                port: ports.isEmpty ? nil : ports[ports.count == 1 ? 0 : number])
        }
    }
}
