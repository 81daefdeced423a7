import Testing

@testable import PostgreSQL

@Suite("Addresses of servers") struct ServerAddressTests {
    static func hosts(_ text: String) throws -> [String] {
        try ServerAddress(text).hosts.map { "\($0.host ?? "-") \($0.hostAddress ?? "-") \($0.port ?? "-")" }
    }

    @Test("hosts of URLs and of connection strings are those of libpq")
    func hosts() throws {
        #expect(try Self.hosts("postgresql://u:p@a:1,b,[::1]:3/d") == ["a - 1", "b - -", "::1 - 3"])
        #expect(try Self.hosts("host=a,b port=7 dbname=d") == ["a - 7", "b - 7"])
        #expect(try Self.hosts("host=a,b hostaddr=1.2.3.4,5.6.7.8 port=1,2") == ["a 1.2.3.4 1", "b 5.6.7.8 2"])
        #expect(try Self.hosts("postgres:///d?host=/run/socket") == ["/run/socket - -"])
        #expect(try Self.hosts("dbname=d") == ["- - -"])
    }

    @Test("the target and the time of a connection are read")
    func others() throws {
        let address = try ServerAddress("postgres://a/d?target_session_attrs=read-write&connect_timeout=7")
        #expect(address.target == "read-write" && address.connectSeconds == 7)
        #expect(try ServerAddress("host=a connect_timeout=0").connectSeconds == nil)
    }

    @Test(
        "what is no address is refused, without its text",
        arguments: [
            "", "secret", "postgres://u:secret@[x", "host=a nothing=secret", "host='secret", "host=a,b port=1,2,3",
            "host=a,b hostaddr=1.2.3.4", "host=secret\u{0}", "http://secret", "postgres://u:secret%zz@a",
        ])
    func refused(text: String) throws {
        let error = try failure { _ = try ServerAddress(text) }
        #expect(error.kind == .misuse && !error.description.contains("secret"))
    }
}
